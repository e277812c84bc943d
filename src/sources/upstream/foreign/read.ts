/** Reads servers in other clients' formats into that of climax. Nothing is dropped without a word. */

import { dirname, join, resolve } from "node:path";
import { describeIssues } from "../../../files/issues.ts";
import { io, systemPath } from "../../../io.ts";
import { homeFolders } from "../../../process/folders.ts";
import { isClimax } from "../../../process/own_command.ts";
import { isObject } from "../../../text/own_property.ts";
import { type ServerFile, serverProblems, serverSchema } from "../schema.ts";
import { type Dialect, ownDialect } from "./dialects.ts";
import { type Draft, readKeys } from "./keys.ts";
import { translatorOf } from "./references.ts";
import type { ClientSettings } from "./settings.ts";

/** A server of another client's file. */
interface ForeignServer {
  /** Absent: it is switched off or cannot be used, for `reason`. */
  readonly server?: ServerFile;
  readonly reason?: string;
  /** Sentences on what climax does not use and need not. */
  readonly notes: readonly string[];
  /** Sentences on what may make it another server behind climax. */
  readonly warnings: readonly string[];
}

interface ForeignOptions {
  readonly dialect: Dialect;
  /** The folder of the project; absent: what refers to it is unknown. */
  readonly root?: string | undefined;
  /** Tells what the settings of the client say about its servers. */
  readonly say?: ClientSettings | undefined;
}

/** Reads one server. */
export function readForeignServer(
  name: string,
  written: unknown,
  { dialect, root, say }: ForeignOptions,
): ForeignServer {
  if (!isObject(written)) return { reason: "it is not a server", notes: [], warnings: [] };
  const own = dialect === ownDialect ? ownServer(name, written) : undefined;
  if (own !== undefined) return { server: own, notes: [], warnings: [] };
  const referring = { env: {}, headers: {} };
  const draft: Draft = { dialect, server: {}, referring, isOff: false, unused: [], unknown: [] };
  readKeys(written, draft);
  const words = say?.(name, written) ?? [];
  const off = words.find(({ isOff }) => isOff);
  const reason = off !== undefined
    ? `it is switched off in ${off.place}`
    : draft.isOff
    ? "it is switched off"
    : draft.reason;
  const read = reason ?? serverOf(name, draft, root);
  const { unused, unknown } = draft;
  return {
    ...(typeof read === "string" ? { reason: read } : { server: read.server }),
    notes: unused.length === 0 ? [] : [`climax does not use ${quoted(unused)}`],
    warnings: [
      ...typeof read === "string" ? [] : read.warnings,
      ...unknown.length === 0 ? [] : [`climax does not know ${quoted(unknown)}`],
      ...words.map(({ place }) => `${place} says more about it`),
    ],
  };
}

/** Returns a server that is written as climax writes it; `undefined` for another one. */
function ownServer(name: string, written: Readonly<Record<string, unknown>>) {
  const transport = written["url"] === undefined ? "stdio" : "http";
  const parsed = serverSchema.safeParse({ name, transport, ...written });
  return parsed.success && serverProblems(parsed.data, []).length === 0 ? parsed.data : undefined;
}

function quoted(keys: readonly string[]): string {
  return keys.map((key) => `'${key}'`).join(", ");
}

/** Returns the server with the warnings about its references, or why it cannot be used. */
function serverOf(name: string, draft: Draft, root: string | undefined) {
  const { command, args = [], env, cwd, url, headers, ...more } = draft.server;
  const isStarted = !!command && (url === undefined || draft.kind === "stdio");
  if (!isStarted && !url) return "expected 'command' or 'url', found neither";
  if (isStarted ? url !== undefined : command) draft.unused.push(isStarted ? "url" : "command");
  const line = isStarted ? wordsOf(command, args) : [];
  if (line === undefined) return "'command' is a command line for a shell";
  const folder = translatorOf(draft.dialect, root);
  const at = cwd === undefined ? undefined : folder.translate(cwd, true);
  const { translate, unknown, warnings } = translatorOf(draft.dialect, root, at);
  const putAll = (record: Readonly<Record<string, string>> = {}) =>
    Object.fromEntries(Object.entries(record).map(([key, text]) => [key, translate(text)]));
  const isSocket = draft.kind === "websocket" || /^wss?:/i.test(url ?? "");
  const reach = isStarted
    ? {
      transport: "stdio",
      command: translate(line[0]!, true),
      args: line.slice(1).map((word) => translate(word)),
      env: { ...putAll(env), ...draft.referring.env },
      cwd: at,
    }
    : {
      transport: isSocket ? "websocket" : "http",
      url: translate(isSocket ? url!.replace(/^http/i, "ws") : url!),
      headers: { ...putAll(headers), ...draft.referring.headers },
    };
  const auth = more.auth && Object.entries(more.auth).map(([key, each]) => {
    return [key, typeof each === "string" ? translate(each) : each];
  });
  const [reference] = [...folder.unknown, ...unknown];
  if (reference !== undefined) return `climax does not know what '${reference}' is`;
  const all = { name, ...reach, ...more, auth: auth && Object.fromEntries(auth) };
  // An empty list of tools says that none is served
  const said = Object.entries(all).filter(([key, value]) => {
    if (typeof value !== "object") return value !== undefined;
    return key === "tools" || Object.keys(value).length > 0;
  });
  const parsed = serverSchema.safeParse(Object.fromEntries(said), { reportInput: true });
  if (!parsed.success) return describeIssues(parsed.error.issues, serverSchema)[0]!.message;
  const [problem] = serverProblems(parsed.data, []);
  if (problem !== undefined) return problem.message;
  if (isClimax(line)) return "it is climax itself";
  return { server: parsed.data, warnings: [...warnings] };
}

/** Returns the words of a server's command line; `undefined` for one that needs a shell. */
function wordsOf(command: string, args: readonly string[]): readonly string[] | undefined {
  // The name of a program has no blank, a path may have some
  const [first = ""] = command.split(/\s/);
  if (args.length > 0 || first === command || /[/\\"']/.test(first)) return [command, ...args];
  if (/[;&|<>`$()*?]/.test(command)) return undefined;
  return [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map((match) =>
    match[1] ?? match[2] ?? match[3]!
  );
}

/** Returns the folder of the project that the file at `path` is for; `undefined` for a file of a person. */
export function projectOf(path: string, { depth = 0 }: Dialect): string | undefined {
  const root = join(dirname(path), ...Array(depth).fill(".."));
  const home = homeFolders()?.home;
  const isHome = depth > 0 && home !== undefined && resolve(systemPath(root)) === resolve(home);
  return isHome && resolve(home) !== io().cwd() ? undefined : root;
}
