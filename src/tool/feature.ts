/**
 * Defines prompts and resources of MCP servers as entries of the catalogue, so that search, policy and audit log treat
 * them like tools.
 */

/** The kinds of entries of the catalogue that are not tools. */
export const featureKinds = ["prompt", "resource"] as const;

export type FeatureKind = typeof featureKinds[number];

export interface Feature {
  readonly kind: FeatureKind;
  /** The name of a prompt, the address of a resource, or a template for addresses of resources. */
  readonly id: string;
  /** True if `id` is a template for addresses (RFC 6570). */
  readonly isTemplate?: boolean;
  readonly listed: Readonly<Record<string, unknown>>;
  /** Other names by which a policy may allow or deny the prompt or resource. */
  readonly alsoNamed: readonly string[];
  /**
   * Other spellings of the resource's address. A policy that denies or constrains a spelling does so to the resource;
   * one that allows a spelling does not allow the resource.
   */
  readonly spellings: readonly string[];
  /** Other names by which a policy may deny the prompt or resource, but not allow it. */
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
