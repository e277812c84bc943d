/** Plans calls of the tools of upstream servers. */

import type { Clock } from "../../async/clock.ts";
import type { Environment } from "../../files/expand.ts";
import { setsLoader } from "../../exec/child_environment.ts";
import { neededPrograms } from "../../exec/needed_programs.ts";
import { defaultKeepBytes } from "../../exec/run.ts";
import type { Problem } from "../../errors.ts";
import { type CallResult, textResult } from "../../tool/result.ts";
import {
  argumentStage,
  type Check,
  type ExecutionLocation,
  type Permissions,
  type Plan,
  type PlanOptions,
  type Refusal,
  type Runner,
} from "../../tool/runner.ts";
import type { ArgValue, ArgValues, Tool } from "../../tool/tool.ts";
import { stripControlSequences } from "../../text/control_sequences.ts";
import { excerpt } from "../../text/excerpt.ts";
import { maxProgressLength, progressMs } from "./_bounds.ts";
import { cacheFolder } from "./cache.ts";
import { checkSchema } from "./check_schema.ts";
import type { UpstreamPool } from "./pool.ts";
import { type AnswerBounds, resultOf } from "./result.ts";
import { UpstreamError } from "./error.ts";
import { sandboxNeedsOf } from "./_sandbox.ts";
import { SchemaPatterns } from "./_schema_patterns.ts";
import { sourceOf } from "./source.ts";
import { expandTransport, type ServerSpec, variablesOf } from "./spec.ts";
import { basicVariables } from "../../exec/child_environment.ts";

export interface UpstreamRunnerOptions {
  readonly environment: Environment;
  /** Permissions in addition to those of the servers. */
  readonly also?: Permissions | undefined;
  /** Bytes stored of the start, and as many of the end, of each text. */
  readonly keepBytes?: number | undefined;
  /** Keeps terminal control sequences in results. @default false */
  readonly keepAnsi?: boolean | undefined;
}

export function upstreamRunner(pool: UpstreamPool, options: UpstreamRunnerOptions): Runner {
  const { keepBytes = defaultKeepBytes, keepAnsi = false, environment } = options;
  return {
    alwaysActive: true,
    location: (tool) => locationOf(pool, tool, environment),
    prepare: (tool, values) =>
      planOf(pool, tool, values, {
        keepBytes: tool.keepBytes ?? keepBytes,
        // With a bound of the policy, nothing more is stored
        mayKeep: tool.keepBytes === undefined,
        keepAnsi,
      }),
    permissions: (_tools, { resolve: byPath = false } = {}) =>
      needsOf(specsOf(pool), environment, { byPath, also: options.also ?? {} }),
    check: () => Promise.resolve(checkOf(pool)),
    close: () => pool.close(),
  };
}

function specsOf(pool: UpstreamPool): ServerSpec[] {
  return pool.states.map(({ spec }) => spec);
}

/** A child process resolves relative paths in its directory; other servers have other files. */
function locationOf(pool: UpstreamPool, tool: Tool, environment: Environment): ExecutionLocation {
  const transport = pool.get(sourceOf(tool).server)?.spec.transport;
  if (transport?.kind !== "stdio") return { isElsewhere: true };
  const expanded = expandTransport(transport, environment);
  const directory = expanded.ok ? expanded.value.cwd : undefined;
  return { directory, home: directory };
}

function planOf(
  pool: UpstreamPool,
  tool: Tool,
  values: ArgValues,
  bounds: AnswerBounds,
): Plan | Refusal {
  const { server: name, tool: ownName } = sourceOf(tool);
  const args = withNulls(tool, values);
  const patterns = pool.get(name)?.patterns ?? new SchemaPatterns();
  const reasons = checkSchema(tool.input ?? {}, args, patterns);
  if (reasons.length > 0) {
    // Patterns and values in them come from the server
    return {
      ok: false,
      stage: argumentStage,
      reasons: reasons.map(stripControlSequences),
      rule: "arguments",
    };
  }
  const shown = maskedArgs(tool, args);
  return {
    ok: true,
    // The server does the work
    needsPermit: false,
    preview: {
      record: { server: name, arguments: shown },
      details: { tool: ownName, timeout: tool.timeoutMs / 1000 },
      line: `${name} ${ownName} ${JSON.stringify(shown)}`,
    },
    run: (planOptions) => runPlan(pool, tool, args, { ...planOptions, bounds }),
  };
}

