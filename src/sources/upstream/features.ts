/** Puts prompts and resources of servers into the catalogue, and finds the one that a call names. */

import {
  completionName,
  type Feature,
  featureName,
  kindOfName,
  nameToComplete,
} from "../../tool/feature.ts";
import { type Owner, textArg, type Tool } from "../../tool/tool.ts";
import { canonicalUri, spellingsOf } from "../../text/uri_spellings.ts";
import { cleanTexts } from "./_clean_texts.ts";
import {
  type Addresses,
  expandTemplate,
  fitsTemplate,
  templateVariables,
  whyNotAddress,
} from "./addresses.ts";
import type {
  PromptDefinition,
  ResourceDefinition,
  TemplateDefinition,
} from "./feature_definition.ts";
import { type DefinedServer, plainName, uniqueNames } from "./tools.ts";
import { coerceArgs } from "../../call/coerce.ts";
import { isObject } from "../../text/own_property.ts";
import type { FoundFeature } from "../source.ts";
import type { UpstreamPool } from "./pool.ts";
import { upstreamKind, type UpstreamSource, upstreamSourceOf } from "./spec.ts";

export function featuresOf(servers: readonly DefinedServer[], addresses: Addresses): Tool[] {
  const names = uniqueNames(servers.flatMap(({ spec, features }) => {
    return (features?.prompts ?? []).map((each) => [each, `${spec.name}__${each.name}`] as const);
  }));
  return servers.flatMap((server) => {
    const { prompts = [], resources = [], templates = [] } = server.features ?? {};
    return [
      ...prompts.map((prompt) => promptTool(prompt, names.get(prompt)!, server)),
      ...[...resources, ...templates].map((each) => resourceTool(each, server, addresses)),
    ];
  });
}

function completionTool(tool: Tool): Tool | undefined {
  const source = upstreamSourceOf(tool);
  const { feature } = tool;
  if (feature === undefined || source.kind !== upstreamKind) return undefined;
  const ref = feature.kind === "prompt"
    ? { type: "ref/prompt", name: source.tool } as const
    : { type: "ref/resource", uri: source.tool } as const;
  const { needsConsent: _, input: __, ...rest } = tool;
  return {
    ...rest,
    name: completionName(tool.name),
    args: [
      textArg("name", "The argument to complete", { required: true }),
      textArg("value", "What was typed so far", { required: true }),
      { ...textArg("context", "The values of other arguments, by name"), type: "json" },
    ],
    source: sourceOf({ ...source, request: "completion", ref }),
  };
}

function makeUnlisted(address: string, server: DefinedServer, addresses: Addresses): Tool {
  const uri = canonicalUri(address);
  const known = server.features?.resources.find((each) => each.uri === uri);
  const tool = resourceTool(known ?? { uri, name: uri }, server, addresses);
  const templates = server.features!.templates.filter(({ uriTemplate }) => {
    return fitsTemplate(uriTemplate, uri);
  });
  // If a policy denies a template, each address that the template can make is denied too
  const denied = templates.flatMap(({ uriTemplate, name }) => {
    const { alsoNamed, spellings, alsoDenied } = otherNames(name, uriTemplate, server, addresses);
    return [...alsoNamed, ...spellings, ...alsoDenied];
  });
  const { feature } = tool;
  return { ...tool, feature: { ...feature!, alsoDenied: [...feature!.alsoDenied, ...denied] } };
}

function promptTool(definition: PromptDefinition, id: string, server: DefinedServer): Tool {
  const { title, description = "", arguments: args = [] } = cleanTexts(definition);
  const wanted = plainName(server.spec, definition);
  return {
    ...entry(server, definition.name, {
      kind: "prompt",
      id,
      listed: { ...cleanTexts(definition), name: id },
      alsoNamed: [],
      spellings: [featureName("prompt", wanted)],
      alsoDenied: [id, wanted],
    }),
    description,
    examples: title === undefined ? [] : [title],
    args: args.map(({ name, description = "", required = false }) => {
      return textArg(name, description, { required });
    }),
    isOpen: true, // for arguments that the server does not list
  };
}

