/** Opens a language model of the AI SDK, and describes its failures. Only the package of its provider is loaded. */

import "./quiet_sdk.ts";
import { createGateway, type LanguageModel, RetryError } from "ai";
import { causesOf, FileError, messageOf } from "../../errors.ts";
import { excerpt } from "../../text/excerpt.ts";
import { awsRegion } from "./aws.ts";
import type { Environment } from "../../files/expand.ts";
import type { Credential } from "./lookup.ts";
import { NetworkError, sendOnce } from "../../net/send_once.ts";
import { defaultEndpoints, type LlmSettings, modelOf } from "./settings.ts";

/** Stands for the key at a server that needs none, because some packages of the AI SDK demand a key. */
const noKey = "none";

/** Opens the model of `settings`. @throws {ClimaxError} if a region is needed and unknown */
export async function openModel(
  settings: LlmSettings,
  credential: Credential,
  environment: Environment,
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
      // Servers that imitate OpenAI know only the older of its two interfaces (`chat`), so they get that one
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
      // A server that is not of AWS ignores the region, so any region will do
      const region = await awsRegion(environment) ?? (endpointOverride && "us-east-1");
      if (region === undefined) {
        throw new FileError("No language model can be asked", {
          message: "No AWS region is known: AWS_REGION is not set, and the profile names none",
          hint: "Set AWS_REGION, such as AWS_REGION=us-east-1",
        });
      }
      const { apiKey, ...rest } = shared;
      return createAmazonBedrock({
        ...rest,
        region,
        // Without an empty key, the package of the provider would read a key from the environment
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

const wordsLength = 500;

export function modelFailure(error: unknown, name: string): string {
  if (RetryError.isInstance(error)) {
    return `${modelFailure(error.lastError, name)} (asked ${error.errors.length} times)`;
  }
  const failed = causesOf(error).find((each) => each instanceof NetworkError);
  if (failed !== undefined && failed.kind !== "unread") {
    return `Model '${name}' cannot be reached: ${excerpt(failed.message, wordsLength)}`;
  }
  // The AI gateway has error classes of its own, so only the HTTP status of an error is read
  const { statusCode: status } = error as { statusCode?: unknown };
  const what = typeof status === "number" && status >= 300
    ? `${statusWords(status, name)} (${status})`
    : `Model '${name}' gave no answer that can be used`;
  return `${what}: ${excerpt(messageOf(failed ?? error).trim(), wordsLength)}`;
}

function statusWords(status: number, name: string): string {
  switch (status) {
    case 401:
    case 403:
      return `The provider of '${name}' does not accept the credential`;
    case 404:
      return `The provider does not know the model '${name}'`;
    case 429:
      return `Model '${name}' is asked too often`;
  }
  return status < 500 ? `Model '${name}' refused the request` : `The provider of '${name}' failed`;
}
