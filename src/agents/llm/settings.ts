/** Defines `llmProvider`, the settings of a language model. This module imports no SDK, so that it loads fast. */

import type { Finding } from "../../files/finding.ts";
import { ownProperty } from "../../text/own_property.ts";

export const providerTypes = [
  "anthropic",
  "openai",
  "gemini",
  "vercel",
  "bedrock",
  "openrouter",
] as const;

export type ProviderType = typeof providerTypes[number];

export const credentialSources = ["cli-tool", "env-var", "prompt"] as const;

export type CredentialSource = typeof credentialSources[number];

export interface LlmSettings {
  readonly type: ProviderType;
  /** The name of the model. @default the one that {@linkcode defaultModels} has for the provider */
  readonly model?: string | undefined;
  /** The place where the credential is looked for. @default variables of the environment, then files of other tools */
  readonly credentialSource?: CredentialSource | undefined;
  readonly endpointOverride?: string | undefined;
}

/** The default model of each provider; three providers only route to models of others, and have none. */
export const defaultModels: Readonly<Partial<Record<ProviderType, string>>> = {
  anthropic: "claude-sonnet-5-5",
  openai: "gpt-6-astra",
  gemini: "gemini-4-argon",
};

export const modelless: readonly ProviderType[] = providerTypes.filter((type) => {
  return defaultModels[type] === undefined;
});

export function checkProvider(provider: unknown): Finding[] {
  const type = ownProperty(provider, "type");
  const endpoint = ownProperty(provider, "endpointOverride");
  const findings: Finding[] = [];
  if (
    (modelless as readonly unknown[]).includes(type) && ownProperty(provider, "model") === undefined
  ) {
    const message = `Missing required key 'model', for which '${type}' has no default`;
    findings.push({ path: ["llmProvider"], message });
  }
  if (typeof endpoint === "string" && !/^https?:$/.test(URL.parse(endpoint)?.protocol ?? "")) {
    const message =
      `'endpointOverride': '${endpoint}' is not a URL that begins with http:// or https://`;
    findings.push({ path: ["llmProvider", "endpointOverride"], message });
  }
  return findings;
}

export function modelOf({ type, model }: Pick<LlmSettings, "type" | "model">): string {
  return model ?? defaultModels[type]!;
}

export function modelName(settings: Pick<LlmSettings, "type" | "model">): string {
  return `${settings.type}/${modelOf(settings)}`;
}

/** The default address of each provider. The address of Bedrock depends on the region. */
export const defaultEndpoints: Readonly<Partial<Record<ProviderType, string>>> = {
  anthropic: "https://api.anthropic.com/v1",
  openai: "https://api.openai.com/v1",
  gemini: "https://generativelanguage.googleapis.com/v1beta",
  vercel: "https://ai-gateway.vercel.sh/v4/ai",
  openrouter: "https://openrouter.ai/api/v1",
};
