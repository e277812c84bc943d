/**
 * Converts servers in the formats of other clients to that of climax. Keys that are missing from the table of keys are
 * reported, so that none is lost in silence.
 */

import { dirname, join, resolve } from "node:path";
import { describeIssues } from "../../../files/issues.ts";
import { io, systemPath } from "../../../io.ts";
import { homeFolders } from "../../../process/folders.ts";
import { isClimax } from "../../../process/own_command.ts";
import { isObject } from "../../../text/own_property.ts";
import { type ServerFile, serverProblems, serverSchema } from "../schema.ts";
import { type Dialect, ownDialect, translatorOf } from "./dialects.ts";
import type { ClientSettings } from "./settings.ts";

interface ForeignServer {
  /** The server in climax's format; absent if it is switched off or cannot be used, as `reason` says. */
  readonly server?: ServerFile;
  readonly reason?: string;
  /** Sentences about keys that climax ignores without any difference for the server. */
  readonly notes: readonly string[];
  /** Sentences about how the server may behave differently if climax starts it. */
  readonly warnings: readonly string[];
}

interface ForeignOptions {
  readonly dialect: Dialect;
  /** The folder of the project; if absent, references to that folder are unknown. */
  readonly root?: string | undefined;
  /** Returns what other settings of the client say about a server, such as that it is off. */
  readonly say?: ClientSettings | undefined;
}

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

/** Returns a server that is written in climax's own format; `undefined` for any other server. */
function ownServer(name: string, written: Readonly<Record<string, unknown>>) {
  const transport = written["url"] === undefined ? "stdio" : "http";
  const parsed = serverSchema.safeParse({ name, transport, ...written });
  return parsed.success && serverProblems(parsed.data, []).length === 0 ? parsed.data : undefined;
}

function quoted(keys: readonly string[]): string {
  return keys.map((key) => `'${key}'`).join(", ");
}

/** Returns the server with warnings about its references, or the reason why climax cannot use it. */
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
  // An empty list of tools stays: it says that no tool is served
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

