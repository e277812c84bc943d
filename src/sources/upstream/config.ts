/** Reads the servers of a `tamamo-x.config.json` or `.mcp.json`, and finds every problem with its line. */

import { dirname, resolve } from "node:path";
import { systemPath } from "../../io.ts";
import type { Finding, Path } from "../../files/finding.ts";
import { locate } from "../../files/document.ts";
import { checkSelect, selectOf } from "../../files/select_file.ts";
import { plainJson, readJsonDocument } from "../../files/json.ts";
import { readTextFile } from "../../files/text_file.ts";
import type { NamedText } from "../../text/named_text.ts";
import type { Problem } from "../../errors.ts";
import { checkCredentials } from "./credentials.ts";
import { fromClientConfig } from "./client_config.ts";
import {
  checkSettings,
  explainUnused,
  type ProjectSettings,
  readSettings,
} from "../project_settings.ts";
import { foreignSchema, projectSchema, type ServerFile } from "./schema.ts";
import { defaultTimeoutSeconds, type ServerSpec } from "./spec.ts";
import { isObject, ownProperty } from "../../text/own_property.ts";
import { isClimax } from "../../process/own_command.ts";

/** The servers of a file, and its settings. */
export interface UpstreamConfig extends ProjectSettings {
  /** The path as the user wrote it. */
  readonly file: string;
  readonly servers: readonly ServerSpec[];
}

type ConfigResult =
  | {
    readonly ok: true;
    readonly config: UpstreamConfig;
    readonly warnings: readonly Problem[];
  }
  | { readonly ok: false; readonly problems: readonly Problem[]; readonly unreadable: boolean };

/** Reads the config at a path, or a given text, without what {@linkcode UpstreamConfig.rest} does not use. */
export async function readUpstreamConfig(source: string | NamedText): Promise<ConfigResult> {
  const file = typeof source === "string" ? source : source.file;
  const read = typeof source === "string"
    ? await readTextFile(source)
    : { ok: true, text: source.text } as const;
  if (!read.ok) return { ok: false, problems: [read.problem], unreadable: true };
  return isForeign(read.text)
    ? await readForeign(file, read.text)
    : await readProject(file, read.text);
}

/** Returns the problem of a file that names no server and no config, `undefined` for others. */
export function explainEmpty({ file, servers, rest }: UpstreamConfig): Problem | undefined {
  if (servers.length + (rest.written.cliConfigs ?? []).length > 0) return undefined;
  const message = "'mcpServers': expected at least 1 server, found none";
  return { file, message, hint: "climax add NAME -- COMMAND puts one there" };
}

/** True if the servers are in a map by name, as in configs of other clients. */
function isForeign(text: string): boolean {
  try {
    const { version, mcpServers, servers } = JSON.parse(plainJson(text));
    return version === undefined && (isObject(mcpServers) || isObject(servers));
  } catch {
    return false;
  }
}

async function readProject(file: string, text: string): Promise<ConfigResult> {
  const folder = dirname(resolve(systemPath(file)));
  const read = await readJsonDocument(file, text, projectSchema, {
    check: (value) => [...checkCredentials(value), ...checkProject(value, folder)],
  });
  if (!read.ok) return { ok: false, problems: read.problems, unreadable: false };
  const { mcpServers, $schema: _, version: __, ...written } = read.value;
  const wrong = await checkSelects(mcpServers);
  const problems = wrong.length === 0 ? [] : await locate(file, plainJson(text), wrong);
  if (problems.length > 0) return { ok: false, problems, unreadable: false };
  const settings = await readSettings(file, written);
  return {
    ok: true,
    config: { file, servers: mcpServers.map((server) => specOf(server, file)), ...settings },
    warnings: settings.rest.isUsed ? [] : [explainUnused({ file, ...settings })],
  };
}

async function readForeign(file: string, text: string): Promise<ConfigResult> {
  const read = await readJsonDocument(file, text, foreignSchema);
  if (!read.ok) return { ok: false, problems: read.problems, unreadable: false };
  const key = read.value.mcpServers === undefined ? "servers" : "mcpServers";
  const servers: ServerSpec[] = [];
  const problems: Finding[] = [];
  const warnings: Finding[] = [];
  for (const [name, written] of Object.entries(read.value[key] ?? {})) {
    const path = [key, name];
    if (written.disabled === true) continue;
    const spec = fromClientConfig(name, written, file);
    if ("reason" in spec) problems.push({ path, message: `Server '${name}': ${spec.reason}` });
    else if (startsClimax(spec)) {
      warnings.push({ path, message: `Server '${name}' is left out: it is climax itself` });
    } else servers.push(spec);
  }
  // These entries were moved here from a client's file, and may have to be moved back unchanged
  const isAdopted = read.value.written !== undefined;
  for (const { path, message } of isAdopted ? [] : checkCredentials(read.value)) {
    const hint = "climax init moves it into an environment variable";
    warnings.push({ path, message, hint });
  }
  const plain = plainJson(text);
  if (problems.length > 0) {
    return { ok: false, problems: await locate(file, plain, problems), unreadable: false };
  }
  return {
    ok: true,
    config: { file, servers, ...await readSettings(file, {}) },
    warnings: await locate(file, plain, warnings),
  };
}

