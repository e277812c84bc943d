/** A server of the programs in `tests/fixtures/bin`, and requests that are not waited for. */

import { join } from "node:path";
import { textIn, until } from "../_wait.ts";
import { RawServer } from "./_raw.ts";
import { climax, environment, root, scaledFixture } from "./_server.ts";
import { spawn } from "../_run.ts";

/** The one program that all tools of `mess.yaml` run. */
export const mess: string = join(root, "tests", "fixtures", "bin", "mess");

const messConfig = scaledFixture("mess.yaml");

/** Settings of the server's start. */
export interface MessSettings {
  readonly args?: readonly string[];
  /** Permissions of Deno; the server then runs from its sources. */
  readonly permissions?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly config?: string;
  /** Most files that the server may have open. */
  readonly openFiles?: number;
}

/** Starts the server, without a handshake. */
export function spawnMess(settings: MessSettings = {}): Deno.ChildProcess {
  const { args = [], permissions, config = messConfig, openFiles } = settings;
  const env = { ...environment({ MESS: mess }), ...settings.env };
  const words = ["run", config, ...args];
  const server: [string, ...string[]] = permissions === undefined
    ? climax(...words)
    : [Deno.execPath(), "run", "--no-prompt", ...permissions, join(root, "main.ts"), ...words];
  const limit = ["sh", "-c", `ulimit -n ${openFiles} && exec "$0" "$@"`] as const;
  return spawn(openFiles === undefined ? server : [...limit, ...server], { env });
}

/** A server that has greeted its client. */
export async function startMess(settings: MessSettings = {}): Promise<RawServer> {
  const server = new RawServer(spawnMess(settings));
  await server.initialize();
  return server;
}

/** The answer of a call. */
export interface Answer {
  readonly text: string;
  readonly isError: boolean;
}

/** Calls a tool and waits for the answer. */
export async function callMess(
  server: RawServer,
  tool_name: string,
  args: Record<string, unknown> = {},
): Promise<Answer> {
  return await server.call("climax_call", { tool_name, args });
}

/** Calls a tool under `id` and waits for nothing. */
export async function sendCall(
  server: RawServer,
  id: string,
  tool_name: string,
  args: Record<string, unknown> = {},
): Promise<void> {
  const params = { name: "climax_call", arguments: { tool_name, args } };
  await server.send({ id, method: "tools/call", params });
}

/** The text of the answer to the call that was sent under `id`. */
export async function answerTo(server: RawServer, id: string): Promise<string> {
  return (await server.message((message) => message.id === id)).result.content[0].text;
}

/** Ids of everything that was answered so far. */
export function answered(server: RawServer): unknown[] {
  return server.lines.map((line) => JSON.parse(line)).filter((message) => "id" in message)
    .map(({ id }) => id);
}

/** The process ids that a program printed, by the word before them. */
export function idsIn(text: string): Record<string, number> {
  const found = text.matchAll(/^([a-z]+) (\d+)$/gm);
  return Object.fromEntries([...found].map(([, name, pid]) => [name!, Number(pid)]));
}

/** Waits until a program has written `count` process ids to `file`. */
export async function idsFrom(file: string, count: number): Promise<number[]> {
  return await until(() => {
    const ids = Object.values(idsIn(textIn(file) ?? ""));
    return ids.length === count && ids;
  }, `${count} process ids in ${file}`);
}