/** Returns the words of a server's command line; `undefined` if only a shell could read it. */
function wordsOf(command: string, args: readonly string[]): readonly string[] | undefined {
  // A command with blanks is one path if its first word has a slash or quote; else it is a command line
  const [first = ""] = command.split(/\s/);
  if (args.length > 0 || first === command || /[/\\"']/.test(first)) return [command, ...args];
  if (/[;&|<>`$()*?]/.test(command)) return undefined;
  return [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map((match) =>
    match[1] ?? match[2] ?? match[3]!
  );
}

/** Returns the folder of the project that the file at `path` is for; `undefined` for the file of a person. */
export function projectOf(path: string, { depth = 0 }: Dialect): string | undefined {
  const root = join(dirname(path), ...Array(depth).fill(".."));
  const home = homeFolders()?.home;
  const isHome = depth > 0 && home !== undefined && resolve(systemPath(root)) === resolve(home);
  return isHome && resolve(home) !== io().cwd() ? undefined : root;
}

/** A server while its keys are read: in climax's own format, except for its references and transport. */
export interface Draft {
  readonly dialect: Dialect;
  readonly server: { -readonly [Key in keyof ServerFile]?: ServerFile[Key] };
  /** Environment variables and headers whose values are references to variables, in climax's syntax. */
  readonly referring: Readonly<Record<"env" | "headers", Record<string, string>>>;
  isOff: boolean;
  /** The kind of transport that the file names. */
  kind?: "stdio" | "http" | "websocket";
  /** Known keys that climax does not need: the server works the same without them. */
  readonly unused: string[];
  readonly unknown: string[];
  /** Why the server cannot be used: without this key it would work differently. */
  reason?: string;
}

/** Puts a value into the draft; returns false if climax has nothing like it, and "unused" if it needs no such key. */
type Meaning = (value: unknown, draft: Draft) => boolean | "unused" | void;

const isText = (value: unknown): value is string => typeof value === "string";
const isWord = (value: unknown) => isText(value) || typeof value === "number";
const isEmpty = (value: unknown) =>
  value === false || typeof value === "object" && Object.keys(Object(value)).length === 0;

const unused: Meaning = (value) => isEmpty(value) || "unused";

const command: Meaning = (value, { server }) => {
  const [first, ...words] = [value].flat();
  if (!isText(first) || !words.every(isText)) return false;
  server.command = first;
  server.args = [...words, ...server.args ?? []];
};

const args: Meaning = (value, { server }) => {
  if (!Array.isArray(value) || !value.every(isWord)) return false;
  server.args = [...server.args ?? [], ...value.map(String)];
};

const text = (key: "url" | "cwd"): Meaning => (value, { server }) => {
  if (!isText(value)) return false;
  server[key] = value;
};

const record = (key: "env" | "headers"): Meaning => (value, { server }) => {
  if (!isObject(value)) return isEmpty(value);
  const entries = Object.entries(value).filter(([, each]) => each !== null);
  server[key] = {
    ...server[key],
    ...Object.fromEntries(entries.map(([name, each]) => [name, String(each)])),
  };
  return entries.every(([, each]) => typeof each !== "object");
};

/** Reads the variables that the client passes on: names, or `{ name, source }` with a source on this machine or not. */
const passedOn: Meaning = (value, { referring }) => {
  const names = [value].flat().map((each) =>
    isObject(each) && (each["source"] ?? "local") === "local" ? each["name"] : each
  );
  for (const name of names) referring.env[String(name)] = `\${${name}}`;
  return names.every(isText);
};

const namedHeaders: Meaning = (value, { referring }) => {
  const entries = Object.entries(Object(value));
  for (const [header, name] of entries) referring.headers[header] = `\${${name}}`;
  return entries.every(([, name]) => isText(name));
};

const bearer: Meaning = (value, { referring }) => {
  referring.headers["Authorization"] = `Bearer \${${value}}`;
  return isText(value);
};

const kind: Meaning = (value, draft) => {
  const word = String(value).toLowerCase().replace(/[\s_-]/g, "");
  const isStarted = /^(?:stdio|local|process|command)$/.test(word);
  const isSocket = /^(?:wss?|websocket)$/.test(word);
  draft.kind = isStarted ? "stdio" : isSocket ? "websocket" : "http";
  return isStarted || isSocket || /^(?:https?|sse|streamablehttp|httpstream|remote)$/.test(word);
};

const switchOf = (on: boolean): Meaning => (value, draft) => {
  draft.isOff ||= value !== on;
};

/** Reads a list of served or excluded tools. In Gemini CLI, `tool(arguments)` is a name, and both lists apply. */
const tools = (isServed: boolean): Meaning => (value, { server }) => {
  if (!Array.isArray(value) || !value.every(isText)) return false;
  if (!isServed && value.length === 0) return;
  const names = value.map((name) => name.endsWith(")") ? name.split("(", 1)[0]! : name);
  const isException = (each: string) => each.startsWith("!");
  const { tools: before = ["*"] } = server;
  const after = isServed
    ? before.flatMap((each) => {
      if (each === "*") return names;
      return isException(each) || names.includes(each) ? [each] : [];
    })
    : [...before, ...names.map((name) => `!${name}`)];
  server.tools = after.every(isException) ? [] : after;
};

/** Reads a list of the served tools, or a map with a setting for each tool. */
const toolTable: Meaning = (value, draft) => {
  if (!isObject(value)) return tools(true)(value, draft);
  const isOff = (each: unknown) => each === false || isObject(each) && each["enabled"] === false;
  const rest = Object.entries(value).filter(([, each]) => !isOff(each));
  const off = Object.keys(value).filter((name) => isOff(value[name]));
  tools(false)(off, draft);
  if (rest.some(([, each]) => !isApproval(each))) return false;
  return rest.some(([, each]) => isObject(each)) ? "unused" : true;
};

/** Returns whether `value` lets the client run a tool without asking. climax ignores it: its own policy decides. */
function isApproval(value: unknown): boolean {
  if (isObject(value)) return Object.values(value).every(isApproval);
  return value === true || isText(value) && /^(?:auto|approve|allow|always|never)/i.test(value);
}

/** Reads the timeout of a call; `unit` is how many units of the value make a second. */
const timeout = (unit?: number): Meaning => (value, { server, dialect }) => {
  const units = { s: 1, ms: 1000 };
  const seconds = Number(value) / (unit ?? (dialect.unit ? units[dialect.unit] : NaN));
  if (!(seconds > 0 && seconds <= 86_400)) return "unused";
  server.timeout = seconds;
};

const authKeys: Readonly<Record<string, string>> = {
  ...{ clientid: "clientId", clientsecret: "clientSecret" },
  ...{ scope: "scopes", scopes: "scopes", oauthscopes: "scopes" },
};

const auth: Meaning = (value, { server }) => {
  if (!isObject(value)) return false;
  const entries = Object.entries(value).map(([key, each]) => {
    const name = authKeys[normalized(key)];
    return [name, name === "scopes" && isText(each) ? each.split(/[\s,]+/) : each] as const;
  });
  if (entries.length > 0) server.auth = { ...server.auth, ...Object.fromEntries(entries) };
  return entries.every(([name]) => name !== undefined);
};

const authField = (key: string): Meaning => (value, draft) => auth({ [key]: value }, draft);

/** What each key means; keys are lower-case, without `_` and `-`. */
const meanings: Readonly<Record<string, Meaning>> = {
  ...all("command cmd", command),
  ...all("args arguments", args),
  ...all("env environment envs", record("env")),
  ...all("headers httpheaders", record("headers")),
  ...all("url httpurl serverurl uri", text("url")),
  ...all("cwd workingdirectory", text("cwd")),
  ...all("type transport transporttype", kind),
  envvars: passedOn,
  envhttpheaders: namedHeaders,
  bearertokenenvvar: bearer,
  disabled: switchOf(false),
  ...all("enabled isactive active", switchOf(true)),
  ...all("excludetools disabledtools", tools(false)),
  ...all("includetools enabledtools allowedtools", tools(true)),
  // For Goose, an empty list means all tools
  availabletools: (value, draft) => isEmpty(value) || tools(true)(value, draft),
  tools: toolTable,
  timeout: timeout(),
  ...all("timeoutms requesttimeoutms", timeout(1000)),
  ...all("tooltimeoutsec timeoutsec timeoutseconds", timeout(1)),
  ...all("oauth auth", auth),
  ...all("scopes oauthscopes", authField("scopes")),
  oauthclientid: authField("clientId"),
  oauthclientsecret: authField("clientSecret"),
  authprovidertype: (value) => value === "dynamic_discovery",
  defaulttoolsapprovalmode: (value) => isApproval(value) && "unused",
  ...all("source", (value) => value === "custom"),
  ...all("experimentalenvironment", (value) => value === "local"),
  ...all("settings remote sandbox sandboxenabled headershelper envfile envkeys", isEmpty),
  ...all("name description title displayname bundled", () => true),
  // Unused, since climax asks by its own policy and has its own timeouts for the start
  ...all("autoapprove alwaysallow trust required alwaysload dev gallery version registry", unused),
  ...all("link icon startuptimeoutsec startuptimeoutms connectiontimeout", unused),
};

function all(keys: string, meaning: Meaning): Record<string, Meaning> {
  return Object.fromEntries(keys.split(" ").map((key) => [key, meaning]));
}

function normalized(key: string): string {
  return key.replaceAll(/[_-]/g, "").toLowerCase();
}

/** Reads the keys of `entry` into `draft`, and those of a map inside it, which some clients have. */
export function readKeys(entry: Readonly<Record<string, unknown>>, draft: Draft): void {
  for (const [key, value] of Object.entries(entry)) {
    const word = normalized(key);
    if (value === null || value === undefined) continue;
    if (/^(?:transport|command|requestoptions)$/.test(word) && isObject(value)) {
      const { path, ...inner } = value;
      readKeys({ command: path, ...inner }, draft);
    } else if (!Object.hasOwn(meanings, word)) draft.unknown.push(key);
    else {
      const read = meanings[word]!(value, draft);
      const shown = isText(value) && /^[\w-]{1,30}$/.test(value) ? `${key}: ${value}` : key;
      if (read === false) draft.reason ??= `climax cannot use '${shown}'`;
      if (read === "unused") draft.unused.push(key);
    }
  }
}
