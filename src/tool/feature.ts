/**
 * Defines prompts and resources of MCP servers as entries of the catalogue, for which search, policy, audit log and
 * bounds work as for tools.
 */

/** The kinds of features; every other entry of the catalogue is a tool. */
export const featureKinds = ["prompt", "resource"] as const;

export type FeatureKind = typeof featureKinds[number];

export interface Feature {
  readonly kind: FeatureKind;
  /** The name of a prompt, the address of a resource, or a template of addresses. */
  readonly id: string;
  /** True if `id` is a template of addresses (RFC 6570). */
  readonly isTemplate?: boolean;
  readonly listed: Readonly<Record<string, unknown>>;
  /** Further names by which a policy may allow or deny the feature. */
  readonly alsoNamed: readonly string[];
  /**
   * Other spellings of the address. A policy's denials and constraints that name a spelling apply; its permissions do
   * not.
   */
  readonly spellings: readonly string[];
  /** Further names by which a policy may deny the feature. */
  readonly alsoDenied: readonly string[];
}

export function featureName(kind: FeatureKind, id: string): string {
  return `${kind}:${id}`;
}

export function kindOfName(name: string): FeatureKind | undefined {
  return featureKinds.find((kind) => name.startsWith(`${kind}:`));
}

export function isFeature<Entry extends { readonly feature?: Feature }>(
  entry: Entry,
): entry is Entry & { readonly feature: Feature } {
  return entry.feature !== undefined;
}

const completionPrefix = "completion:";

export function completionName(name: string): string {
  return `${completionPrefix}${name}`;
}

export function nameToComplete(name: string): string | undefined {
  return name.startsWith(completionPrefix) ? name.slice(completionPrefix.length) : undefined;
}
