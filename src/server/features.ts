/** Serves prompts and resources to clients. Each request is carried out like a call: policy, audit log, bounds. */

import {
  isInputRequiredResult,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { CallContext, FeatureServices } from "../call/context.ts";
import { completionName, type FeatureKind, featureName } from "../tool/feature.ts";
import { type CallResult, textOf } from "../tool/result.ts";
import type { Tool } from "../tool/tool.ts";
import { type ClientServing, logSdkError, serveCall } from "./requests.ts";
import {
  ResourceSubscriptions,
  serveSubscriptions,
  StdioSubscriptions,
} from "./resource_subscriptions.ts";
import type { FeatureSurface, Surface } from "./surface.ts";

export function featureSurface(
  services: FeatureServices,
  context: Pick<CallContext, "catalog" | "index">,
): FeatureSurface {
  const onChange = changesOf(context);
  return {
    capabilities: (connection) => ({
      prompts: { listChanged: true },
      // A server that is made for one request cannot notify a client later, so it offers no subscriptions
      resources: { listChanged: true, ...(connection === "request" ? {} : { subscribe: true }) },
      completions: {},
      logging: {},
    }),
    serve(surface, mcp, { connection, ...serving }) {
      const { server } = mcp;
      const ignore = (error: unknown) => logSdkError("protocol", error);
      serveFeatures(surface, mcp, serving);
      const stop = onChange(({ prompts, resources }) => {
        if (prompts) server.sendPromptListChanged().catch(ignore);
        if (resources) server.sendResourceListChanged().catch(ignore);
      });
      const stopFollowing = connection === "connection" &&
        serveSubscriptions(mcp, services, serving);
      return () => {
        stop();
        if (stopFollowing) stopFollowing();
      };
    },
    subscriptions: (publish) => new ResourceSubscriptions(services, publish),
    stdioSubscriptions(publish) {
      return new StdioSubscriptions(new ResourceSubscriptions(services, publish));
    },
    onChange,
  };
}

function serveFeatures(surface: Surface, mcp: McpServer, serving: ClientServing): void {
  const { server } = mcp;
  const request = requester(surface, mcp, serving);
  const list = (kind: FeatureKind, cursor: string | undefined, isTemplate = false) => {
    if (cursor !== undefined) {
      throw invalidParams("Invalid params: no such cursor, the list has one page");
    }
    return listByKind(surface.listFeatures(), kind, isTemplate) as never[];
  };
  server.setRequestHandler("prompts/list", ({ params }) => {
    return { prompts: list("prompt", params?.cursor) };
  });
  server.setRequestHandler("resources/list", ({ params }) => {
    return { resources: list("resource", params?.cursor) };
  });
  server.setRequestHandler("resources/templates/list", ({ params }) => {
    return { resourceTemplates: list("resource", params?.cursor, true) };
  });
  server.setRequestHandler("prompts/get", async ({ params }, context) => {
    const { name, arguments: args } = params;
    const result = await request(featureName("prompt", name), args ?? {}, context);
    return isInputRequiredResult(result) ? result : promptOf(result) as never;
  });
  server.setRequestHandler("resources/read", async ({ params: { uri } }, context) => {
    const result = await request(featureName("resource", uri), {}, context, uri);
    return isInputRequiredResult(result) ? result : contentsOf(result, uri) as never;
  });
  server.setRequestHandler("completion/complete", async ({ params }, context) => {
    const { ref, argument, context: others } = params;
    const name = ref.type === "ref/prompt"
      ? featureName("prompt", ref.name)
      : featureName("resource", ref.uri);
    if (!surface.listFeatures().some((tool) => tool.name === name)) {
      throw invalidParams(`Invalid params: ${name} is unknown`);
    }
    const given = others?.arguments === undefined ? {} : { context: others.arguments };
    const args = { name: argument.name, value: argument.value, ...given };
    const result = await request(completionName(name), args, context);
    const found = isInputRequiredResult(result) ? undefined : result.structured;
    return { completion: found ?? { values: [] } } as never;
  });
  server.setRequestHandler("logging/setLevel", ({ params: { level } }) => {
    serving.logs.level = level;
    return {};
  });
}

/** Returns a function that carries out a request for a prompt or resource as a call. It throws if the call fails. */
function requester(surface: Surface, mcp: McpServer, serving: ClientServing) {
  const call: Surface["call"] = (tool, given, options) => {
    return surface.callTool(tool, given, { ...options, forHost: true });
  };
  return async (name: string, args: unknown, context: ServerContext, uri?: string) => {
    const asked = { name, args, context, mcp, logs: serving.logs };
    const result = await serveCall(call, serving, asked);
    if (!isInputRequiredResult(result) && result.isError) throw errorOf(result, uri);
    return result;
  };
}

function listByKind(features: readonly Tool[], kind: FeatureKind, isTemplate: boolean): object[] {
  return features.flatMap(({ feature }) => {
    const fits = feature!.kind === kind && (feature!.isTemplate ?? false) === isTemplate;
    return fits ? [feature!.listed] : [];
  });
}

function promptOf({ content, prompt }: CallResult): object {
  const { description, roles = [] } = prompt ?? {};
  return {
    ...(description === undefined ? {} : { description }),
    messages: content.map((block, at) => ({ role: roles[at] ?? "user", content: block })),
  };
}

function contentsOf({ content }: CallResult, uri: string): object {
  return {
    contents: content.map((block) => {
      if (block.type === "resource") return block.resource;
      return { uri, mimeType: "text/plain", text: textOf({ content: [block] }) };
    }),
  };
}

function errorOf(result: CallResult, uri: string | undefined): ProtocolError {
  const text = textOf(result);
  const { refusedBy, record: { ending } = {} } = result;
  if (uri !== undefined && (refusedBy === "unknown tool" || ending === "not found")) {
    return new ResourceNotFoundError(uri);
  }
  const isOfRequest = refusedBy !== undefined || ending === "refused" || ending === "not found";
  if (isOfRequest) return invalidParams(text);
  return new ProtocolError(ProtocolErrorCode.InternalError, text);
}

function invalidParams(text: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, text);
}

/** Notifies clients if the lists of prompts or resources have changed, but not after a change of tools only. */
function changesOf(context: Pick<CallContext, "catalog" | "index">): FeatureSurface["onChange"] {
  const known = new WeakMap<readonly Tool[], Record<"prompts" | "resources", string>>();
  const textsOf = (features: readonly Tool[]) =>
    known.getOrInsertComputed(features, () => {
      const text = (kind: FeatureKind) => {
        return JSON.stringify([false, true].map((each) => listByKind(features, kind, each)));
      };
      return { prompts: text("prompt"), resources: text("resource") };
    });
  return (listener) => {
    // Each HTTP request subscribes, so the lists are compared only when the catalogue has changed and not at each request
    let before = context.index.features;
    return context.catalog.subscribe(() => {
      const { features } = context.index;
      const [old, now] = [textsOf(before), textsOf(features)];
      before = features;
      const prompts = now.prompts !== old.prompts;
      const resources = now.resources !== old.resources;
      if (prompts || resources) listener({ prompts, resources });
    });
  };
}
