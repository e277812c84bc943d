/**
 * The keys of servers in other clients' files, and what climax does with each. A key that is not in the table is never
 * dropped in silence: it is reported as unknown.
 */

import { isObject } from "../../../text/own_property.ts";
import type { ServerFile } from "../schema.ts";
import type { Dialect } from "./dialects.ts";

/** A server while its keys are read: in climax's own format, but for references and the transport. */
export interface Draft {
  readonly dialect: Dialect;
  readonly server: { -readonly [Key in keyof ServerFile]?: ServerFile[Key] };
  /** Variables and headers that refer to variables of the environment, as climax writes it. */
  readonly referring: Readonly<Record<"env" | "headers", Record<string, string>>>;
  isOff: boolean;
  /** The file says that the server is reached by a URL, or that it is started. */
  kind?: "stdio" | "http" | "websocket";
  /** Known keys that climax does not use, and that take nothing away. */
  readonly unused: string[];
  readonly unknown: string[];
  /** The first reason why the server would be another one without a key. */
  reason?: string;
}

/** Puts a value into the draft; false if climax has nothing like it, "unused" if it need not have it. */
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

/** Names of variables that the client passes on, or `{ name, source }`, of this machine or another. */
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

/** Lists of tools. Gemini CLI takes `tool(arguments)` for a name, and two lists of what is served leave both. */
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

/** A list of the tools that are served, or a map with a word on each. */
const toolTable: Meaning = (value, draft) => {
  if (!isObject(value)) return tools(true)(value, draft);
  const isOff = (each: unknown) => each === false || isObject(each) && each["enabled"] === false;
  const rest = Object.entries(value).filter(([, each]) => !isOff(each));
  const off = Object.keys(value).filter((name) => isOff(value[name]));
  tools(false)(off, draft);
  if (rest.some(([, each]) => !isApproval(each))) return false;
  return rest.some(([, each]) => isObject(each)) ? "unused" : true;
};

/** The client runs the tool without asking; the policy of climax decides about that. */
function isApproval(value: unknown): boolean {
  if (isObject(value)) return Object.values(value).every(isApproval);
  return value === true || isText(value) && /^(?:auto|approve|allow|always|never)/i.test(value);
}

/** A time of a call, with `unit` in a second. */
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

/** How a person logs in. */
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

/** Meanings by the words of keys: without `_` and `-`, in small letters. */
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
  // Goose takes an empty list for all of them
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
  // climax asks by its own policy, and waits as long as it says itself
  ...all("autoapprove alwaysallow trust required alwaysload dev gallery version registry", unused),
  ...all("link icon startuptimeoutsec startuptimeoutms connectiontimeout", unused),
};

function all(keys: string, meaning: Meaning): Record<string, Meaning> {
  return Object.fromEntries(keys.split(" ").map((key) => [key, meaning]));
}

function normalized(key: string): string {
  return key.replaceAll(/[_-]/g, "").toLowerCase();
}

/** Reads the keys of `entry` into `draft`; some clients have a map of more keys below one. */
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
