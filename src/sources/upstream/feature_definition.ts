/** Reads prompts, resources and templates of an untrusted server, and refuses addresses that climb out of a folder. */

import * as z from "zod";
import { isObject } from "../../text/own_property.ts";
import { whyNotAddress } from "./addresses.ts";
import { type ListKind, ListReader } from "./definition.ts";
import { maxFeatureLength, maxFeatures, maxFeaturesLength } from "./_bounds.ts";

const text = z.string().optional();
const map = z.record(z.string(), z.unknown()).optional();
const icons = z.array(z.looseObject({ src: z.string() })).optional();
const address = z.string().min(1).refine((uri) => whyNotAddress(uri) === undefined, {
  error: ({ input }) => `the address ${whyNotAddress(String(input))}`,
});

const promptSchema = z.object({
  name: z.string().min(1).max(256),
  title: text,
  description: text,
  arguments: z.array(z.object({
    name: z.string().min(1).max(256),
    title: text,
    description: text,
    required: z.boolean().optional(),
  })).optional(),
  icons,
  _meta: map,
});

const resourceSchema = z.object({
  uri: address,
  name: z.string().min(1).max(1024),
  title: text,
  description: text,
  mimeType: text,
  size: z.number().optional(),
  annotations: map,
  icons,
  _meta: map,
});

const templateSchema = resourceSchema.omit({ uri: true, size: true }).extend({
  uriTemplate: address,
});

export type PromptDefinition = z.infer<typeof promptSchema>;
export type ResourceDefinition = z.infer<typeof resourceSchema>;
export type TemplateDefinition = z.infer<typeof templateSchema>;

interface FeatureLists {
  readonly prompts: readonly PromptDefinition[];
  readonly resources: readonly ResourceDefinition[];
  readonly templates: readonly TemplateDefinition[];
}

export interface FeatureListing extends FeatureLists {
  readonly hasResources: boolean;
}

const bounds = {
  maxLength: maxFeatureLength,
  maxItems: maxFeatures,
  maxTotal: maxFeaturesLength,
  maxWarnings: 5,
};

const lists: { readonly [List in keyof FeatureLists]: ListKind<FeatureLists[List][number]> } = {
  prompts: { ...bounds, what: "prompt", schema: promptSchema, id: "name" },
  resources: { ...bounds, what: "resource", schema: resourceSchema, id: "uri" },
  templates: { ...bounds, what: "resource template", schema: templateSchema, id: "uriTemplate" },
};

export async function readLists(
  read: (
    list: keyof FeatureLists,
    reader: ListReader<object>,
    what: string,
  ) => Promise<readonly object[]> | readonly object[],
): Promise<FeatureLists> {
  const names = Object.keys(lists) as (keyof FeatureLists)[];
  const entries = names.map(async (name) => {
    const list = lists[name] as unknown as ListKind<object>;
    return [name, await read(name, new ListReader(list), list.what)] as const;
  });
  return Object.fromEntries(await Promise.all(entries)) as unknown as FeatureLists;
}

export async function readFeatures(saved: unknown): Promise<FeatureListing | undefined> {
  if (!isObject(saved)) return undefined;
  return {
    ...await readLists((name, reader) => {
      const items = saved[name];
      reader.add(Array.isArray(items) ? items : []);
      return reader.result().definitions;
    }),
    hasResources: saved["hasResources"] === true,
  };
}
