/** Serves prompts and resources to clients. Each request is carried out like a call: policy, audit log, bounds. */

import {
  type InputRequiredResult,
  isInputRequiredResult,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { CallContext, FeatureServices } from "../call/context.ts";
import {
  completionName,
  type FeatureKind,
  featureName,
  skillName,
  skillsExtension,
} from "../tool/feature.ts";
import { type CallResult, textOf } from "../tool/result.ts";
import type { Tool } from "../tool/tool.ts";
import { type ClientServing, logSdkError, paramsOf, serveCall } from "./requests.ts";
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
      // A server for one request has no connection for notifications
      resources: { listChanged: true, ...(connection === "request" ? {} : { subscribe: true }) },
      completions: {},
      logging: {},
      // Skills over MCP extend revision 2026-07-28 only
      ...(connection === "streams" ? { extensions: { [skillsExtension]: {} } } : {}),
    }),
    serve(surface, mcp, { connection, ...serving }) {
      const handlers = new FeatureHandlers(surface, mcp, serving);
      const stop = handlers.register(onChange);
      if (connection === "streams") handlers.registerSkills();
      const stopFollowing = connection === "connection"
        ? serveSubscriptions(mcp, services, serving)
        : () => {};
      return () => {
        stop();
        stopFollowing();
      };
    },
    subscriptions: (publish) => new ResourceSubscriptions(services, publish),
    stdioSubscriptions(publish) {
      return new StdioSubscriptions(new ResourceSubscriptions(services, publish));
    },
    onChange,
  };
}

/** Not cached: a client asks again when the digest of a skill does not match its files. */
const skillCache = { ttlMs: 0, cacheScope: "private" } as const;

class FeatureHandlers {
  readonly #surface: Surface;
  readonly #mcp: McpServer;
  readonly #serving: ClientServing;

  constructor(surface: Surface, mcp: McpServer, serving: ClientServing) {
    this.#surface = surface;
    this.#mcp = mcp;
    this.#serving = serving;
  }

