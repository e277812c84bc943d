/** The settings of a language model, the `llmProvider` of a project's file. Imports no SDK. */

import type { Finding } from "../../files/finding.ts";
import { ownProperty } from "../../text/own_property.ts";

/** Values of `llmProvider.type`. */
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

/** Values of `llmProvider.credentialSource`. */
export const credentialSources = ["cli-tool", "env-var", "prompt"] as const;

/** One of {@linkcode credentialSources}. */
export type CredentialSource = typeof credentialSources[number];

/** The settings of a model, which never hold a credential. */
export interface LlmSettings {
  readonly type: ProviderType;
  /** @default the provider's in {@linkcode defaultModels} */
  readonly model?: string | undefined;
  /** @default the first that has a credential, never asking */
  readonly credentialSource?: CredentialSource | undefined;
  /** Replaces the URL of the provider. */
  readonly endpointOverride?: string | undefined;
}

/** The general-purpose model of each provider in the AI SDK. Three providers route to many models, and have none. */
export const defaultModels: Readonly<Partial<Record<ProviderType, string>>> = {
  anthropic: "claude-sonnet-5-5",
  openai: "gpt-6-astra",
  gemini: "gemini-4-argon",
};

/** Providers without a default model. */
export const modelless: readonly ProviderType[] = providerTypes.filter((type) => {
  return defaultModels[type] === undefined;
});

/** Checks an `llmProvider` for what its schema cannot express; accepts values that fail the schema. */
export function checkProvider(provider: unknown): Finding[] {
  const type = ownProperty(provider, "type");
  const needsModel = (modelless as readonly unknown[]).includes(type) &&
    ownProperty(provider, "model") === undefined;
  const endpoint = ownProperty(provider, "endpointOverride");
  const isAddress = typeof endpoint !== "string" ||
    ["http:", "https:"].includes(URL.parse(endpoint)?.protocol ?? "");
  return [
    ...(needsModel
      ? [{
        path: ["llmProvider"],
        message: `Missing required key 'model', for which '${type}' has no default`,
      }]
      : []),
    ...(isAddress ? [] : [{
      path: ["llmProvider", "endpointOverride"],
      message:
        `'endpointOverride': '${endpoint}' is not a URL that begins with http:// or https://`,
    }]),
  ];
}

/** Returns the model of `settings`, which {@linkcode checkProvider} has accepted. */
export function modelOf({ type, model }: Pick<LlmSettings, "type" | "model">): string {
  return model ?? defaultModels[type]!;
}

/** Returns `provider/model`, as messages and files have it. */
export function modelName(settings: Pick<LlmSettings, "type" | "model">): string {
  return `${settings.type}/${modelOf(settings)}`;
}

/** The default endpoint of each provider. That of Bedrock depends on the region. */
export const defaultEndpoints: Readonly<Partial<Record<ProviderType, string>>> = {
  anthropic: "https://api.anthropic.com/v1",
  openai: "https://api.openai.com/v1",
  gemini: "https://generativelanguage.googleapis.com/v1beta",
  vercel: "https://ai-gateway.vercel.sh/v4/ai",
  openrouter: "https://openrouter.ai/api/v1",
};
