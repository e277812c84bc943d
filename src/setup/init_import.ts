/** Reads the servers in a file of an MCP client for climax's own config. */

import { parse as parseToml } from "smol-toml";
import * as z from "zod";
import { describeIssues } from "../files/issues.ts";
import { plainJson } from "../files/json.ts";
import { parseJson } from "../files/parse_json.ts";
import { placeOf } from "../files/finding.ts";
import { readTextFile } from "../files/text_file.ts";
import { formatPlace, messageOf } from "../errors.ts";
import { isClimax } from "../process/own_command.ts";
import { fromClientConfig } from "../sources/upstream/client_config.ts";
import { foreignServerSchema, type ServerFile } from "../sources/upstream/schema.ts";
import { ownProperty } from "../text/own_property.ts";
import { clients, filesOf, type McpClientProgram } from "./clients.ts";

export interface FoundServer {
  readonly server: ServerFile;
  readonly place: ClientConfigFile;
}

/** Reads the servers in the file at `place` for the project in `folder`, with notes on those left out. */
export async function importServers(place: ClientConfigFile, folder: string) {
  const { path } = place;
  const read = await readTextFile(path);
  if (!read.ok) {
    return { found: [], notes: read.isMissing ? [] : [`${path}: ${read.problem.message}`] };
  }
  if (read.text.trim() === "") return { found: [], notes: [] };
  const parsed = place.format === "toml"
    ? readToml(read.text)
    : await parseJson(plainJson(read.text));
  if ("fault" in parsed) {
    const { offset, message } = parsed.fault;
    const place = formatPlace({ file: path, ...placeOf(read.text, offset) });
    return { found: [], notes: [`${place}: The file cannot be read: ${message}`] };
  }
  const { value } = parsed;
  const notes: string[] = [];
  const found = Object.entries(serversIn(value, folder)).flatMap(([name, written]) => {
    const server = serverOf(name, written, place);
    if (typeof server !== "string") return [{ server, place }];
    if (server !== switchedOff) notes.push(`${path}: server '${name}' is left out: ${server}`);
    return [];
  });
  return { found, notes };
}

function readToml(text: string): Awaited<ReturnType<typeof parseJson>> {
  try {
    return { value: parseToml(text) };
  } catch (error) {
    const [message = ""] = messageOf(error).split("\n");
    return { fault: { offset: 0, message } };
  }
}

/** Finds the map of servers in a client's file; Claude Code also has one for each folder. */
function serversIn(value: unknown, folder: string): Record<string, unknown> {
  const project = ownProperty(ownProperty(value, "projects"), folder);
  const maps = [
    ownProperty(value, "mcpServers"),
    ownProperty(value, "servers"),
    ownProperty(value, "mcp_servers"),
    ownProperty(project, "mcpServers"),
  ];
  return Object.assign({}, ...maps.filter((map) => typeof map === "object" && map !== null));
}

/** The keys that only Codex has. */
export const codexSchema = z.object({
  enabled: z.boolean().optional(),
  bearer_token_env_var: z.string().optional(),
  http_headers: z.record(z.string(), z.string()).optional(),
  env_http_headers: z.record(z.string(), z.string()).optional(),
});

const switchedOff = "it is switched off";

function firstOf({ issues }: z.ZodError, schema: z.ZodType): string {
  return describeIssues(issues, schema)[0]!.message;
}

/** Returns the server, or the reason why it is not used. */
function serverOf(name: string, written: unknown, place: ClientConfigFile): ServerFile | string {
  const parsed = foreignServerSchema.safeParse(written, { reportInput: true });
  const codex = codexSchema.safeParse(written, { reportInput: true });
  if (!parsed.success) return firstOf(parsed.error, foreignServerSchema);
  if (!codex.success) return firstOf(codex.error, codexSchema);
  if (parsed.data.disabled === true || codex.data.enabled === false) return switchedOff;
  const headers = { ...parsed.data.headers, ...codexHeaders(codex.data) };
  const spec = fromClientConfig(name, { ...parsed.data, headers }, place.path);
  if ("reason" in spec) return spec.reason;
  const { transport } = spec;
  if (transport.kind !== "stdio") {
    const { kind, url, headers } = transport;
    return { name, transport: kind, url, ...(isEmpty(headers) ? {} : { headers }) };
  }
  const { command, args, env, cwd } = transport;
  if (isClimax([command, ...args])) return "it is climax itself";
  return {
    name,
    transport: "stdio",
    command,
    ...(args.length === 0 ? {} : { args: [...args] }),
    ...(isEmpty(env) ? {} : { env }),
    ...(cwd === undefined ? {} : { cwd }),
  };
}

/** Returns the headers that these keys stand for. */
export function codexHeaders(codex: z.infer<typeof codexSchema>): Record<string, string> {
  const { bearer_token_env_var: bearer, http_headers, env_http_headers = {} } = codex;
  const named = Object.entries(env_http_headers).map(([key, variable]) => [key, `\${${variable}}`]);
  return {
    ...http_headers,
    ...Object.fromEntries(named),
    ...(bearer === undefined ? {} : { Authorization: `Bearer \${${bearer}}` }),
  };
}

function isEmpty(record: object): boolean {
  return Object.keys(record).length === 0;
}

/** The clients whose files are read, by their names for `--agent`. */
export const clientNames = [
  "claude-code",
  "claude-desktop",
  "cursor",
  "vscode",
  "windsurf",
  "codex",
  "gemini",
] as const;

export type ClientName = typeof clientNames[number];

interface ClientConfigFile {
  readonly client: ClientName;
  readonly path: string;
  readonly format: McpClientProgram["format"];
}

/** Returns every place for the project in `folder`, with the project's own first. */
export function placesFor(folder: string): ClientConfigFile[] {
  return (["project", "user"] as const).flatMap((scope) => {
    return clientNames.flatMap((name) => {
      const client = clients.find((each) => each.name === name)!;
      const { format } = client;
      return filesOf(client, scope, folder).map((path) => ({ client: name, path, format }));
    });
  });
}
