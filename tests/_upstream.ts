/** MCP servers to test against: odd ones of our own, and those that somebody else wrote. */

import { join } from "node:path";
import type { ServerSpec } from "../src/sources/upstream/spec.ts";
import { openSession, type Session, type SessionOptions } from "../src/session/session.ts";
import { fixturePath, root } from "./_fixtures.ts";
import { npmProgram } from "./_installed.ts";
import { deadlineMs } from "./_wait.ts";
import { withVariables } from "./_io.ts";
import { scratch } from "./e2e/_scratch.ts";

// What servers define is cached, and no test is to read what another one left in a person's folder
const cache = Deno.makeTempDirSync({ prefix: "climax_test_cache_" });
// Nor is a test to use, or leave, a person's logins
const state = Deno.makeTempDirSync({ prefix: "climax_test_state_" });
withVariables({ CLIMAX_CACHE_DIR: cache, CLIMAX_STATE_DIR: state });
addEventListener("unload", () => {
  for (const folder of [cache, state]) Deno.removeSync(folder, { recursive: true });
});

/** A server as `mcpServers` of a config has it. */
export interface ServerSketch {
  readonly name: string;
  readonly transport: "stdio" | "http" | "websocket";
  readonly [key: string]: unknown;
}

/** The server of `fixtures/upstream/odd_server.ts` in one of its modes. */
export function odd(name: string, ...mode: string[]): ServerSketch {
  return fixtureServer(name, "odd_server.ts", mode);
}

/** The server of `fixtures/upstream/modern_server.ts`; `only` refuses the protocol of 2025. */
export function modern(name: string, ...mode: "only"[]): ServerSketch {
  return fixtureServer(name, "modern_server.ts", mode);
}

/** The server of `fixtures/upstream/feature_server.ts`, with `who` in its texts. */
export function featured(name: string, who = name, mode = ""): ServerSketch {
  return fixtureServer(name, "feature_server.ts", [who, mode]);
}

/** The server of `fixtures/upstream/hostile_features.ts`. */
export function hostileFeatures(name: string, mode = "", timeout = 30): ServerSketch {
  return { ...fixtureServer(name, "hostile_features.ts", [mode]), timeout };
}

/** The server of `fixtures/upstream/path_server.ts`. */
export function pathServer(name: string, ...tools: string[]): ServerSketch {
  return fixtureServer(name, "path_server.ts", tools);
}

function fixtureServer(name: string, file: string, args: readonly string[]): ServerSketch {
  const script = fixturePath("upstream", file);
  const flags = [
    "run",
    "--quiet",
    "--no-check",
    "--allow-all",
    "--config",
    join(root, "deno.json"),
  ];
  return { name, transport: "stdio", command: Deno.execPath(), args: [...flags, script, ...args] };
}

/** `sketch` as the program uses it. */
export function specOf(sketch: ServerSketch, timeoutMs = deadlineMs()): ServerSpec {
  const { name, command, args = [], env = {}, url } = sketch as unknown as {
    name: string;
    command: string;
    args?: string[];
    env?: Record<string, string>;
    url?: string;
  };
  const transport = sketch.transport === "stdio"
    ? { kind: "stdio", command, args, env } as const
    : { kind: sketch.transport, url: url!, headers: {} };
  return { name, transport, timeoutMs, file: "test.json" };
}

const configName = "tamamo-x.config.json";

/** A project's config that names `servers`. */
export function configText(servers: readonly ServerSketch[], rest: object = {}): string {
  const llmProvider = { type: "anthropic", credentialSource: "env-var" };
  const groupingConstraints = { minGroups: 1, minToolsPerGroup: 1 };
  const config = { version: "1.0.0", mcpServers: servers, llmProvider, groupingConstraints };
  return JSON.stringify({ ...config, ...rest }, null, 2);
}

/** A session over `servers`, which asks every one of them, and the folder of its config. */
export async function openServers(
  servers: readonly ServerSketch[],
  options: Partial<SessionOptions> = {},
): Promise<Session & { readonly dir: string }> {
  await using opening = new AsyncDisposableStack();
  const { path: dir } = opening.use(await scratch({ [configName]: configText(servers) }));
  const mcp = [join(dir, configName)];
  const session = await openSession({ configs: [], askServers: true, ...options, mcp });
  opening.use({ [Symbol.asyncDispose]: session.close });
  const opened = opening.move();
  return Object.assign(session, { dir, [Symbol.asyncDispose]: () => opened.disposeAsync() });
}

/** Calls `use` with what {@linkcode openServers} opens, and closes it. */
export async function withServers(
  servers: readonly ServerSketch[],
  use: (session: Session, dir: string) => Promise<void>,
  options?: Partial<SessionOptions>,
): Promise<void> {
  await using session = await openServers(servers, options);
  await use(session, session.dir);
}

const packages = {
  everything: "@modelcontextprotocol/server-everything@2026.8.31",
  filesystem: "@modelcontextprotocol/server-filesystem@2026.8.31",
  memory: "@modelcontextprotocol/server-memory@2026.8.31",
} as const;

/** The command of a server from npm, which is installed once for all tests of this machine. */
export async function npmServer(name: keyof typeof packages): Promise<string> {
  const set = "servers-2026.8.31";
  return await npmProgram(set, Object.values(packages), `mcp-server-${name}`);
}
