/** Prompts and resources of MCP servers: entries as tools are, for search, policy, audit log and bounds. */

/** The kinds of entries that are no tools. */
export const featureKinds = ["prompt", "resource"] as const;

export type FeatureKind = typeof featureKinds[number];

/** What a prompt, a resource or a template of resources is to clients. */
export interface Feature {
  readonly kind: FeatureKind;
  /** The name of a prompt, the address of a resource, or the template of addresses, as clients have it. */
  readonly id: string;
  /** `id` is a template of addresses (RFC 6570). */
  readonly isTemplate?: boolean;
  /** As clients list it, with field names of MCP 2026-07-28. */
  readonly listed: Readonly<Record<string, unknown>>;
  /** Names that a policy may use in addition to that of the tool. */
  readonly alsoNamed: readonly string[];
  /** Other ways to write its address: denials and demands for them hold for it, and none of them serves it. */
  readonly spellings: readonly string[];
  /** Names by which a denial finds it too. */
  readonly alsoDenied: readonly string[];
  /** The entry of a skill, whose SKILL.md the resource is (Skills over MCP). */
  readonly skill?: Readonly<Record<string, unknown>>;
}

/** The name in the catalogue: `prompt:NAME`, or `resource:ADDRESS`. */
export function featureName(kind: FeatureKind, id: string): string {
  return `${kind}:${id}`;
}

/** The kind of feature that `name` is a name of; absent for tools. */
export function kindOfName(name: string): FeatureKind | undefined {
  return featureKinds.find((kind) => name.startsWith(`${kind}:`));
}

/** Returns whether an entry of the catalogue is no tool. */
export function isFeature<Entry extends { readonly feature?: Feature }>(
  entry: Entry,
): entry is Entry & { readonly feature: Feature } {
  return entry.feature !== undefined;
}

/** A completion is called by this and the name of its prompt or template. */
const completionPrefix = "completion:";

export function completionName(name: string): string {
  return `${completionPrefix}${name}`;
}

/** The name of the prompt or template that `name` completes; absent for other names. */
export function nameToComplete(name: string): string | undefined {
  return name.startsWith(completionPrefix) ? name.slice(completionPrefix.length) : undefined;
}

/** The name of the extension for skills (Skills over MCP). */
export const skillsExtension = "io.modelcontextprotocol/skills";

const skillPrefix = "skill-entry:";

/** The name by which the entry of a skill is requested; `uri` is the address of its SKILL.md. */
export function skillName(uri: string): string {
  return `${skillPrefix}${uri}`;
}

/** The address of the skill whose entry `name` requests; absent for other names. */
export function skillUri(name: string): string | undefined {
  return name.startsWith(skillPrefix) ? name.slice(skillPrefix.length) : undefined;
}
