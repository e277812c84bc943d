/** Finds the tool of a call by the name of a prompt, a resource or a completion. */

import { coerceArgs } from "../../call/coerce.ts";
import { completedName, featureName, kindOfName, skillUri } from "../../tool/feature.ts";
import { isObject } from "../../text/own_property.ts";
import type { Tool } from "../../tool/tool.ts";
import type { FoundFeature } from "../source.ts";
import { completionTool, expandedName, skillRequest, unlistedResource } from "./features.ts";
import { sourceOf, upstreamKind } from "./source.ts";
import type { UpstreamPool } from "./pool.ts";

export interface FeatureRequest {
  readonly name: string;
  readonly args: unknown;
}

/** A template becomes the resource at the address that the arguments give it. */
export function findFeature(
  pool: UpstreamPool,
  { name, args }: FeatureRequest,
  listed: (name: string) => Tool | undefined,
): FoundFeature | undefined {
  const completed = completedName(name);
  if (completed !== undefined) {
    const tool = listed(completed);
    const completion = tool && completionTool(tool);
    return completion && { tool: completion, args, isUnlisted: false };
  }
  const skill = skillUri(name);
  if (skill !== undefined) {
    const resource = featureName("resource", skill);
    const known = listed(resource);
    const found = known === undefined
      ? unlisted(pool, resource)
      : { tool: known, args, isUnlisted: false };
    if (found === undefined || sourceOf(found.tool).kind !== upstreamKind) return undefined;
    return { ...found, tool: skillRequest(found.tool) };
  }
  if (kindOfName(name) === undefined) return undefined;
  const tool = listed(name);
  if (tool?.feature?.isTemplate) {
    const coercion = coerceArgs(tool, isObject(args) ? args : {});
    // The call is refused for its arguments
    if (!coercion.ok) return { tool, args, isUnlisted: false };
    const expanded = expandedName(tool, coercion.values);
    const found = listed(expanded);
    return found === undefined || found.feature?.isTemplate
      ? unlisted(pool, expanded)
      : { tool: found, args: {}, isUnlisted: false };
  }
  if (tool !== undefined) return { tool, args, isUnlisted: false };
  return unlisted(pool, name);
}

function unlisted(pool: UpstreamPool, name: string): FoundFeature | undefined {
  const prefix = featureName("resource", "");
  if (!name.startsWith(prefix)) return undefined;
  const tool = unlistedResource(name.slice(prefix.length), pool.defined, pool.addresses);
  return tool && { tool, args: {}, isUnlisted: true };
}
