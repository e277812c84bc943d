/** Converts a server as an MCP client wrote it to the form that most clients share. */

import { fromClientConfig } from "../sources/upstream/client_config.ts";
import { type ForeignServer, foreignServerSchema } from "../sources/upstream/schema.ts";
import { isObject } from "../text/own_property.ts";
import type { McpClientProgram } from "./clients.ts";
import { isClimax } from "./init_import.ts";

/** The server, or why climax cannot start it in the client's place. */
export type StandardServer =
  | { readonly ok: true; readonly server: ForeignServer }
  | { readonly ok: false; readonly reason: string };

/** Converts the entry `written` of `client`. */
export function standardServer(client: McpClientProgram, written: unknown): StandardServer {
  if (!isObject(written)) return no("it is not a server");
  const { transport, ...plain } = written;
  // Cline itself writes the command one level deeper
  const entry = isObject(transport) ? { ...transport, ...plain } : written;
  if (entry["disabled"] === true || entry["enabled"] === false) return no("it is switched off");
  if ([entry["env_keys"] ?? []].flat().length > 0) return no(`${client.title} has its credentials`);
  const parsed = foreignServerSchema.safeParse(commonFields(entry));
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

/** The fields of an entry by their common names. */
function commonFields(entry: Readonly<Record<string, unknown>>): Record<string, unknown> {
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
    headers: { ...Object(headers), ...codexHeaders(entry) },
  };
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => {
      return value !== undefined && value !== null && Object.keys(Object(value)).length > 0 ||
        typeof value === "string";
    }),
  );
}

/** The headers that only Codex writes in this way. */
function codexHeaders(entry: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const bearer = entry["bearer_token_env_var"];
  const named = Object.entries(Object(entry["env_http_headers"]))
    .map(([name, variable]) => [name, `\${${variable}}`]);
  return {
    ...Object(entry["http_headers"]),
    ...Object.fromEntries(named),
    ...(typeof bearer === "string" ? { Authorization: `Bearer \${${bearer}}` } : {}),
  };
}

/** A reference in `server` that climax would not expand, or not as the client does. */
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
    text.match(/\$\{[^}]*\}|\{(?:env|file):[^}]*\}|\$[A-Za-z_]\w*/g) ?? []
  )
    .find((reference) => !/^\$\{(?:env:[A-Za-z_]\w*|[A-Z_][A-Z0-9_]*|userHome)\}$/.test(reference));
}
