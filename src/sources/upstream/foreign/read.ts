/** Converts servers from the formats of other clients to climax's own, and reports keys that it does not know. */

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
  readonly server?: ServerFile;
  readonly reason?: string;
  /** Tells the person which keys climax leaves out without any difference for the server. */
  readonly notes: readonly string[];
  /** Tells the person what may be different when climax starts the server in place of the client. */
  readonly warnings: readonly string[];
}

interface ForeignOptions {
  readonly dialect: Dialect;
  readonly root?: string | undefined;
  readonly say?: ClientSettings | undefined;
}

export function readForeignServer(
  name: string,
  written: unknown,
  { dialect, root, say }: ForeignOptions,
): ForeignServer {
  if (!isObject(written)) return { reason: "it is not a server", notes: [], warnings: [] };
  const own = serverSchema.safeParse({
    name,
    transport: written["url"] ? "http" : "stdio",
    ...written,
  });
  if (dialect === ownDialect && own.success && serverProblems(own.data, []).length === 0) {
    return { server: own.data, notes: [], warnings: [] };
  }
  const referring = { env: {}, headers: {} };
  const draft: Draft = { dialect, server: {}, referring, isOff: false, unused: [], unknown: [] };
  readKeys(written, draft);
  const words = say?.(name, written) ?? [];
  const off = words.find(({ isOff }) => isOff);
  if (off !== undefined) draft.reason = `it is switched off in ${off.place}`;
  else if (draft.isOff) draft.reason = "it is switched off";
  const read = draft.reason === undefined ? serverOf(name, draft, root) : { reason: draft.reason };
  const { unused, unknown } = draft;
  const { warnings = [], ...found } = read;
  return {
    ...found,
    notes: unused.length === 0 ? [] : [`climax does not use ${quoted(unused)}`],
    warnings: [
      ...warnings,
      ...unknown.length === 0 ? [] : [`climax does not know ${quoted(unknown)}`],
      ...words.map(({ place }) => `${place} says more about it`),
    ],
  };
}

function quoted(keys: readonly string[]): string {
  return keys.map((key) => `'${key}'`).join(", ");
}

function serverOf(name: string, draft: Draft, root: string | undefined): Partial<ForeignServer> {
  const { command, args = [], env, cwd, url, headers, ...more } = draft.server;
  const isStarted = !!command && (url === undefined || draft.kind === "stdio");
  if (!isStarted && !url) return { reason: "expected 'command' or 'url', found neither" };
  if (isStarted ? url !== undefined : command) draft.unused.push(isStarted ? "url" : "command");
  const line = isStarted ? wordsOf(command, args) : [];
  if (line === undefined) return { reason: "'command' is a command line for a shell" };
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
  if (reference !== undefined) return { reason: `climax does not know what '${reference}' is` };
  const all = { name, ...reach, ...more, auth: auth && Object.fromEntries(auth) };
  // Other empty values are left out, but an empty list of tools means that none is served
  const said = Object.entries(all).filter(([key, value]) => {
    if (typeof value !== "object") return value !== undefined;
    return key === "tools" || Object.keys(value).length > 0;
  });
  const parsed = serverSchema.safeParse(Object.fromEntries(said), { reportInput: true });
  const [problem] = parsed.success
    ? serverProblems(parsed.data, [])
    : describeIssues(parsed.error.issues, serverSchema);
  if (!parsed.success || problem !== undefined) return { reason: problem!.message };
  if (isClimax(line)) return { reason: "it is climax itself" };
  return { server: parsed.data, warnings: [...warnings] };
}

/** Returns the words of a command line; `undefined` if only a shell could read it. */
function wordsOf(command: string, args: readonly string[]): readonly string[] | undefined {
  // A `command` with blanks is a path, not a command line, if its first word has a slash or a quote
  const [first = ""] = command.split(/\s/);
  if (args.length > 0 || first === command || /[/\\"']/.test(first)) return [command, ...args];
  if (/[;&|<>`$()*?]/.test(command)) return undefined;
  return [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map((match) =>
    match[1] ?? match[2] ?? match[3]!
  );
}

export function projectOf(path: string, { depth = 0 }: Dialect): string | undefined {
  const root = join(dirname(path), ...Array(depth).fill(".."));
  const home = homeFolders()?.home;
  const isHome = depth > 0 && home !== undefined && resolve(systemPath(root)) === resolve(home);
  return isHome && resolve(home) !== io().cwd() ? undefined : root;
}

export interface Draft {
  readonly dialect: Dialect;
  readonly server: { -readonly [Key in keyof ServerFile]?: ServerFile[Key] };
  readonly referring: Readonly<Record<"env" | "headers", Record<string, string>>>;
  isOff: boolean;
  kind?: "stdio" | "http" | "websocket";
  /** Keys of another client's entry that climax ignores, and says so: the server works the same without them. */
  readonly unused: string[];
  readonly unknown: string[];
  reason?: string;
}

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

/** Reads which variables the client passes on to the server: a list of names or of `{ name, source }`. */
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

/** Reads a list of served or of excluded tools; a server may have both. Gemini CLI also writes `tool(arguments)`. */
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

const toolTable: Meaning = (value, draft) => {
  if (!isObject(value)) return tools(true)(value, draft);
  const isOff = (each: unknown) => each === false || isObject(each) && each["enabled"] === false;
  const rest = Object.entries(value).filter(([, each]) => !isOff(each));
  const off = Object.keys(value).filter((name) => isOff(value[name]));
  tools(false)(off, draft);
  if (rest.some(([, each]) => !isApproval(each))) return false;
  return rest.some(([, each]) => isObject(each)) ? "unused" : true;
};

/** Returns whether `value` lets the client run a tool without asking, which climax ignores: its policy decides. */
function isApproval(value: unknown): boolean {
  if (isObject(value)) return Object.values(value).every(isApproval);
  return value === true || isText(value) && /^(?:auto|approve|allow|always|never)/i.test(value);
}

/** Reads a timeout. `unit`: how many of its units make a second. @default the unit of the client */
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

/** What each key of a server means. Keys are in lower case, without `_` and `-`, as clients spell them differently. */
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
  // To Goose, an empty list means all tools, so it is ignored
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
  source: (value) => value === "custom",
  experimentalenvironment: (value) => value === "local",
  ...all("settings remote sandbox sandboxenabled headershelper envfile envkeys", isEmpty),
  ...all("name description title displayname bundled", () => true),
  // Ignored keys: climax asks by its own policy, and has its own timeouts for the start of a server
  ...all("autoapprove alwaysallow trust required alwaysload dev gallery version registry", unused),
  ...all("link icon startuptimeoutsec startuptimeoutms connectiontimeout", unused),
};

function all(keys: string, meaning: Meaning): Record<string, Meaning> {
  return Object.fromEntries(keys.split(" ").map((key) => [key, meaning]));
}

function normalized(key: string): string {
  return key.replaceAll(/[_-]/g, "").toLowerCase();
}

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
