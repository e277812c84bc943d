/** Reads servers and settings of a `climax.json`, `.mcp.json` or the like, and reports problems with their lines. */

import { dirname, resolve } from "node:path";
import * as z from "zod";
import { systemPath } from "../../io.ts";
import type { Finding, Path } from "../../files/finding.ts";
import { locate } from "../../files/document.ts";
import { checkSelect, selectOf } from "../../files/select_file.ts";
import { plainJson, readJsonDocument } from "../../files/json.ts";
import { readTextFile } from "../../files/text_file.ts";
import type { NamedText } from "../../text/named_text.ts";
import type { Problem } from "../../errors.ts";
import { checkCredentials } from "./credentials.ts";
import {
  checkSettings,
  explainUnused,
  type ProjectSettings,
  readSettings,
  settingKeys,
} from "../project_settings.ts";
import { projectSchema, type ServerFile, serverProblems } from "./schema.ts";
import { defaultTimeoutSeconds, type ServerSpec } from "./spec.ts";
import { isObject, ownProperty } from "../../text/own_property.ts";
import { findDialect, findServers, otherKeys, ownDialect } from "./foreign/dialects.ts";
import { projectOf, readForeignServer } from "./foreign/read.ts";
import { formatOf, parseClientFile, readSettingsOf } from "./foreign/settings.ts";
import { visible } from "../../text/escape.ts";
import { climax } from "../../process/own_command.ts";

export interface UpstreamConfig extends ProjectSettings {
  readonly file: string;
  readonly servers: readonly ServerSpec[];
}

type ConfigResult =
  | { readonly ok: true; readonly config: UpstreamConfig; readonly warnings: readonly Problem[] }
  | { readonly ok: false; readonly problems: readonly Problem[]; readonly unreadable: boolean };

export async function readUpstreamConfig(source: string | NamedText): Promise<ConfigResult> {
  const file = typeof source === "string" ? source : source.file;
  const read = await readTextFile(source);
  if (!read.ok) return { ok: false, problems: [read.problem], unreadable: true };
  const parsed = await parseClientFile(file, read.text);
  const format = formatOf(file);
  if ("fault" in parsed && format !== "JSON") {
    const message = `The file is not ${format}: ${visible(parsed.fault.message)}`;
    return refused({ file, message });
  }
  const value = "value" in parsed ? parsed.value : undefined;
  // In climax's own format the servers are a list; in the formats of other clients they are a map
  const isOwn = format === "JSON" && Array.isArray(ownProperty(value, "mcpServers"));
  if (!isOwn && findServers(value) !== undefined) return await readForeign(file, read.text, value);
  const keys = isObject(value) ? Object.keys(value) : [];
  const isOther = keys.length > 0 && !keys.some((key) => Object.hasOwn(projectSchema.shape, key));
  if (format === "JSON" && !isOther) return await readProject(file, read.text);
  const message = "The file has no MCP servers in a form that climax knows";
  const hint =
    `${climax()} add NAME -- COMMAND, or ${climax()} add URL, puts a server into climax.json`;
  return refused({ file, message, hint });
}

function refused(...problems: Problem[]): ConfigResult {
  return { ok: false, problems, unreadable: false };
}

export function explainEmpty({ file, servers, rest }: UpstreamConfig): Problem | undefined {
  if (servers.length + (rest.written.cliConfigs ?? []).length > 0) return undefined;
  const message = "'mcpServers': expected at least 1 server, found none";
  return { file, message, hint: `${climax()} add NAME -- COMMAND puts one there` };
}

async function readProject(file: string, text: string): Promise<ConfigResult> {
  const folder = dirname(resolve(systemPath(file)));
  const read = await readJsonDocument(file, text, projectSchema, {
    check: (value) => [...checkCredentials(value), ...checkProject(value, folder)],
  });
  if (!read.ok) return refused(...read.problems);
  const { mcpServers, $schema: _, version: __, ...written } = read.value;
  const wrong = mcpServers.map((server, index) => checkSelects(server, ["mcpServers", index]));
  const problems = await locate(file, plainJson(text), (await Promise.all(wrong)).flat());
  if (problems.length > 0) return refused(...problems);
  const settings = await readSettings(file, written);
  return {
    ok: true,
    config: { file, servers: mcpServers.map((server) => specOf(server, file)), ...settings },
    warnings: settings.rest.isUsed ? [] : [explainUnused({ file, ...settings })],
  };
}

