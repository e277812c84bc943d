/** Converts an entry of a server in the format of Claude Code, Cursor, VS Code and others. */

import { dirname } from "node:path";
import { io } from "../../io.ts";
import { isVisible, visibleName } from "../../text/escape.ts";
import type { ForeignServer } from "./schema.ts";
import { defaultTimeoutSeconds, type ServerSpec, type TransportSpec } from "./spec.ts";

/** Returns the server, or why it cannot be used. */
export function fromClientConfig(
  name: string,
  written: ForeignServer,
  file: string,
): ServerSpec | { readonly reason: string } {
  if (!isVisible(name)) return { reason: visibleName };
  const transport = transportOf(written, file);
  if ("reason" in transport) return transport;
  return { name, file, timeoutMs: defaultTimeoutSeconds * 1000, transport };
}

function transportOf(
  written: ForeignServer,
  file: string,
): TransportSpec | { readonly reason: string } {
  const put = (text: string) => convertVariables(text, file);
  const putAll = (record: Readonly<Record<string, unknown>> = {}) =>
    Object.fromEntries(Object.entries(record).map(([key, value]) => [key, put(String(value))]));
  const { command, args = [], env, cwd } = written;
  const url = written.url ?? written.httpUrl ?? written.serverUrl;
  const kind = (written.type ?? written.transport ?? "").toLowerCase();
  if (url !== undefined) {
    const isSocket = kind.startsWith("ws") || kind === "websocket" || /^wss?:/i.test(url);
    return {
      kind: isSocket ? "websocket" : "http",
      url: put(url),
      headers: putAll(written.headers),
    };
  }
  if (!command) return { reason: "expected 'command' or 'url', found neither" };
  return {
    kind: "stdio",
    command: put(command),
    args: args.map(put),
    env: putAll(env),
    ...(cwd === undefined ? {} : { cwd: put(cwd) }),
  };
}

/** Converts `${env:NAME}`, `${workspaceFolder}` and `${NAME:-default}` to the format of climax. */
function convertVariables(text: string, file: string): string {
  return text
    .replace(/\$\{env:([A-Za-z_]\w*)\}/g, "${$1}")
    .replace(/\$\{input:([\w-]+)\}/g, (_, id) => `\${${variableName(id)}}`)
    .replace(/\$\{([A-Za-z_]\w*):-([^{}]*)\}/g, (_, name, otherwise) => {
      return io().env.get(name) === undefined ? otherwise : `\${${name}}`;
    })
    .replaceAll("${workspaceFolder}", dirname(file) || ".")
    .replaceAll("${userHome}", "${HOME}");
}

/** Makes a name of a variable from the words of `text`. */
export function variableName(text: string): string {
  const words = text.replace(/([a-z0-9])([A-Z])/g, "$1_$2").replace(/[^A-Za-z0-9]+/g, "_");
  const name = words.replace(/^_|_$/g, "").toUpperCase();
  return /^[A-Z]/.test(name) ? name : `MCP_${name}`;
}