/** The values as an object. A required argument that may be null is null if it is absent. */
function withNulls(tool: Tool, values: ArgValues): Record<string, ArgValue | null> {
  const required = new Set(tool.input?.required ?? []);
  const absent = tool.args
    .filter(({ name, required: isRequired }) =>
      required.has(name) && !isRequired && !values.has(name)
    )
    .map(({ name }) => [name, null] as const);
  return Object.fromEntries([...absent, ...values]);
}

function maskedArgs(
  { args }: Tool,
  values: Readonly<Record<string, ArgValue | null>>,
): Record<string, unknown> {
  const secret = new Set(
    args.filter(({ constraint }) => constraint?.secret).map(({ name }) => name),
  );
  const masked = Object.entries(values).map(([name, value]) => {
    return [name, secret.has(name) ? "***" : value];
  });
  return Object.fromEntries(masked);
}

async function runPlan(
  pool: UpstreamPool,
  tool: Tool,
  args: Readonly<Record<string, ArgValue | null>>,
  { signal, ask, elicitationScope: person, onProgress, bounds }: PlanOptions & {
    readonly bounds: AnswerBounds;
  },
): Promise<CallResult> {
  const { server: name, tool: ownName } = sourceOf(tool);
  const server = pool.get(name);
  if (server === undefined) return textResult(`Server '${name}' was removed`, true);
  try {
    const answer = await server.call({
      definition: { name: ownName, inputSchema: tool.input ?? { type: "object" } },
      args,
      timeoutMs: tool.timeoutMs,
      signal,
      ask,
      elicitationScope: person,
      ...(onProgress === undefined ? {} : { onProgress: throttleProgress(onProgress, pool.clock) }),
    });
    return resultOf(answer, bounds);
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    return { ...textResult(error.firstLine, true), record: { ending: error.kind } };
  }
}

/** Drops progress that does not grow, or comes too soon. */
function throttleProgress(
  onProgress: NonNullable<PlanOptions["onProgress"]>,
  clock: Clock,
): NonNullable<PlanOptions["onProgress"]> {
  let last = -Infinity;
  let lastProgress = -Infinity;
  return (event) => {
    const now = clock.now();
    if (now - last < progressMs || !(event.progress > lastProgress)) return;
    last = now;
    lastProgress = event.progress;
    const { message, ...rest } = event;
    if (message === undefined) onProgress(rest);
    else {
      const shown = stripControlSequences(excerpt(message, maxProgressLength));
      onProgress({ ...rest, message: shown });
    }
  };
}

/** Variables that the `ws` package reads; none has an effect here. */
const socketVariables: readonly string[] = ["WS_NO_BUFFER_UTIL", "WS_NO_UTF_8_VALIDATE"];

async function needsOf(
  specs: readonly ServerSpec[],
  environment: Environment,
  { byPath, also }: { readonly byPath: boolean; readonly also: Permissions },
): Promise<Permissions> {
  const transports = specs.map(({ transport }) => transport);
  const reached = transports.map((transport) => {
    const expanded = expandTransport(transport, environment);
    return expanded.ok ? expanded.value : transport;
  });
  const started = reached.filter((each) => each.kind === "stdio");
  const programs = started.map(({ command: program, env, cwd }) => {
    return { program, env, ...(cwd === undefined ? {} : { workingDir: cwd }) };
  });
  const held = await sandboxNeedsOf(started);
  const cache = cacheFolder();
  return {
    run: started.length === 0
      ? []
      : started.some(({ env }) => setsLoader(env))
      ? "all"
      : await neededPrograms([...programs, ...held.programs], byPath),
    net: [
      ...reached.flatMap((each) => each.kind === "stdio" ? [] : [hostOf(each.url)]),
      ...also.net ?? [],
    ],
    env: [
      ...transports.flatMap(variablesOf),
      ...(started.length === 0 ? [] : basicVariables),
      ...held.env,
      ...(reached.some(({ kind }) => kind === "websocket") ? socketVariables : []),
      ...also.env ?? [],
      ...["CLIMAX_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA", "HOME"],
    ],
    read: [...also.read ?? [], ...(cache ? [cache] : []), ...held.read],
    write: cache ? [cache] : [],
  };
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url;
}

/** The report of `validate`, without the warnings of the load. */
function checkOf(pool: UpstreamPool): Check {
  const problems: Problem[] = [];
  const notes = pool.states.flatMap(({ spec, listing, failure }) => {
    if (failure !== undefined) problems.push({ file: spec.file, message: failure });
    const count = listing?.definitions.length ?? 0;
    return failure === undefined ? [`server '${spec.name}': answers, ${count} tools`] : [];
  });
  return { problems, warnings: [], notes };
}