function startsClimax({ transport }: ServerSpec): boolean {
  return transport.kind === "stdio" && isClimax([transport.command, ...transport.args]);
}

async function checkSelects(servers: readonly ServerFile[]): Promise<Finding[]> {
  const written = servers.flatMap(({ select = {} }, index) => {
    return Object.entries(select).map(([tool, each]) => {
      return [each, ["mcpServers", index, "select", tool]] as const;
    });
  });
  return (await Promise.all(written.map(([each, path]) => checkSelect(each, path)))).flat();
}

function specOf(written: ServerFile, file: string): ServerSpec {
  const { name, transport, command, args, env, cwd, url, headers, timeout, auth, select, sandbox } =
    written;
  const selects = Object.entries(select ?? {}).map(([tool, each]) => [tool, selectOf(each)]);
  return {
    name,
    file,
    ...(select === undefined ? {} : { selects: Object.fromEntries(selects) }),
    timeoutMs: (timeout ?? defaultTimeoutSeconds) * 1000,
    ...(auth === undefined ? {} : { auth }),
    transport: transport === "stdio"
      ? {
        kind: "stdio",
        command: command!,
        args: args ?? [],
        env: env ?? {},
        ...(cwd === undefined ? {} : { cwd }),
        ...(sandbox === undefined ? {} : { sandbox }),
      }
      : { kind: transport, url: url!, headers: headers ?? {} },
  };
}

/** Checks what the schema cannot express. `value` may fail the schema; paths in it are relative to `folder`. */
function checkProject(value: unknown, folder: string): Finding[] {
  const servers = ownProperty(value, "mcpServers");
  return [
    ...(Array.isArray(servers) ? servers.flatMap(checkServer) : []),
    ...(Array.isArray(servers) ? checkNames(servers) : []),
    ...checkSettings(value, folder),
  ];
}

function checkServer(server: unknown, index: number): Finding[] {
  const path = ["mcpServers", index];
  const transport = ownProperty(server, "transport");
  const problemOfMissing = (key: string) => ({
    path,
    message: `Missing required key '${key}', which 'transport: ${transport}' needs`,
  });
  const meaningless = (key: string) =>
    ownProperty(server, key) === undefined ? [] : [{
      path: [...path, key],
      message: `'${key}' has no meaning for 'transport: ${transport}'`,
      hint: "Take it out; a server with a 'command' is stdio, one with a 'url' http or websocket",
    }];
  if (transport === "stdio") {
    return [
      ...(ownProperty(server, "command") === undefined ? [problemOfMissing("command")] : []),
      ...["url", "headers", "auth"].flatMap(meaningless),
    ];
  }
  if (transport !== "http" && transport !== "websocket") return [];
  const url = ownProperty(server, "url");
  return [
    ...(url === undefined ? [problemOfMissing("url")] : []),
    ...(typeof url === "string" ? checkUrl(url, transport, [...path, "url"]) : []),
    ...["command", "args", "env", "cwd", "sandbox"].flatMap(meaningless),
    ...(transport === "websocket" ? meaningless("auth") : checkAuth(server, path)),
  ];
}

function checkAuth(server: unknown, path: Path): Finding[] {
  const auth = ownProperty(server, "auth");
  if (auth === undefined) return [];
  const at = [...path, "auth"];
  const headers = Object.keys(Object(ownProperty(server, "headers")));
  const both = headers.some((name) => name.toLowerCase() === "authorization")
    ? [{ path: at, message: "'auth' has no meaning beside the header 'Authorization'" }]
    : [];
  const url = ownProperty(auth, "clientMetadataUrl");
  const alone = ownProperty(auth, "clientSecret") !== undefined &&
    ownProperty(auth, "clientId") === undefined;
  const isDocument = typeof url !== "string" || URL.parse(url)?.protocol === "https:";
  return [
    ...both,
    ...(alone ? [{ path: at, message: "'clientSecret' needs a 'clientId'" }] : []),
    ...(isDocument ? [] : [{
      path: [...at, "clientMetadataUrl"],
      message: `'clientMetadataUrl': '${url}' is not a URL that begins with https://`,
    }]),
  ];
}

function checkUrl(text: string, transport: "http" | "websocket", path: Path): Finding[] {
  const schemes = transport === "http" ? ["http:", "https:"] : ["ws:", "wss:"];
  // The value of a variable is checked when it is used
  const url = URL.parse(text.replace(/\$\{?\w+\}?/g, "x"));
  if (text.startsWith("$") || (url !== null && schemes.includes(url.protocol))) return [];
  const expected = schemes.map((scheme) => `${scheme}//`).join(" or ");
  return [{ path, message: `'url': '${text}' is not a URL that begins with ${expected}` }];
}

function checkNames(servers: readonly unknown[]): Finding[] {
  const seen = new Set<unknown>();
  return servers.flatMap((server, index) => {
    const name = ownProperty(server, "name");
    if (typeof name !== "string") return [];
    const path = ["mcpServers", index, "name"];
    if (name !== name.trim()) {
      return [{ path, message: `'name': '${name}' begins or ends with a blank` }];
    }
    if (seen.has(name)) return [{ path, message: `Server '${name}' is defined twice` }];
    seen.add(name);
    return [];
  });
}
