/** Defines prompts and resources of MCP servers. Search, policy, audit log and bounds treat them as tools. */

/** These are the kinds of features; every other entry of the catalogue is a tool. */
export const featureKinds = ["prompt", "resource"] as const;

export type FeatureKind = typeof featureKinds[number];

/** A prompt, a resource or a template of resources, as clients see it. */
export interface Feature {
  readonly kind: FeatureKind;
  /** The name of a prompt, the address of a resource, or a template of addresses. */
  readonly id: string;
  /** `id` is a template of addresses (RFC 6570). */
  readonly isTemplate?: boolean;
  /** The entry in a client's list, with field names of MCP 2026-07-28. */
  readonly listed: Readonly<Record<string, unknown>>;
  /** Further names that a policy may use for the feature. */
  readonly alsoNamed: readonly string[];
  /** Other spellings of the address. Denials and constraints for one apply to it; permissions do not. */
  readonly spellings: readonly string[];
  /** Further names that a denial may use. */
  readonly alsoDenied: readonly string[];
  /** The entry of a skill, whose SKILL.md the resource is (Skills over MCP). */
  readonly skill?: Readonly<Record<string, unknown>>;
}

/** Returns the name in the catalogue: `prompt:NAME`, or `resource:ADDRESS`. */
export function featureName(kind: FeatureKind, id: string): string {
  return `${kind}:${id}`;
}

/** Returns the kind of feature that has this name; nothing for a tool. */
export function kindOfName(name: string): FeatureKind | undefined {
  return featureKinds.find((kind) => name.startsWith(`${kind}:`));
}

/** Returns whether an entry of the catalogue is no tool. */
export function isFeature<Entry extends { readonly feature?: Feature }>(
  entry: Entry,
): entry is Entry & { readonly feature: Feature } {
  return entry.feature !== undefined;
}

/** The name of a completion begins with this, and ends with the name of its prompt or template. */
const completionPrefix = "completion:";

export function completionName(name: string): string {
  return `${completionPrefix}${name}`;
}

/** Returns the name of the prompt or template that `name` completes; nothing for other names. */
export function nameToComplete(name: string): string | undefined {
  return name.startsWith(completionPrefix) ? name.slice(completionPrefix.length) : undefined;
}

/** The name of the extension for skills (Skills over MCP). */
export const skillsExtension = "io.modelcontextprotocol/skills";

const skillPrefix = "skill-entry:";

/** Returns the name by which the entry of a skill is requested; `uri` is the address of its SKILL.md. */
export function skillName(uri: string): string {
  return `${skillPrefix}${uri}`;
}

/** Returns the address of the skill whose entry `name` requests; nothing for other names. */
export function skillUri(name: string): string | undefined {
  return name.startsWith(skillPrefix) ? name.slice(skillPrefix.length) : undefined;
}
