/** Opens a language model of the AI SDK. The package of a provider is loaded on demand. */

import "./quiet_sdk.ts";
import type { LanguageModel } from "ai";
import { FileError, type Problem } from "../../errors.ts";
import { awsRegion } from "./aws.ts";
import type { Credential } from "./lookup.ts";
import { NetworkError, sendOnce } from "../../net/send_once.ts";
import { defaultEndpoints, type LlmSettings, modelOf } from "./settings.ts";

/** Placeholder for a package that requires a key when the server does not. */
const noKey = "none";

/** @throws {ClimaxError} if a region is needed, and not known */
export async function openModel(
  settings: LlmSettings,
  credential: Credential,
  environment: (name: string) => string | undefined,
): Promise<Exclude<LanguageModel, string>> {
  const { type, endpointOverride } = settings;
  const model = modelOf(settings);
  const baseURL = endpointOverride ?? defaultEndpoints[type];
  const key = credential.kind === "key" ? credential.key.reveal() : undefined;
  const shared = {
    ...(baseURL === undefined ? {} : { baseURL }),
    apiKey: key ?? noKey,
    fetch: providerFetch(key === undefined ? [] : [key]),
  };
  switch (type) {
    case "anthropic": {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return createAnthropic(shared)(model);
    }
    case "openai": {
      const { createOpenAI } = await import("@ai-sdk/openai");
      const openai = createOpenAI(shared);
      // Compatible servers support only this one of the two formats of OpenAI
      return endpointOverride === undefined ? openai.responses(model) : openai.chat(model);
    }
    case "gemini": {
      const { createGoogle } = await import("@ai-sdk/google");
      return createGoogle(shared)(model);
    }
    case "vercel": {
      const { createGateway } = await import("ai");
      return createGateway(shared)(model);
    }
    case "openrouter": {
      const { createOpenRouter } = await import("@openrouter/ai-sdk-provider");
      return createOpenRouter(shared)(model);
    }
    case "bedrock": {
      const { createAmazonBedrock } = await import("@ai-sdk/amazon-bedrock");
      const region = await awsRegion(environment) ?? regionOf(endpointOverride);
      if (region === undefined) throw new FileError("No language model can be asked", noRegion);
      const { apiKey, ...rest } = shared;
      return createAmazonBedrock({
        ...rest,
        region,
        // Without an empty key the package would read one from the environment
        ...(credential.kind === "aws"
          ? { credentialProvider: credential.keys, apiKey: "" }
          : { apiKey }),
      })(model);
    }
  }
}

/** A `fetch` for the SDK, whose requests carry `secrets`. */
export function providerFetch(secrets: readonly string[]): typeof fetch {
  return async (input, init) => {
    try {
      return await sendOnce(input instanceof Request ? input.url : input, init, { secrets });
    } catch (error) {
      const isLost = error instanceof NetworkError && error.kind === "lost";
      // The SDK recognises a network failure by this text only, and retries
      throw isLost ? new TypeError("fetch failed", { cause: error }) : error;
    }
  };
}

const noRegion: Problem = {
  message: "No AWS region is known: AWS_REGION is not set, and the profile names none",
  hint: "Set AWS_REGION, such as AWS_REGION=us-east-1",
};

/** The region in the name of an AWS host; any region for other servers. */
function regionOf(endpoint: string | undefined): string | undefined {
  if (endpoint === undefined) return undefined;
  const { hostname } = new URL(endpoint);
  return hostname.split(".").find((label) => /^[a-z]{2}(?:-[a-z]+)+-\d$/.test(label)) ??
    "us-east-1";
}
