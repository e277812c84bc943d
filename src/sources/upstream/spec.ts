/** The transport of a server as its config has it. Variables are expanded at use, and their values are not stored. */

import type { ResultSelect, Source, Tool } from "../../tool/tool.ts";
import { shellWord } from "../../text/shell_word.ts";
import type { SandboxFile } from "../../policy/schema.ts";
import type { ServerFile } from "./schema.ts";
import { isCredential, namesCredential, secretParts } from "./credentials.ts";
import { matchesGlob } from "../../policy/select.ts";
import { type Environment, expand } from "../../files/expand.ts";

export interface ServerSpec {
  readonly name: string;
  readonly transport: TransportSpec;
  /** The transport in its file, if an option such as `--sandbox` changed it. */
  readonly written?: TransportSpec;
  /** Milliseconds without an answer or progress, after which a request fails. */
  readonly timeoutMs: number;
  /** The part of results that is returned, by the server's own names of tools. */
  readonly selects?: Readonly<Record<string, ResultSelect>>;
  /** The only tools that are served, by the server's own names or patterns with `*`; a `!` in front excludes tools. */
  readonly tools?: readonly string[];
  /** The path of its config as the user wrote it. */
  readonly file: string;
  /** How a person logs in; absent: the metadata of the server say how. */
  readonly auth?: NonNullable<ServerFile["auth"]>;
}

/** A child process that is used over its stdin and stdout. */
export interface StdioSpec {
  readonly kind: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The working directory; absent: that of climax. */
  readonly cwd?: string;
  /** The sandbox in which the server runs; absent: it has the rights of climax. */
  readonly sandbox?: SandboxFile;
}

/** A server that runs already, and is reached by its URL. */
export interface UrlSpec {
  readonly kind: "http" | "websocket";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export type TransportSpec = StdioSpec | UrlSpec;

/** The timeout has this many seconds if the config has none. */
export const defaultTimeoutSeconds = 60;

/** Leaves out the tools that the server's entry does not allow. */
export function servedPart<List extends { readonly definitions: readonly { name: string }[] }>(
  { tools }: ServerSpec,
  listing: List,
): List {
  if (tools === undefined) return listing;
  const { out = [], only = [] } = Object.groupBy(
    tools,
    (each) => each.startsWith("!") ? "out" : "only",
  );
  const definitions = listing.definitions.filter(({ name }) => {
    return only.some((glob) => matchesGlob(glob, name)) &&
      !out.some((glob) => matchesGlob(glob.slice(1), name));
  });
  return { ...listing, definitions };
}

type Expanded<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly unset: readonly string[] };

export function expandTransport<T extends TransportSpec>(
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

/** Returns the credentials that `reached` sends: headers with a variable or a name like `token`, and URL parts. */
export function headerSecrets(written: TransportSpec, { url, headers }: UrlSpec): string[] {
  const of = written.kind === "stdio" ? {} : written.headers;
  const credentials = Object.entries(headers).filter(([name, value]) => {
    return of[name] !== value || namesCredential(name) || isCredential(value);
  });
  return [...credentials.map(([, value]) => value), ...secretParts(url)];
}

/**
 * Returns the credentials of {@linkcode headerSecrets} that are masked where the server repeats them. The value of a
 * header with a harmless name, such as that of a project, is masked only if it looks random.
 */
export function maskedSecrets(written: TransportSpec, reached: UrlSpec): string[] {
  const of = written.kind === "stdio" ? {} : written.headers;
  const plain = Object.entries(reached.headers).filter(([name, value]) => {
    const names = [name, ...(of[name] ?? "").match(/(?<=\$\{?)\w+/g) ?? []];
    const isRandom = value.length >= 16 && /\d/.test(value) && /[a-z]/i.test(value);
    return !isRandom && !isCredential(value) && !names.some(namesCredential);
  }).map(([, value]) => value);
  return headerSecrets(written, reached).filter((each) => !plain.includes(each));
}

export function variablesOf(transport: TransportSpec): string[] {
  const expanded = expandTransport(transport, () => undefined);
  return expanded.ok ? [] : [...expanded.unset];
}

/** Describes the command or URL in one line, with names of variables in place of their values. */
export function describeTransport(transport: TransportSpec): string {
  if (transport.kind !== "stdio") return transport.url;
  return [transport.command, ...transport.args].map((word) => {
    return /^[\w@%+=:,./$~^-]+$/.test(word) ? word : shellWord(word);
  }).join(" ");
}

/** Expands the variables of `transport`. @throws {Error} for a variable that is not set */
export function describeReach(
  transport: TransportSpec,
  environment: Environment,
): TransportSpec {
  const expanded = expandTransport(transport, environment);
  if (expanded.ok) return expanded.value;
  const names = expanded.unset.map((variable) => `$${variable}`).join(", ");
  throw new Error(`it needs a variable that is not set: ${names}`);
}

export const upstreamKind = "upstream";

/** The kind of thing that a call requests from the server. */
type RequestKind = "tool" | "prompt" | "resource" | "completion" | "skill";

export interface UpstreamSource extends Source {
  readonly kind: typeof upstreamKind;
  readonly server: string;
  /** The name of the tool or prompt at the server, or the address of the resource there. */
  readonly tool: string;
  /** The kind of the request. @default tool */
  readonly request?: RequestKind;
  /** The prompt or the template of addresses that a completion is for. */
  readonly ref?:
    | { readonly type: "ref/prompt"; readonly name: string }
    | { readonly type: "ref/resource"; readonly uri: string };
}

export function upstreamSourceOf(tool: Tool): UpstreamSource {
  return tool.source as UpstreamSource;
}
