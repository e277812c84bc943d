/** Plans the requests for prompts, resources and completions, and converts their results. */

import { type Result, withInputRequired } from "@modelcontextprotocol/client";
import { Buffer } from "node:buffer";
import * as z from "zod";
import { type CallResult, type ContentBlock, textResult } from "../../tool/result.ts";
import type { Caller, Plan, PlanOptions } from "../../tool/runner.ts";
import type { ArgValues, Tool } from "../../tool/tool.ts";
import { plural } from "../../text/plural.ts";
import { maxBlobLength, maxCompletionLength, maxCompletions, maxHostBytes } from "./_bounds.ts";
import { cleanTexts, plainTexts } from "./_clean_texts.ts";
import { type AnswerOptions, resultOfServer } from "./result.ts";
import type { UpstreamServer } from "./server.ts";
import { maskValues } from "../../tool/value.ts";
import { type UpstreamSource, upstreamSourceOf } from "./spec.ts";

interface FeaturePlanOptions {
  readonly name: string;
  readonly withServer: (
    caller: Caller,
    work: (server: UpstreamServer) => Promise<CallResult>,
  ) => Promise<CallResult>;
  readonly bounds: AnswerOptions;
}

export function featurePlan(tool: Tool, values: ArgValues, options: FeaturePlanOptions): Plan {
  const source = upstreamSourceOf(tool);
  const args = Object.fromEntries(values);
  const { name } = options;
  const details = source.request === "resource"
    ? { uri: source.tool }
    : { [source.request!]: source.tool, arguments: maskValues(tool, values) };
  return {
    ok: true,
    needsPermit: false,
    preview: {
      record: { server: name, ...details },
      saidBy: name,
      line: `${name} ${source.request} ${source.tool}`,
    },
    run: (caller) =>
      options.withServer(caller, async (server) => {
        const [method, params, schema] = requestOf(source, args);
        const reply = await server.request<Result>({
          subject: `${source.request} '${source.tool}'`,
          send: ({ client }, requestOptions, responses) =>
            client.request(
              { method, params: { ...params, ...responses } },
              withInputRequired(schema),
              requestOptions,
            ) as Promise<Result>,
          timeoutMs: tool.timeoutMs,
          caller,
        });
        return resultOfRequest(source, reply, options, caller);
      }),
  };
}

const contentsSchema = z.looseObject({
  contents: z.array(z.looseObject({
    uri: z.string(),
    mimeType: z.string().optional(),
    text: z.string().optional(),
    blob: z.string().refine(isBase64, "expected base64").optional(),
  })),
});

/** Returns whether `text` is valid base64: for other text, clients would refuse the whole answer. */
function isBase64(text: string): boolean {
  try {
    atob(text);
    return true;
  } catch {
    return false;
  }
}

const messagesSchema = z.looseObject({
  description: z.string().optional(),
  messages: z.array(z.looseObject({
    role: z.enum(["user", "assistant"]),
    content: z.looseObject({ type: z.string() }),
  })),
});

const completionSchema = z.looseObject({
  completion: z.object({
    values: z.array(z.string()),
    total: z.number().optional(),
    hasMore: z.boolean().optional(),
  }),
});

type Request = readonly [method: string, params: object, schema: z.ZodType<Result>];

function requestOf(
  { request, tool, ref }: UpstreamSource,
  args: Readonly<Record<string, unknown>>,
): Request {
  switch (request) {
    case "prompt":
      return ["prompts/get", { name: tool, arguments: args }, messagesSchema];
    case "completion": {
      const { name, value, context } = args;
      const params = {
        ref,
        argument: { name, value },
        ...(context === undefined ? {} : { context: { arguments: context } }),
      };
      return ["completion/complete", params, completionSchema];
    }
    default:
      return ["resources/read", { uri: tool }, contentsSchema];
  }
}

function resultOfRequest(
  { request }: UpstreamSource,
  reply: Result,
  { bounds }: FeaturePlanOptions,
  { forHost }: PlanOptions,
): CallResult {
  switch (request) {
    case "prompt": {
      const { description, messages } = reply as z.infer<typeof messagesSchema>;
      const content = messages.map(({ content }) => content as unknown as ContentBlock);
      const result = resultOfServer({ content }, bounds);
      const about = description === undefined ? {} : { description: cleanTexts(description) };
      return { ...result, prompt: { ...about, roles: messages.map(({ role }) => role) } };
    }
    case "completion": {
      const { completion } = reply as z.infer<typeof completionSchema>;
      const values = completion.values.slice(0, maxCompletions).map((value) => {
        return plainTexts(value.slice(0, maxCompletionLength));
      });
      const structured = { ...completion, values } as NonNullable<CallResult["structured"]>;
      return { ...resultOfServer({ content: [] }, bounds), structured };
    }
    default:
      return resultOfContents(reply as z.infer<typeof contentsSchema>, bounds, forHost === true);
  }
}

function resultOfContents(
  { contents }: z.infer<typeof contentsSchema>,
  bounds: AnswerOptions,
  forHost: boolean,
): CallResult {
  const tooLong = contents.find(({ blob = "" }) => blob.length > maxBlobLength);
  if (tooLong !== undefined) {
    const size = plural(Math.floor(tooLong.blob!.length * 3 / 4), "byte");
    return resultOfRefusal(`Resource '${tooLong.uri}' has ${size}, more than is passed on`);
  }
  const content = contents.map((resource) => ({ type: "resource", resource })) as ContentBlock[];
  const isApp = contents.every(({ uri, mimeType = "" }) => {
    return uri.startsWith("ui://") && /^text\/html\b/i.test(mimeType);
  });
  if (!isApp || !forHost) return resultOfServer({ content }, bounds);
  const bytes = contents.reduce((sum, { text = "" }) => sum + Buffer.byteLength(text), 0);
  if (bytes > maxHostBytes) {
    return resultOfRefusal(`The resource has ${plural(bytes, "byte")}, more than is passed on`);
  }
  return { ...resultOfServer({ content }, { ...bounds, keepBytes: maxHostBytes }), isWhole: true };
}

function resultOfRefusal(text: string): CallResult {
  return { ...textResult(text, true), record: { ending: "too long" } };
}
