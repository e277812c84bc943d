/** The language models a project may name, as the data model has them (entity 3). */

/** The providers there are. */
export const providerTypes = [
  "anthropic",
  "openai",
  "gemini",
  "vercel",
  "bedrock",
  "openrouter",
] as const;

/** One of {@linkcode providerTypes}. */
export type ProviderType = typeof providerTypes[number];

/** Where the credentials of a provider may come from. */
export const credentialSources = ["cli-tool", "env-var", "prompt"] as const;

/** One of {@linkcode credentialSources}. */
export type CredentialSource = typeof credentialSources[number];

/** Providers without a model of their own choice. */
export const modelless: readonly ProviderType[] = ["vercel", "bedrock", "openrouter"];
