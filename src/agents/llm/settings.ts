/** The settings of a language model, the `llmProvider` of a project's file. This module imports no SDK. */

import type { Finding } from "../../files/finding.ts";
import { ownProperty } from "../../text/own_property.ts";

/** `llmProvider.type` has one of these values. */
export const providerTypes = [
  "anthropic",
  "openai",
  "gemini",
  "vercel",
  "bedrock",
  "openrouter",
] as const;

/** A provider of language models. */
export type ProviderType = typeof providerTypes[number];

/** `llmProvider.credentialSource` has one of these values. */
export const credentialSources = ["cli-tool", "env-var", "prompt"] as const;

/** A place where the credential of a provider is found. */
export type CredentialSource = typeof credentialSources[number];

/** The settings of a model, which never hold a credential. */
export interface LlmSettings {
  readonly type: ProviderType;
  /** The name of the model. @default the provider's in {@linkcode defaultModels} */
  readonly model?: string | undefined;
  /** The place of the credential. @default the first place that has one; no person is asked */
  readonly credentialSource?: CredentialSource | undefined;
  /** A URL to use instead of the provider's. */
  readonly endpointOverride?: string | undefined;
}

/** Each provider has this general-purpose model in the AI SDK. Three providers route to many models, and have none. */
export const defaultModels: Readonly<Partial<Record<ProviderType, string>>> = {
  anthropic: "claude-sonnet-5-5",
  openai: "gpt-6-astra",
  gemini: "gemini-4-argon",
};

/** These providers have no default model. */
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

/** Returns `provider/model`, as it stands in messages and files. */
export function modelName(settings: Pick<LlmSettings, "type" | "model">): string {
  return `${settings.type}/${modelOf(settings)}`;
}

/** Each provider has this default endpoint. That of Bedrock depends on the region. */
export const defaultEndpoints: Readonly<Partial<Record<ProviderType, string>>> = {
  anthropic: "https://api.anthropic.com/v1",
  openai: "https://api.openai.com/v1",
  gemini: "https://generativelanguage.googleapis.com/v1beta",
  vercel: "https://ai-gateway.vercel.sh/v4/ai",
  openrouter: "https://openrouter.ai/api/v1",
};
