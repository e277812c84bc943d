/** Moves the servers of an MCP client behind climax, and back. This file writes nothing. */

import { join } from "node:path";
import { FileError } from "../errors.ts";
import { textToReplace } from "../files/text_file.ts";
import { homeFolders } from "../process/folders.ts";
import { fromClientConfig } from "../sources/upstream/client_config.ts";
import { type ForeignServer, foreignServerSchema } from "../sources/upstream/schema.ts";
import { isObject } from "../text/own_property.ts";
import type { McpClientProgram, Scope } from "./clients.ts";
import {
  type ClientText,
  isDerived,
  otherServers,
  withoutEntry,
  withoutServers,
  withServers,
} from "./connect.ts";
import { isClimax } from "../process/own_command.ts";
import { codexHeaders, codexSchema } from "./init_import.ts";

/** Servers of a client that climax starts instead of the client, by name. */
export interface AdoptedServers {
  readonly mcpServers: Readonly<Record<string, ForeignServer>>;
  /** The servers in the format of the client. */
  readonly written: Readonly<Record<string, unknown>>;
}

interface Adoption {
  /** The client's text without the servers that are moved. */
  readonly text: string;
  readonly adopted: AdoptedServers;
  readonly names: readonly string[];
  /** The other servers of the client, each with the reason. */
  readonly left: readonly (readonly [name: string, reason: string])[];
}

/** Returns the path of the file of adopted servers; `undefined` when the home folder is unknown. */
export function pathToAdopt(client: McpClientProgram, scope: Scope): string | undefined {
  const settings = homeFolders()?.settings;
  const folder = scope === "project" ? ".climax" : settings && join(settings, "climax");
  return folder && join(folder, "clients", client.name, "mcp.json");
}

/** Reads the adopted servers at `path`; `undefined` when there are none. @throws {ClimaxError} */
export async function readAdopted(path: string): Promise<AdoptedServers | undefined> {
  const text = await textToReplace(path, "Nothing was written");
  if (text === undefined) return undefined;
  try {
    const { mcpServers, written } = JSON.parse(text);
    if (isObject(mcpServers) && isObject(written)) return { mcpServers, written } as AdoptedServers;
  } catch {
    // Reported below
  }
  const message = "The file is not as climax wrote it";
  const hint = "It has the servers that were moved; put them back by hand, and remove it";
  throw new FileError("Nothing was written", { file: path, message, hint });
}

/** Plans to move every server of `at` that climax can start, in addition to the moved ones in `before`. */
export function planAdoption(at: ClientText, before: AdoptedServers | undefined): Adoption {
  const left: [string, string][] = [];
  const mcpServers: Record<string, ForeignServer> = { ...before?.mcpServers };
  const written: Record<string, unknown> = { ...before?.written };
  const names: string[] = [];
  let { text } = at;
  for (const [name, entry] of Object.entries(otherServers(at))) {
    const standard = standardServer(at.client, entry);
    if (!standard.ok) left.push([name, standard.reason]);
    else if (Object.hasOwn(mcpServers, name)) left.push([name, "climax has another of that name"]);
    else {
      const without = withoutServers({ ...at, text }, [name]);
      if (without === undefined) left.push([name, "it cannot be taken out of the file alone"]);
      else {
        text = without;
        names.push(name);
        mcpServers[name] = standard.server;
        written[name] = entry;
      }
    }
  }
  return { text, adopted: { mcpServers, written }, names, left };
}

/** Returns the client's file without climax: `backup`, if nothing else changed. @throws {ClimaxError} */
export function withAdopted(
  at: ClientText,
  { written }: AdoptedServers,
  backup: string | undefined,
): string {
  if (backup !== undefined) {
    const moved = Object.keys(otherServers({ ...at, text: backup }))
      .filter((name) => Object.hasOwn(written, name));
    const rest = withoutServers({ ...at, text: backup }, moved);
    if (rest !== undefined && moved.length === Object.keys(written).length && isDerived(at, rest)) {
      return backup;
    }
  }
  const base = withoutEntry(at, undefined) ?? at.text;
  const present = otherServers({ ...at, text: base });
  const missing = Object.entries(written).filter(([name]) => !Object.hasOwn(present, name));
  return withServers({ ...at, text: base }, Object.fromEntries(missing));
}

type StandardServer =
  | { readonly ok: true; readonly server: ForeignServer }
  | { readonly ok: false; readonly reason: string };

function standardServer(client: McpClientProgram, written: unknown): StandardServer {
  if (!isObject(written)) return no("it is not a server");
  const { transport, ...plain } = written;
  // Cline itself writes the command one level deeper
  const entry = isObject(transport) ? { ...transport, ...plain } : written;
  if (entry["disabled"] === true || entry["enabled"] === false) return no("it is switched off");
  if ([entry["env_keys"] ?? []].flat().length > 0) return no(`${client.title} has its credentials`);
  const codex = codexSchema.safeParse(entry);
  const fields = codex.success ? commonFields(entry, codexHeaders(codex.data)) : undefined;
  const parsed = foreignServerSchema.safeParse(fields);
  if (!parsed.success) return no(`only ${client.title} can start it`);
  const server = parsed.data;
  const words = [server.command ?? "", ...server.args ?? []];
  if (isClimax(words)) return no("it is climax itself");
  const unknown = unknownReference(server);
  if (unknown !== undefined) return no(`only ${client.title} knows what '${unknown}' is`);
  const spec = fromClientConfig("x", server, "");
  return "reason" in spec ? no(`only ${client.title} can start it`) : { ok: true, server };
}

function no(reason: string): StandardServer {
  return { ok: false, reason };
}

function commonFields(
  entry: Readonly<Record<string, unknown>>,
  codex: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const { type, command, cmd, args, env, environment, envs, cwd, headers } = entry;
  const { path, ...ofPath } = isObject(command) ? command : {};
  const [program, ...words] = [path ?? command ?? cmd].flat();
  const url = entry["url"] ?? entry["httpUrl"] ?? entry["serverUrl"] ?? entry["uri"];
  const variables = Object.fromEntries(
    [entry["env_vars"] ?? []].flat().map((name) => [name, `\${${name}}`]),
  );
  const fields = {
    command: program,
    args: [...words, ...[args ?? ofPath["args"] ?? []].flat()],
    env: { ...variables, ...Object(env ?? environment ?? envs ?? ofPath["env"]) },
    cwd,
    url,
    type: url === undefined || type === "remote" ? undefined : type,
    headers: { ...Object(headers), ...codex },
  };
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => {
      return value !== undefined && value !== null && Object.keys(Object(value)).length > 0 ||
        typeof value === "string";
    }),
  );
}

/** Returns a reference in `server` that climax would not expand, or not as the client does. */
function unknownReference(server: ForeignServer): string | undefined {
  const texts = [
    server.command ?? "",
    server.url ?? "",
    server.cwd ?? "",
    ...server.args ?? [],
    ...Object.values(server.env ?? {}).map(String),
    ...Object.values(server.headers ?? {}),
  ];
  return texts.flatMap((text) =>
    text.match(/\$\{[^{}]*\}|\{(?:env|file):[^{}]*\}|\$[A-Za-z_]\w*/g) ?? []
  )
    .find((reference) => !/^\$\{(?:env:[A-Za-z_]\w*|[A-Z_][A-Z0-9_]*|userHome)\}$/.test(reference));
}
