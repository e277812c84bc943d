/** A server as its config describes it. Variables are replaced when it is used, and their values are not stored. */

import type { ResultSelect, Source, Tool } from "../../tool/tool.ts";
import { shellWord } from "../../text/shell_word.ts";
import type { SandboxFile } from "../../policy/schema.ts";
import type { ServerFile } from "./schema.ts";
import { isCredential, namesCredential, secretParts } from "./credentials.ts";
import { matchesGlob } from "../../policy/select.ts";
import { type Environment, expand } from "../../files/expand.ts";
import type { Sandbox } from "../../exec/sandbox_view.ts";
import type { Finding } from "../../files/finding.ts";
import { optionalVariable } from "../../io.ts";

export interface ServerSpec {
  readonly name: string;
  readonly transport: TransportSpec;
  readonly written?: TransportSpec;
  readonly timeoutMs: number;
  readonly selects?: Readonly<Record<string, ResultSelect>>;
  readonly tools?: readonly string[];
  readonly file: string;
  readonly auth?: NonNullable<ServerFile["auth"]>;
}

export interface StdioSpec {
  readonly kind: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly sandbox?: SandboxFile;
}

export interface UrlSpec {
  readonly kind: "http" | "websocket";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export type TransportSpec = StdioSpec | UrlSpec;
export const defaultTimeoutSeconds = 60;

export function servedPart<List extends { readonly definitions: readonly { name: string }[] }>(
  { tools }: ServerSpec,
  listing: List,
): List {
  if (tools === undefined) return listing;
  const definitions = listing.definitions.filter(({ name }) => {
    return tools.some((glob) => !glob.startsWith("!") && matchesGlob(glob, name)) &&
      !tools.some((glob) => glob.startsWith("!") && matchesGlob(glob.slice(1), name));
  });
  return { ...listing, definitions };
}

export function expandTransport<T extends TransportSpec>(
  transport: T,
  environment: Environment,
): { ok: true; value: T } | { ok: false; unset: readonly string[] } {
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
      ...(transport.cwd && { cwd: put(transport.cwd) }),
    }
    : { ...transport, url: put(transport.url), headers: putAll(transport.headers) };
  return unset.size > 0 ? { ok: false, unset: [...unset] } : { ok: true, value: value as T };
}

/** Returns the credentials that a server gets: headers with a variable or a name like `token`, and parts of the URL. */
export function headerSecrets(written: TransportSpec, { url, headers }: UrlSpec): string[] {
  const of = written.kind === "stdio" ? {} : written.headers;
  const credentials = Object.entries(headers).filter(([name, value]) => {
    return of[name] !== value || namesCredential(name) || isCredential(value);
  });
  return [...credentials.map(([, value]) => value), ...secretParts(url)];
}

/** Returns the texts that are masked in answers of the server: credentials, and other headers that look random. */
export function maskedSecrets(written: TransportSpec, reached: UrlSpec): string[] {
  const of = written.kind === "stdio" ? {} : written.headers;
  const plain = Object.entries(reached.headers).filter(([name, value]) => {
    const names = [name, ...(of[name] ?? "").match(/(?<=\$\{?)\w+/g) ?? []];
    const isRandom = value.length >= 16 && /\d/.test(value) && /[a-z]/i.test(value);
    return !isRandom && !isCredential(value) && !names.some(namesCredential);
  }).map(([, value]) => value);
  return headerSecrets(written, reached).filter((each) => !plain.includes(each));
}

export function variablesOf(transport: TransportSpec): readonly string[] {
  const expanded = expandTransport(transport, () => undefined);
  return expanded.ok ? [] : expanded.unset;
}

/** Describes the command or URL in one line, with names of variables in place of their values. */
export function describeTransport(transport: TransportSpec): string {
  if (transport.kind !== "stdio") return transport.url;
  return [transport.command, ...transport.args].map((word) => {
    return /^[\w@%+=:,./$~^-]+$/.test(word) ? word : shellWord(word);
  }).join(" ");
}

/** Returns `transport` with the values of its variables. @throws {Error} if a variable is not set */
export function describeReach(transport: TransportSpec, environment: Environment): TransportSpec {
  const expanded = expandTransport(transport, environment);
  if (expanded.ok) return expanded.value;
  const names = expanded.unset.map((variable) => `$${variable}`).join(", ");
  throw new Error(`it needs a variable that is not set: ${names}`);
}

/** Reads the sandbox in a server's config. @throws {Error} with all problems in it */
export async function serverSandbox(written: SandboxFile): Promise<Sandbox> {
  const { resolveSandbox } = await import("../../policy/sandbox.ts");
  const problems: Finding[] = [];
  const reading = { environment: optionalVariable, problems };
  const sandbox = await resolveSandbox(written, ["sandbox"], reading);
  if (problems.length === 0) return sandbox;
  const texts = problems.map(({ message, hint }) => `${message}${hint ? ` (${hint})` : ""}`);
  throw new Error(texts.join("; "));
}

export const upstreamKind = "upstream";

export interface UpstreamSource extends Source {
  readonly kind: typeof upstreamKind;
  readonly server: string;
  /** The server's own name of the tool or prompt, or its own address of the resource. */
  readonly tool: string;
  /** What is requested of the server. @default tool */
  readonly request?: "tool" | "prompt" | "resource" | "completion";
  readonly ref?:
    | { readonly type: "ref/prompt"; readonly name: string }
    | { readonly type: "ref/resource"; readonly uri: string };
}

export function upstreamSourceOf(tool: Tool): UpstreamSource {
  return tool.source as UpstreamSource;
}
