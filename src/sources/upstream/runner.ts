/** Plans calls of the tools of upstream servers. */

import type { Clock } from "../../async/clock.ts";
import type { Environment } from "../../files/expand.ts";
import { defaultKeepBytes } from "../../exec/invocation.ts";
import type { Problem } from "../../errors.ts";
import { type CallResult, textResult } from "../../tool/result.ts";
import {
  argumentStage,
  type Caller,
  type Check,
  type ExecutionLocation,
  type Plan,
  type Refusal,
  type Runner,
  type SandboxRecord,
} from "../../tool/runner.ts";
import type { ArgValue, ArgValues, Tool } from "../../tool/tool.ts";
import { excerpt } from "../../text/excerpt.ts";
import { plural } from "../../text/plural.ts";
import { maxProgressLength, progressMs } from "./_bounds.ts";
import { cacheFolder, loginsFolder } from "../../process/folders.ts";
import { takesLogin } from "./login/login.ts";
import { checkSchema } from "../../tool/check_schema.ts";
import { cleanText } from "./_clean_texts.ts";
import type { UpstreamPool } from "./pool.ts";
import type { UpstreamServer } from "./server.ts";
import { type AnswerOptions, resultOfServer, type ServerAnswer } from "./result.ts";
import { makeServedLink } from "./addresses.ts";
import { UpstreamError } from "./error.ts";
import { expandTransport, upstreamSourceOf } from "./spec.ts";
import { maskValues } from "../../tool/value.ts";
import { transportHash } from "./lock.ts";
import { canonicalJson } from "../../text/own_property.ts";
import { sha256 } from "../../text/hash.ts";

export interface UpstreamRunnerOptions {
  readonly environment: Environment;
  readonly embeds?: boolean | undefined;
  readonly keepBytes?: number | undefined;
}

export function upstreamRunner(pool: UpstreamPool, options: UpstreamRunnerOptions): Runner {
  const { keepBytes = defaultKeepBytes, environment } = options;
  const links = (server: string) => {
    return makeServedLink(server, pool.addresses, () => {
      const own = pool.defined.find(({ spec }) => spec.name === server);
      return new Set(own?.features?.resources.map(({ uri }) => uri));
    });
  };
  return {
    alwaysActive: true,
    sandbox: (tool) => sandboxOf(pool, upstreamSourceOf(tool).server),
    location: (tool) => locationOf(pool, tool, environment),
    prepare: (tool, values) =>
      planOf(pool, tool, values, {
        keepBytes: tool.keepBytes ?? keepBytes,
        // If a policy bounds the output of a tool, the whole output is not stored: an agent could read all of it
        mayKeep: tool.keepBytes === undefined,
        served: links(upstreamSourceOf(tool).server),
      }),
    permissions: () => {
      const specs = pool.states.map(({ spec }) => spec);
      const isRemote = specs.some(({ transport }) => transport.kind !== "stdio");
      const hasLogins = specs.some(takesLogin) && loginsFolder() !== undefined;
      return {
        net: isRemote || options.embeds === true,
        write: hasLogins || cacheFolder() !== undefined,
      };
    },
    check: () => Promise.resolve(checkOf(pool)),
    close: () => pool.close(),
  };
}

function locationOf(pool: UpstreamPool, tool: Tool, environment: Environment): ExecutionLocation {
  const transport = pool.get(upstreamSourceOf(tool).server)?.spec.transport;
  if (transport?.kind !== "stdio") return { isElsewhere: true };
  if (transport.cwd === undefined) return {};
  const expanded = expandTransport(transport, environment);
  const directory = expanded.ok ? expanded.value.cwd : undefined;
  return { directory, home: directory };
}

