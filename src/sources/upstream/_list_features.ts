/** Lists the prompts, resources and templates of a server. A list that fails is a warning: its tools are served. */

import type { Client } from "@modelcontextprotocol/client";
import { messageOf } from "../../errors.ts";
import { listFeaturesMs } from "./_bounds.ts";
import { skillsExtension } from "../../tool/feature.ts";
import { type ListMethod, listPages } from "./_list_pages.ts";
import {
  type FeatureList,
  type FeatureListing,
  FeatureReader,
  type PromptDefinition,
  type ResourceDefinition,
  type SkillDefinition,
  type TemplateDefinition,
} from "./feature_definition.ts";

/** A server that has a capability and lists nothing answers this (JSON-RPC: method not found). */
const methodNotFound = -32601;

export interface ListedFeatures {
  readonly listing: FeatureListing;
  readonly doubts: readonly string[];
}

export async function listFeatures(
  client: Client,
  signal: AbortSignal,
): Promise<ListedFeatures> {
  const { prompts, resources, completions, extensions } = client.getServerCapabilities() ?? {};
  const doubts: string[] = [];
  // The tools wait for these lists
  const either = AbortSignal.any([signal, AbortSignal.timeout(listFeaturesMs)]);
  const list = async (isOffered: boolean, method: ListMethod, key: string, what: FeatureList) => {
    if (!isOffered) return [];
    const reader = new FeatureReader(what);
    let rest: string | undefined;
    try {
      const onPage = (items: readonly unknown[]) => reader.add(items);
      rest = await listPages(client, { method, key, onPage }, either);
    } catch (error) {
      // An end of the connection is not an answer
      if (signal.aborted) throw error;
      if ((error as { code?: unknown }).code === methodNotFound) return [];
      rest = either.aborted ? `no answer within ${listFeaturesMs / 1000} s` : messageOf(error);
    }
    const read = reader.result(rest);
    doubts.push(...read.doubts);
    return read.definitions;
  };
  const [hasPrompts, hasResources] = [prompts !== undefined, resources !== undefined];
  // The extension is one of 2026-07-28
  const hasSkills = client.getProtocolEra() === "modern" && hasResources &&
    extensions?.[skillsExtension] !== undefined;
  const [listedPrompts, listedResources, listedTemplates, listedSkills] = await Promise.all([
    list(hasPrompts, "prompts/list", "prompts", "prompts"),
    list(hasResources, "resources/list", "resources", "resources"),
    list(hasResources, "resources/templates/list", "resourceTemplates", "templates"),
    list(hasSkills, "skills/list", "skills", "skills"),
  ]);
  return {
    listing: {
      prompts: listedPrompts as readonly PromptDefinition[],
      resources: listedResources as readonly ResourceDefinition[],
      templates: listedTemplates as readonly TemplateDefinition[],
      skills: listedSkills as readonly SkillDefinition[],
      hasSkills,
      hasPrompts,
      hasResources,
      hasCompletions: completions !== undefined,
      hasSubscriptions: resources?.subscribe === true,
    },
    doubts,
  };
}
