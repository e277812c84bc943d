/** How a server is reached, as a config has it: variables are expanded at use and never kept. */

import { type Environment, expand } from "../../files/expand.ts";

/** One MCP server of a config. */
export interface ServerSpec {
  readonly name: string;
  readonly transport: StdioSpec | UrlSpec;
  /** Milliseconds a call may go without an answer or news of its progress. */
  readonly timeoutMs: number;
  /** The config it stands in, as the user called it. */
  readonly file: string;
}

/** A program that speaks over its standard input and output. */
export interface StdioSpec {
  readonly kind: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Directory it starts in; absent: ours. */
  readonly cwd?: string;
}

/** A server that is there already. */
export interface UrlSpec {
  readonly kind: "http" | "websocket";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Seconds a call may take without news when its config does not say. */
export const defaultTimeoutSeconds = 60;

/** A transport with its variables expanded, or the names of those that are not set. */
export type Expanded<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly unset: readonly string[] };

/** `transport` with the variables it uses put in; `environment` answers for them. */
export function expandTransport<T extends StdioSpec | UrlSpec>(
  transport: T,
  environment: Environment,
): Expanded<T> {
  const unset = new Set<string>();
  const put = (text: string): string => {
    const expansion = expand(text, environment);
    for (const name of expansion.unset) unset.add(name);
    return expansion.text;
  };
  const putAll = (record: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(record).map(([key, text]) => [key, put(text)]));
  const value = transport.kind === "stdio"
    ? {
      ...transport,
      command: put(transport.command),
      args: transport.args.map(put),
      env: putAll(transport.env),
      ...(transport.cwd === undefined ? {} : { cwd: put(transport.cwd) }),
    }
    : { ...transport, url: put(transport.url), headers: putAll(transport.headers) };
  return unset.size > 0 ? { ok: false, unset: [...unset] } : { ok: true, value: value as T };
}

/** Names of the variables that `transport` uses. */
export function variablesOf(transport: StdioSpec | UrlSpec): string[] {
  const expanded = expandTransport(transport, () => undefined);
  return expanded.ok ? [] : [...expanded.unset];
}

/** The command line or URL in one line, variables by their names. */
export function describeTransport(transport: StdioSpec | UrlSpec): string {
  if (transport.kind !== "stdio") return transport.url;
  return [transport.command, ...transport.args].map(quoteWord).join(" ");
}

function quoteWord(word: string): string {
  return /^[\w@%+=:,./$~^-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
