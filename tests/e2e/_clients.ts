/** Clients that are not ours, behind one small interface, so that a test can be run with each. */

import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { deadlineMs } from "../_wait.ts";
import { climaxRun, environment } from "./_server.ts";

/** A tool as `tools/list` has it. */
export interface SeenTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: object;
  readonly outputSchema?: object | undefined;
  readonly annotations?: object | undefined;
}

/** The result of `tools/call`. */
export interface SeenResult {
  readonly text: string;
  readonly isError: boolean;
  /** Further texts, where there are any. */
  readonly beside?: readonly string[];
  /** Structured content, where there is any. */
  readonly structured?: unknown;
}

/** A connected client. */
export interface ConnectedClient extends AsyncDisposable {
  readonly instructions: string | undefined;
  readonly pid: number;
  list(): Promise<readonly SeenTool[]>;
  call(name: string, args?: Record<string, unknown>): Promise<SeenResult>;
}

/** Settings of the server's start. */
export interface ServerSettings {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

type Connect = (args: readonly string[], settings?: ServerSettings) => Promise<ConnectedClient>;

const identity = { name: "climax-tests", version: "1.0.0" };

type Mode = "discovery" | "classic";

/** Clients by a name that says what they speak. Both modes, each in one era: no client knows the mode of a server. */
export const clientsInModes: readonly (readonly [string, Connect, Mode])[] = [
  ["v2 SDK, 2026-07-28", (args, settings) => connectV2("auto", args, settings), "discovery"],
  ["v1 SDK", connectV1, "classic"],
];

/** Calls a tool of the catalogue, as it is done in `mode`. */
export function callerIn(mode: Mode, client: ConnectedClient) {
  return (tool_name: string, args: Record<string, unknown> = {}): Promise<SeenResult> => {
    return mode === "classic"
      ? client.call(tool_name, args)
      : client.call("climax_call", { tool_name, args });
  };
}

/** Returns a function that calls a tool of the catalogue, and returns its text. */
export function textsOf(client: Pick<ConnectedClient, "call">) {
  return async (tool_name: string, args: object = {}): Promise<string> => {
    return (await client.call("climax_call", { tool_name, args })).text;
  };
}

/** One of the clients, for tests that are not about the client. */
export const connect: Connect = (args, settings) => connectV2("legacy", args, settings);

async function connectV2(
  mode: "auto" | "legacy",
  args: readonly string[],
  settings: ServerSettings = {},
): Promise<ConnectedClient> {
  const client = new ClientV2(identity, { versionNegotiation: { mode } });
  const options = { timeout: deadlineMs() };
  const transport = new StdioV2(parameters(args, settings));
  await client.connect(transport, options);
  return {
    instructions: client.getInstructions(),
    pid: transport.pid!,
    list: async () => (await client.listTools(undefined, options)).tools,
    call: async (name, args) => {
      return seen(await client.callTool({ name, ...(args && { arguments: args }) }, options));
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

async function connectV1(
  args: readonly string[],
  settings: ServerSettings = {},
): Promise<ConnectedClient> {
  const client = new ClientV1(identity);
  const options = { timeout: deadlineMs() };
  const transport = new StdioV1(parameters(args, settings));
  await client.connect(transport, options);
  return {
    instructions: client.getInstructions(),
    pid: transport.pid!,
    list: async () => (await client.listTools(undefined, options)).tools,
    call: async (name, args) => {
      const params = { name, ...(args && { arguments: args }) };
      return seen(await client.callTool(params, undefined, options));
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

function parameters(words: readonly string[], { cwd, env }: ServerSettings) {
  const [command, ...args] = climaxRun(...words);
  return { command, args, env: environment(env), ...(cwd && { cwd }) };
}

function seen(
  result: { content?: unknown; isError?: unknown; structuredContent?: unknown },
): SeenResult {
  const blocks = result.content as { type: string; text: string }[];
  if (blocks.length === 0 || blocks.some(({ type }) => type !== "text")) {
    throw new Error(`expected texts, found ${JSON.stringify(result)}`);
  }
  const [first, ...beside] = blocks.map(({ text }) => text);
  const isError = result.isError === true;
  const { structuredContent: structured } = result;
  return {
    text: first!,
    isError,
    ...(beside.length > 0 && { beside }),
    ...(structured !== undefined && { structured }),
  };
}
