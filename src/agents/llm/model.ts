/** Opens a language model of the AI SDK, and describes its failures. Only the package of its provider is loaded. */

import "./quiet_sdk.ts";
import { createGateway, type LanguageModel, RetryError } from "ai";
import { causesOf, FileError, messageOf, type Problem } from "../../errors.ts";
import { excerpt } from "../../text/excerpt.ts";
import { awsRegion } from "./aws.ts";
import type { Credential } from "./lookup.ts";
import { NetworkError, sendOnce } from "../../net/send_once.ts";
import { defaultEndpoints, type LlmSettings, modelOf } from "./settings.ts";

/** The key for packages that demand one although the server needs none. */
const noKey = "none";

/** Opens the model of `settings`. @throws {ClimaxError} if a region is needed and unknown */
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
      // Servers that imitate OpenAI support only the older of its two interfaces
      return endpointOverride === undefined ? openai.responses(model) : openai.chat(model);
    }
    case "gemini": {
      const { createGoogle } = await import("@ai-sdk/google");
      return createGoogle(shared)(model);
    }
    case "vercel":
      return createGateway(shared)(model);
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
        // Without an empty key, the package of the provider would read one from the environment
        ...(credential.kind === "aws"
          ? { credentialProvider: credential.keys, apiKey: "" }
          : { apiKey }),
      })(model);
    }
  }
}

/** Makes a `fetch` for the SDK whose errors do not show `secrets`. */
export function providerFetch(secrets: readonly string[]): typeof fetch {
  return async (input, init) => {
    try {
      return await sendOnce(input instanceof Request ? input.url : input, init, { secrets });
    } catch (error) {
      const isLost = error instanceof NetworkError && error.kind === "lost";
      // The SDK recognises a network failure by this text only, and then repeats the request
      throw isLost ? new TypeError("fetch failed", { cause: error }) : error;
    }
  };
}

const noRegion: Problem = {
  message: "No AWS region is known: AWS_REGION is not set, and the profile names none",
  hint: "Set AWS_REGION; tamamo-x took us-east-1 where it was missing: AWS_REGION=us-east-1",
};

/** Returns the region in the host name of AWS; another server does not use the region, so any one will do. */
function regionOf(endpoint: string | undefined): string | undefined {
  if (endpoint === undefined) return undefined;
  const { hostname } = new URL(endpoint);
  return hostname.split(".").find((label) => /^[a-z]{2}(?:-[a-z]+)+-\d$/.test(label)) ??
    "us-east-1";
}

const wordsLength = 500;

/** Describes an error of the AI SDK; `name` is the name of the model. */
export function modelFailure(error: unknown, name: string): string {
  if (RetryError.isInstance(error)) {
    return `${modelFailure(error.lastError, name)} (asked ${error.errors.length} times)`;
  }
  const failed = causesOf(error).find((each) => each instanceof NetworkError);
  if (failed !== undefined && failed.kind !== "unread") {
    return `Model '${name}' cannot be reached: ${excerpt(failed.message, wordsLength)}`;
  }
  const words = excerpt(messageOf(failed ?? error).trim(), wordsLength);
  // The AI gateway has error classes of its own, so only the status is read
  const { statusCode } = error as { statusCode?: unknown };
  const status = typeof statusCode === "number" ? statusCode : undefined;
  switch (status) {
    case 401:
    case 403:
      return `The provider of '${name}' does not accept the credential (${status}): ${words}`;
    case 404:
      return `The provider does not know the model '${name}' (404): ${words}`;
    case 429:
      return `Model '${name}' is asked too often (429): ${words}`;
  }
  if (status === undefined || status < 300) {
    return `Model '${name}' gave no answer that can be used: ${words}`;
  }
  return status < 500
    ? `Model '${name}' refused the request (${status}): ${words}`
    : `The provider of '${name}' failed (${status}): ${words}`;
}