function resourceTool(
  definition: ResourceDefinition | TemplateDefinition,
  server: DefinedServer,
  addresses: Addresses,
): Tool {
  const isTemplate = "uriTemplate" in definition;
  const uri = isTemplate ? definition.uriTemplate : definition.uri;
  const served = addresses.serve(server.spec.name, uri);
  const plain = cleanTexts(definition);
  const names = isTemplate ? templateVariables(uri) : [];
  return {
    ...entry(server, uri, {
      kind: "resource",
      id: served,
      ...(isTemplate && { isTemplate }),
      listed: { ...plain, [isTemplate ? "uriTemplate" : "uri"]: served },
      ...otherNames(definition.name, uri, server, addresses),
    }),
    description: plain.description ?? "",
    examples: [plain.title ?? plain.name],
    args: names.map((name) => textArg(name, "", { required: true })),
  };
}

function entry({ spec, description }: DefinedServer, own: string, feature: Feature): Tool {
  const owner: Owner = { name: spec.name, description: cleanTexts(description), tags: [] };
  return {
    name: featureName(feature.kind, feature.id),
    description: "",
    owner,
    args: [],
    effect: "read",
    timeoutMs: spec.timeoutMs,
    background: false, // a client could not fetch the result of a job
    source: sourceOf({ server: spec.name, tool: own, request: feature.kind }),
    feature,
  };
}

function sourceOf(source: Omit<UpstreamSource, "kind">): UpstreamSource {
  return { kind: upstreamKind, ...source };
}

function otherNames(
  name: string,
  uri: string,
  { spec }: DefinedServer,
  addresses: Addresses,
): Pick<Feature, "alsoNamed" | "spellings" | "alsoDenied"> {
  const [alsoNamed = [], ...spellings] = spellingsOf(uri).map((each) => {
    return [each, addresses.qualify(spec.name, each)].map((id) => featureName("resource", id));
  });
  return { alsoNamed, spellings: spellings.flat(), alsoDenied: [`${spec.name}__${name}`] };
}

export function findFeature(
  pool: UpstreamPool,
  { name, args }: { readonly name: string; readonly args: unknown },
  listed: (name: string) => Tool | undefined,
): FoundFeature | undefined {
  const completed = nameToComplete(name);
  if (completed !== undefined) {
    const tool = listed(completed);
    const completion = tool && completionTool(tool);
    return completion && { tool: completion, args, isUnlisted: false };
  }
  if (kindOfName(name) === undefined) return undefined;
  const tool = listed(name);
  if (tool === undefined) return findUnlisted(pool, name);
  if (!tool.feature?.isTemplate) return { tool, args, isUnlisted: false };
  const coercion = coerceArgs(tool, isObject(args) ? args : {});
  if (!coercion.ok) return { tool, args, isUnlisted: false };
  const texts = [...coercion.values].map(([name, value]) => [name, String(value)]);
  const address = expandTemplate(tool.feature.id, Object.fromEntries(texts));
  const expanded = featureName("resource", address);
  const found = listed(expanded);
  return found === undefined || found.feature?.isTemplate
    ? findUnlisted(pool, expanded)
    : { tool: found, args: {}, isUnlisted: false };
}

function findUnlisted({ defined, addresses }: UpstreamPool, name: string) {
  const prefix = featureName("resource", "");
  const address = name.slice(prefix.length);
  if (!name.startsWith(prefix) || whyNotAddress(address) !== undefined) return undefined;
  const open = defined.filter(({ features }) => features?.hasResources);
  const named = addresses.areUnchanged ? undefined : addresses.original(address);
  const [server, ...others] = addresses.areUnchanged ? open.slice(0, 1) : open.filter((each) => {
    const { resources, templates } = each.features!;
    if (named !== undefined) return each.spec.name === named.server;
    return resources.some(({ uri }) => uri === address) ||
      templates.some(({ uriTemplate }) => fitsTemplate(uriTemplate, address));
  });
  if (server === undefined || others.length > 0) return undefined;
  const tool = makeUnlisted(named?.uri ?? address, server, addresses);
  return { tool, args: {}, isUnlisted: true };
}