async function readForeign(file: string, text: string, value: unknown): Promise<ConfigResult> {
  const dialect = findDialect(file, value);
  const root = projectOf(file, dialect);
  const isAdopted = ownProperty(value, "written") !== undefined;
  const isOwn = dialect === ownDialect && !isAdopted;
  const settings = isOwn ? await readJsonDocument(file, text, mapSchema) : undefined;
  if (settings?.ok === false) return refused(...settings.problems);
  const { mcpServers: _, $schema: __, version: ___, ...written } = settings?.value ?? {};
  const say = await readSettingsOf(dialect, root, { path: file, value });
  const servers: ServerSpec[] = [];
  const warnings: Finding[] = [];
  const found = findServers(value)!;
  for (const { name, written, path } of found) {
    const reading = { dialect, root, say: dialect === ownDialect ? undefined : say };
    const { server, reason, ...more } = readForeignServer(name, written, reading);
    const warn = (text: string) => warnings.push({ path, message: `Server '${name}'${text}` });
    if (server === undefined) {
      warn(` is left out: ${reason}`);
      continue;
    }
    servers.push(specOf(server, file));
    warnings.push(...await checkSelects(server, path));
    for (const note of [...more.notes, ...more.warnings]) warn(`: ${note}`);
    if (isAdopted) continue;
    const { name: _, ...rest } = server;
    for (const finding of checkCredentials(rest, path)) {
      warnings.push({ ...finding, hint: `${climax()} init moves it into an environment variable` });
    }
  }
  const others = dialect === ownDialect ? [] : [
    ...otherKeys(file, value, found[0]?.path[0]),
    ...Object.keys(settingKeys).filter((key) => Object.hasOwn(Object(value), key)),
  ];
  for (const key of others) warnings.push({ path: [key], message: `climax does not use '${key}'` });
  return {
    ok: true,
    config: { file, servers, ...await readSettings(file, written) },
    warnings: formatOf(file) === "TOML"
      ? warnings.map(({ message, hint }) => ({ file, message, ...(hint && { hint }) }))
      : await locate(file, plainJson(text), warnings),
  };
}

const mapSchema = projectSchema.extend({ mcpServers: z.record(z.string(), z.unknown()) });

async function checkSelects({ select = {} }: ServerFile, path: Path): Promise<Finding[]> {
  const checked = Object.entries(select).map(([tool, each]) => {
    return checkSelect(each, [...path, "select", tool]);
  });
  return (await Promise.all(checked)).flat();
}

function specOf(written: ServerFile, file: string): ServerSpec {
  const { name, transport, command, args = [], env = {}, cwd, url, headers = {} } = written;
  const { timeout = defaultTimeoutSeconds, tools, auth, select, sandbox } = written;
  const selects = Object.entries(select ?? {}).map(([tool, each]) => [tool, selectOf(each)]);
  const process = {
    command: command!,
    args,
    env,
    ...(cwd && { cwd }),
    ...(sandbox && { sandbox }),
  };
  return {
    name,
    file,
    ...(select && { selects: Object.fromEntries(selects) }),
    timeoutMs: timeout * 1000,
    ...(auth && { auth }),
    ...(tools && { tools }),
    transport: transport === "stdio"
      ? { kind: "stdio", ...process }
      : { kind: transport, url: url!, headers },
  };
}

function checkProject(value: unknown, folder: string): Finding[] {
  const written = ownProperty(value, "mcpServers");
  const servers: readonly unknown[] = Array.isArray(written) ? written : [];
  return [
    ...servers.flatMap((server, index) => serverProblems(server, ["mcpServers", index])),
    ...checkNames(servers),
    ...checkSettings(value, folder),
  ];
}

function checkNames(servers: readonly unknown[]): Finding[] {
  const seen = new Set<unknown>();
  return servers.flatMap((server, index) => {
    const name = ownProperty(server, "name");
    if (typeof name !== "string") return [];
    const path = ["mcpServers", index, "name"];
    const isPadded = name !== name.trim();
    if (isPadded) return [{ path, message: `'name': '${name}' begins or ends with a blank` }];
    if (seen.has(name)) return [{ path, message: `Server '${name}' is defined twice` }];
    seen.add(name);
    return [];
  });
}