  /** Registers the handlers of prompts and resources. Returns a function that ends the notifications. */
  register(onChange: FeatureSurface["onChange"]): () => void {
    const { server } = this.#mcp;
    server.setRequestHandler("prompts/list", ({ params }) => {
      return { prompts: this.#list("prompt", params) as never[] };
    });
    server.setRequestHandler("resources/list", ({ params }) => {
      return { resources: this.#list("resource", params) as never[] };
    });
    server.setRequestHandler("resources/templates/list", ({ params }) => {
      return { resourceTemplates: this.#list("resource", params, true) as never[] };
    });
    server.setRequestHandler("prompts/get", async ({ params }, context) => {
      const { name, arguments: args } = params;
      const result = await this.#request(featureName("prompt", name), args ?? {}, context);
      return isInputRequiredResult(result) ? result : promptOf(result) as never;
    });
    server.setRequestHandler("resources/read", async ({ params: { uri } }, context) => {
      const result = await this.#request(featureName("resource", uri), {}, context, uri);
      return isInputRequiredResult(result) ? result : contentsOf(result, uri) as never;
    });
    server.setRequestHandler("completion/complete", async ({ params }, context) => {
      return { completion: await this.#complete(params, context) } as never;
    });
    server.setRequestHandler("logging/setLevel", ({ params: { level } }) => {
      this.#serving.logs.level = level;
      return {};
    });
    return onChange(({ prompts, resources }) => {
      const ignore = (error: unknown) => logSdkError("protocol", error);
      if (prompts) server.sendPromptListChanged().catch(ignore);
      if (resources) server.sendResourceListChanged().catch(ignore);
    });
  }

  /** Registers the handlers of skills over MCP (`io.modelcontextprotocol/skills`), whose files are resources. */
  registerSkills(): void {
    const { server } = this.#mcp;
    server.setRequestHandler("skills/list", { params: listParams }, ({ cursor }) => {
      if (cursor !== undefined) {
        throw invalidParams("Invalid params: no such cursor, the list of skills has one page");
      }
      const skills = this.#surface.listFeatures().flatMap(({ feature }) => feature?.skill ?? []);
      return { skills, ...skillCache };
    });
    server.setRequestHandler("skills/get", { params: getParams }, async ({ uri }, context) => {
      const result = await this.#request(skillName(uri), {}, context);
      const entry = isInputRequiredResult(result) ? undefined : result.structured;
      if (entry === undefined) {
        throw invalidParams(`Invalid params: no skill is served at ${uri}`);
      }
      return { ...entry, ...skillCache };
    });
  }

  #list(
    kind: FeatureKind,
    params: { readonly cursor?: string | undefined } | undefined,
    isTemplate = false,
  ): object[] {
    if (params?.cursor !== undefined) {
      throw invalidParams("Invalid params: no such cursor, the list has one page");
    }
    return listByKind(this.#surface.listFeatures(), kind, isTemplate);
  }

  async #complete(
    { ref, argument, context: others }: {
      readonly ref: { readonly type: string; readonly name?: string; readonly uri?: string };
      readonly argument: { readonly name: string; readonly value: string };
      readonly context?: { readonly arguments?: Record<string, string> | undefined } | undefined;
    },
    context: ServerContext,
  ): Promise<object> {
    const name = ref.type === "ref/prompt"
      ? featureName("prompt", ref.name ?? "")
      : featureName("resource", ref.uri ?? "");
    if (!this.#surface.listFeatures().some((tool) => tool.name === name)) {
      throw invalidParams(`Invalid params: ${name} is unknown`);
    }
    const given = others?.arguments === undefined ? {} : { context: others.arguments };
    const args = { name: argument.name, value: argument.value, ...given };
    const result = await this.#request(completionName(name), args, context);
    return isInputRequiredResult(result) ? { values: [] } : result.structured ?? { values: [] };
  }

  /** Carries out a request as a call. @throws {ProtocolError} if it is refused or fails */
  async #request(
    name: string,
    args: unknown,
    context: ServerContext,
    uri?: string,
  ): Promise<CallResult | InputRequiredResult> {
    const asked = { name, args, context, mcp: this.#mcp, logs: this.#serving.logs };
    const call: Surface["call"] = (tool, given, options) => {
      return this.#surface.callTool(tool, given, { ...options, forHost: true });
    };
    const result = await serveCall(call, this.#serving, asked);
    if (!isInputRequiredResult(result) && result.isError) throw errorOf(result, uri);
    return result;
  }
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

/** Makes the contents of a resource. Texts that were truncated together have become one block. */
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
  const ending = result.record?.ending;
  if (uri !== undefined && (result.refusedBy === "unknown tool" || ending === "not found")) {
    return new ResourceNotFoundError(uri);
  }
  const isOfRequest = result.refusedBy !== undefined || ending === "refused" ||
    ending === "not found";
  return isOfRequest
    ? invalidParams(text)
    : new ProtocolError(ProtocolErrorCode.InternalError, text);
}

function invalidParams(text: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, text);
}

/** Notifies of changes of prompts and resources, and not of changes of tools only. */
function changesOf(context: Pick<CallContext, "catalog" | "index">): FeatureSurface["onChange"] {
  const known = new WeakMap<readonly Tool[], Record<"prompts" | "resources", string>>();
  const toTexts = (features: readonly Tool[]) => {
    const text = (kind: FeatureKind) => {
      return JSON.stringify([listByKind(features, kind, false), listByKind(features, kind, true)]);
    };
    return { prompts: text("prompt"), resources: text("resource") };
  };
  const textsOf = (features: readonly Tool[]) => known.getOrInsertComputed(features, toTexts);
  return (listener) => {
    // Each HTTP request subscribes and few are notified, so the lists are compared only when the catalogue changes
    let before = context.index.features;
    return context.catalog.subscribe(() => {
      const { features } = context.index;
      const [old, now] = [textsOf(before), textsOf(features)];
      const changed = {
        prompts: now.prompts !== old.prompts,
        resources: now.resources !== old.resources,
      };
      before = features;
      if (changed.prompts || changed.resources) listener(changed);
    });
  };
}

const listParams = paramsOf<{ readonly cursor?: string }>((value) => {
  const cursor = (value as { cursor?: unknown } | null | undefined)?.cursor;
  return cursor === undefined ? {} : typeof cursor === "string" ? { cursor } : undefined;
}, "'cursor' must be a string");

const getParams = paramsOf<{ readonly uri: string }>((value) => {
  const uri = (value as { uri?: unknown } | null | undefined)?.uri;
  return typeof uri === "string" ? { uri } : undefined;
}, "'uri' must be the address of a SKILL.md");