async function planOf(
  pool: UpstreamPool,
  tool: Tool,
  values: ArgValues,
  bounds: AnswerOptions,
): Promise<Plan | Refusal> {
  const { server: name, tool: ownName, request = "tool" } = upstreamSourceOf(tool);
  if (request !== "tool") {
    const server = pool.get(name);
    if (server === undefined) {
      return { ok: false, stage: "Plan", reasons: [removed(name)], rule: "removed server" };
    }
    const { featurePlan } = await import("./feature_plan.ts");
    const plan = featurePlan(tool, values, {
      name,
      withServer: (caller, work) => withServer(pool, name, caller, work),
      bounds,
    });
    return { ...plan, identity: identityOf(pool, tool) };
  }
  const args = withNulls(tool, values);
  const reasons = checkSchema(tool.input ?? {}, args);
  if (reasons.length > 0) {
    // A reason may quote the server's schema, so its hidden characters are made visible
    return { ok: false, stage: argumentStage, reasons: reasons.map(cleanText), rule: "arguments" };
  }
  const shown = maskValues(tool, Object.entries(args));
  const sandbox = sandboxOf(pool, name);
  return {
    ok: true,
    identity: identityOf(pool, tool),
    // A call takes no permit of this machine, since the server does the work and limits it
    needsPermit: false,
    preview: {
      record: { server: name, arguments: shown, ...(sandbox === undefined ? {} : { sandbox }) },
      details: { tool: ownName, timeout: tool.timeoutMs / 1000 },
      saidBy: name,
      get line() {
        return `${name} ${ownName} ${JSON.stringify(shown)}`;
      },
    },
    run: (caller) =>
      withServer(pool, name, caller, async (server) => {
        const answer = await server.call({
          definition: { name: ownName, inputSchema: tool.input ?? { type: "object" } },
          args,
          timeoutMs: tool.timeoutMs,
          caller: { ...caller, onProgress: throttleProgress(caller.onProgress, pool.clock) },
        });
        return resultOfServer(answer as ServerAnswer, bounds);
      }),
  };
}

/** Returns a function that hashes a server's command or address, and a tool: approvals hold only for this hash. */
function identityOf(pool: UpstreamPool, tool: Tool): () => string {
  const spec = pool.get(upstreamSourceOf(tool).server)?.spec;
  const { description, input, annotations } = tool;
  return () => {
    const definition = [description, input ?? null, annotations ?? null];
    return sha256(canonicalJson([spec === undefined ? null : transportHash(spec), definition]));
  };
}

function sandboxOf(pool: UpstreamPool, name: string): SandboxRecord | undefined {
  const transport = pool.states.find(({ spec }) => spec.name === name)?.spec.transport;
  if (transport?.kind !== "stdio" || transport.sandbox === undefined) return undefined;
  const { write = ["."], read, hide, network = "none" } = transport.sandbox;
  return {
    write,
    ...(read === undefined || read.includes("/") ? {} : { read }),
    ...(hide === undefined || hide.length === 0 ? {} : { hide }),
    network,
  };
}

function removed(name: string): string {
  return `Server '${name}' was removed`;
}

/** Returns the values as an object. A required argument without a value becomes null if its schema allows null. */
function withNulls(tool: Tool, values: ArgValues): Record<string, ArgValue | null> {
  const isNullable = (name: string) => {
    return tool.args.some((arg) => arg.name === name && !arg.required);
  };
  const absent = (tool.input?.required ?? [])
    .filter((name) => !values.has(name) && isNullable(name))
    .map((name) => [name, null] as const);
  return Object.fromEntries([...absent, ...values]);
}

async function withServer(
  pool: UpstreamPool,
  name: string,
  { owner }: Caller,
  work: (server: UpstreamServer) => Promise<CallResult>,
): Promise<CallResult> {
  try {
    const server = pool.forCall(name, owner);
    return server ? await work(server) : textResult(removed(name), true);
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    return { ...textResult(error.firstLine, true), record: { ending: error.kind } };
  }
}

function throttleProgress(onProgress: Caller["onProgress"], clock: Clock): Caller["onProgress"] {
  if (onProgress === undefined) return undefined;
  let last = -Infinity;
  let lastProgress = -Infinity;
  return (event) => {
    const now = clock.now();
    if (now - last < progressMs || !(event.progress > lastProgress)) return;
    last = now;
    lastProgress = event.progress;
    const { message, ...rest } = event;
    const shown = message && cleanText(excerpt(message, maxProgressLength));
    onProgress(shown ? { ...rest, message: shown } : rest);
  };
}

function checkOf(pool: UpstreamPool): Check {
  const problems: Problem[] = [];
  const notes = pool.states.flatMap(({ spec, listing, failure }) => {
    if (failure !== undefined) problems.push({ file: spec.file, message: failure });
    if (failure !== undefined) return [];
    const { prompts = [], resources = [], templates = [] } = listing?.features ?? {};
    const counts = [
      plural(listing?.definitions.length ?? 0, "tool"),
      ...(prompts.length > 0 ? [plural(prompts.length, "prompt")] : []),
      ...(resources.length > 0 ? [plural(resources.length, "resource")] : []),
      ...(templates.length > 0 ? [plural(templates.length, "resource template")] : []),
    ];
    return [`server '${spec.name}': answers, ${counts.join(", ")}`];
  });
  return { problems, warnings: [], notes };
}
