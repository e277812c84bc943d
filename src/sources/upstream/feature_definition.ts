/**
 * Reads the prompts, resources and templates that an untrusted server lists. Invalid ones are left out with a
 * warning, and so are addresses that climb out of a folder: a policy could not match them.
 */

import * as z from "zod";
import { messageOf } from "../../errors.ts";
import { quote } from "../../text/excerpt.ts";
import { visible } from "../../text/escape.ts";
import { plural } from "../../text/plural.ts";
import { isObject } from "../../text/own_property.ts";
import { whyNotAddress } from "./addresses.ts";
import {
  maxDefinitionLength,
  maxFeatureLength,
  maxFeatures,
  maxFeaturesLength,
} from "./_bounds.ts";

const text = z.string().optional();
const meta = z.record(z.string(), z.unknown()).optional();
const annotations = z.record(z.string(), z.unknown()).optional();
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
  _meta: meta,
});

const resourceSchema = z.object({
  uri: address,
  name: z.string().min(1).max(1024),
  title: text,
  description: text,
  mimeType: text,
  size: z.number().optional(),
  annotations,
  icons,
  _meta: meta,
});

const templateSchema = resourceSchema.omit({ uri: true, size: true }).extend({
  uriTemplate: address,
});

/** An entry of Skills over MCP (`io.modelcontextprotocol/skills`, stable). */
export const skillSchema = z.object({
  uri: address,
  frontmatter: z.looseObject({ name: z.string().min(1), description: z.string() }),
  resources: z.union([
    z.array(z.object({ uri: address, digest: z.string(), size: z.number() })),
    z.literal("dynamic"),
  ]),
});

export type SkillDefinition = z.infer<typeof skillSchema>;

/** With the field names of MCP 2026-07-28. */
export type PromptDefinition = z.infer<typeof promptSchema>;
export type ResourceDefinition = z.infer<typeof resourceSchema>;
export type TemplateDefinition = z.infer<typeof templateSchema>;

/** What a server offers as well as tools. */
export interface FeatureListing {
  readonly prompts: readonly PromptDefinition[];
  readonly resources: readonly ResourceDefinition[];
  readonly templates: readonly TemplateDefinition[];
  readonly skills: readonly SkillDefinition[];
  /** It declares the capability. */
  readonly hasPrompts: boolean;
  readonly hasResources: boolean;
  readonly hasCompletions: boolean;
  readonly hasSubscriptions: boolean;
  readonly hasSkills: boolean;
}

export const noFeatures: FeatureListing = {
  prompts: [],
  resources: [],
  templates: [],
  skills: [],
  hasSkills: false,
  hasPrompts: false,
  hasResources: false,
  hasCompletions: false,
  hasSubscriptions: false,
};

/** The lists of a server, each with its key in results, and in a definition the key that is unique. */
const featureLists = {
  prompts: { what: "prompt", schema: promptSchema, id: "name", most: maxFeatureLength },
  resources: { what: "resource", schema: resourceSchema, id: "uri", most: maxFeatureLength },
  templates: {
    what: "resource template",
    schema: templateSchema,
    id: "uriTemplate",
    most: maxFeatureLength,
  },
  skills: { what: "skill", schema: skillSchema, id: "uri", most: maxDefinitionLength },
} as const;

export type FeatureList = keyof typeof featureLists;

/** Most warnings about single definitions. */
const maxDoubts = 5;

/** Reads one list page by page, up to the bounds. */
export class FeatureReader {
  readonly #list: (typeof featureLists)[FeatureList];
  readonly #definitions = new Map<string, unknown>();
  readonly #doubts: string[] = [];
  #length = 0;
  #isFull = false;

  constructor(list: FeatureList) {
    this.#list = featureLists[list];
  }

  /** Returns whether more definitions are accepted. */
  add(listed: readonly unknown[]): boolean {
    for (const each of listed) if (!this.#isFull) this.#addOne(each);
    return !this.#isFull;
  }

  /** All definitions, and a warning about those that were left out; `rest` is why the list is incomplete. */
  result(rest?: string): { readonly definitions: readonly unknown[]; readonly doubts: string[] } {
    const { what } = this.#list;
    const more = this.#doubts.length - maxDoubts;
    return {
      definitions: [...this.#definitions.values()],
      doubts: [
        ...this.#doubts.slice(0, maxDoubts),
        ...(more > 0 ? [`and ${plural(more, "doubt")} more about a ${what}`] : []),
        ...(this.#isFull
          ? [`the rest of its ${what}s is left out: there is no room for it`]
          : rest === undefined
          ? []
          : [`the rest of its ${what}s is left out: ${rest}`]),
      ],
    };
  }

  #addOne(listed: unknown): void {
    const { what, schema, id, most } = this.#list;
    const name = isObject(listed) && typeof listed[id] === "string" ? quote(listed[id]) : "";
    const doubt = (reason: string) => this.#doubts.push(visible(`${what} ${name} ${reason}`));
    let length: number;
    try {
      length = JSON.stringify(listed).length;
    } catch (error) {
      return void doubt(`is left out: ${messageOf(error)}`);
    }
    if (length > most) {
      return void doubt(`is left out: it has ${length} characters, at most ${most}`);
    }
    const parsed = schema.safeParse(listed);
    if (!parsed.success) {
      const { path, message } = parsed.error.issues[0]!;
      return void doubt(`is left out: ${[...path, message].join(": ")}`);
    }
    const key = (parsed.data as unknown as Record<string, string>)[id]!;
    if (this.#definitions.has(key)) return void doubt("is listed twice; the first is used");
    if (
      this.#definitions.size >= maxFeatures || this.#length + length > maxFeaturesLength
    ) {
      this.#isFull = true;
      return;
    }
    this.#length += length;
    this.#definitions.set(key, parsed.data);
  }
}

/** Reads what the cache has. */
export function readFeatures(saved: unknown): FeatureListing | undefined {
  if (!isObject(saved)) return undefined;
  const read = (list: FeatureList) => {
    const reader = new FeatureReader(list);
    reader.add(Array.isArray(saved[list]) ? saved[list] : []);
    return reader.result().definitions;
  };
  return {
    prompts: read("prompts") as readonly PromptDefinition[],
    resources: read("resources") as readonly ResourceDefinition[],
    templates: read("templates") as readonly TemplateDefinition[],
    skills: read("skills") as readonly SkillDefinition[],
    hasPrompts: saved["hasPrompts"] === true,
    hasResources: saved["hasResources"] === true,
    hasCompletions: saved["hasCompletions"] === true,
    hasSubscriptions: saved["hasSubscriptions"] === true,
    hasSkills: saved["hasSkills"] === true,
  };
}
