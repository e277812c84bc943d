/** Reads the servers of a `tamamo-x.config.json` or `.mcp.json`, or returns every problem with its line. */

import { dirname, isAbsolute, join, resolve } from "node:path";
import { systemPath } from "../../io.ts";
import type { ResultFormat } from "../../catalog/compact.ts";
import type { Finding, Path } from "../../files/finding.ts";
import { locate } from "../../files/document.ts";
import { checkSelect, selectOf } from "../../files/select_file.ts";
import { plainJson, readJsonDocument } from "../../files/json.ts";
import { readTextFile } from "../../files/text_file.ts";
import type { NamedText } from "../../text/named_text.ts";
import { messageOf, type Problem } from "../../errors.ts";
import { checkCredentials } from "./credentials.ts";
import { fromClientConfig } from "./client_config.ts";
import {
  type EmbeddingsFile,
  foreignSchema,
  type ProjectFile,
  projectSchema,
  type ServerFile,
} from "./schema.ts";
import { defaultTimeoutSeconds, type ServerSpec } from "./spec.ts";
import { canonicalJson, isObject, ownProperty } from "../../text/own_property.ts";
import { isClimax } from "../../process/own_command.ts";
import { protect } from "../../process/protected_paths.ts";
import { sha256 } from "../../text/hash.ts";
import { shellWord } from "../../text/shell_word.ts";
import { isAccepted, mayBeForeign, type Thing } from "../../trust/accepted.ts";
import { checkProvider } from "../../agents/llm/settings.ts";

export interface UpstreamConfig {
  /** The path as the user wrote it. */
  readonly file: string;
  readonly servers: readonly ServerSpec[];
  /** All keys but the servers, which have locks: used if no tool writes the file, or the person has accepted them. */
  readonly rest: Thing & { readonly written: RestOfFile; readonly isUsed: boolean };
  /** CLI configs of the project: names of bundled ones, or paths relative to the current folder. */
  readonly cliConfigs: readonly string[];
  /** Absent in the config of another client. */
  readonly llmProvider?: ProjectFile["llmProvider"];
  /** Absent: no search by meaning. */
  readonly embeddings?: EmbeddingsFile;
  /** Absolute paths of folders of skills. */
  readonly skills?: readonly string[];
  /** Absent: the setting of the policy. */
  readonly results?: ResultFormat;
  readonly projectContext?: NonNullable<ProjectFile["projectContext"]>;
  readonly groupingConstraints: GroupingConstraints;
  /** The file sets constraints. @default false */
  readonly constrainsGroups?: boolean;
}

/** A project's file without its servers, and without what says only how it is read. */
type RestOfFile = Omit<ProjectFile, "mcpServers" | "$schema" | "version">;

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
  const rest = await restOf(file, written);
  const { llmProvider, embeddings, skills, results, projectContext, cliConfigs = [], ...others } =
    rest.isUsed ? written : {};
  return {
    ok: true,
    config: {
      file,
      servers: mcpServers.map((server) => specOf(server, file)),
      rest,
      cliConfigs,
      llmProvider,
      ...(embeddings === undefined ? {} : { embeddings }),
      ...(skills && { skills: skills.map((path) => protect(resolve(folder, path))) }),
      ...(results === undefined ? {} : { results }),
      ...(projectContext === undefined ? {} : { projectContext }),
      groupingConstraints: constraintDefaults(others.groupingConstraints),
      constrainsGroups: others.groupingConstraints !== undefined,
    },
    warnings: rest.isUsed ? [] : [explainUnused({ file, rest })],
  };
}

async function restOf(file: string, written: RestOfFile): Promise<UpstreamConfig["rest"]> {
  const thing = { kind: "rest", path: file, sha256: sha256(canonicalJson(written)) } as const;
  const isEmpty = Object.keys(written).length === 0;
  return { ...thing, written, isUsed: isEmpty || !mayBeForeign(file) || await isAccepted(thing) };
}

/** Says what of a file is not used, and how it is accepted. */
export function explainUnused({ file, rest }: Pick<UpstreamConfig, "file" | "rest">): Problem {
  const keys = Object.keys(rest.written).map((key) => `'${key}'`).join(", ");
  const message = `Not used, because you have not accepted it as it is: ${keys}`;
  return { file, message, hint: `Look and accept: climax trust --all --mcp ${shellWord(file)}` };
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
  // Moved from a client's file, and to be moved back there unchanged
  const isAdopted = read.value.written !== undefined;
  for (const { path, message } of isAdopted ? [] : checkCredentials(read.value)) {
    const hint = "climax init moves it into an environment variable";
    warnings.push({ path, message, hint });
  }
  const plain = plainJson(text);
  const rest = await restOf(file, {});
  if (problems.length > 0) {
    return { ok: false, problems: await locate(file, plain, problems), unreadable: false };
  }
  return {
    ok: true,
    config: { file, servers, rest, groupingConstraints: constraintDefaults(), cliConfigs: [] },
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

/** Accepts values that fail the schema; paths are relative to `folder`. */
function checkProject(value: unknown, folder: string): Finding[] {
  const servers = ownProperty(value, "mcpServers");
  return [
    ...(Array.isArray(servers) ? servers.flatMap(checkServer) : []),
    ...(Array.isArray(servers) ? checkNames(servers) : []),
    ...checkProvider(ownProperty(value, "llmProvider")),
    ...checkEmbeddings(ownProperty(value, "embeddings")),
    ...checkContext(ownProperty(value, "projectContext"), folder),
    ...checkConstraints(ownProperty(value, "groupingConstraints")),
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
  // The value of a variable is checked at use
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

function checkEmbeddings(embeddings: unknown): Finding[] {
  const endpoint = ownProperty(embeddings, "endpoint");
  if (typeof endpoint !== "string") return [];
  const path = ["embeddings", "endpoint"];
  const url = URL.parse(endpoint);
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    const message = `'endpoint': '${endpoint}' is not a URL that begins with http:// or https://`;
    const hint = "The base URL as OpenAI clients have it, such as http://127.0.0.1:11434/v1";
    return [{ path, message, hint }];
  }
  if (url.username === "" && url.password === "") return [];
  const hint =
    "'apiKeyVariable' names an environment variable whose value is sent as a bearer token";
  return [{ path, message: "'endpoint' has a user's name in it, which cannot be sent", hint }];
}

function checkContext(context: unknown, folder: string): Finding[] {
  return ["agentFilePath", "claudeFilePath"].flatMap((key) => {
    const path = ownProperty(context, key);
    if (typeof path !== "string") return [];
    const reason = whyNotMarkdown(isAbsolute(path) ? path : join(folder, path));
    const message = `'${key}': '${path}' ${reason}`;
    return reason === undefined ? [] : [{ path: ["projectContext", key], message }];
  });
}

function whyNotMarkdown(path: string): string | undefined {
  if (!/\.(?:md|markdown|mdx)$/i.test(path)) return "is not a Markdown file, expected .md";
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(Deno.readFileSync(systemPath(protect(path))));
    return undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "is not found";
    if (error instanceof TypeError) return "is not UTF-8 text";
    return `cannot be read: ${messageOf(error)}`;
  }
}

const defaults = { minToolsPerGroup: 5, maxToolsPerGroup: 20, minGroups: 3, maxGroups: 10 };

/** With defaults applied. */
type GroupingConstraints = Readonly<typeof defaults>;

function constraintDefaults(written: ProjectFile["groupingConstraints"] = {}): GroupingConstraints {
  const given = Object.entries(written).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(given) };
}

/** Limits that contradict each other; `written` may fail the schema. */
function checkConstraints(written: unknown): Finding[] {
  const valueOf = (key: keyof GroupingConstraints) => {
    const value = (written as Record<string, unknown> | null)?.[key];
    return typeof value === "number" ? value : defaults[key];
  };
  const pairs = [["minToolsPerGroup", "maxToolsPerGroup"], ["minGroups", "maxGroups"]] as const;
  return pairs.flatMap(([least, most]) => {
    if (valueOf(most) >= valueOf(least)) return [];
    const given = (written as Record<string, unknown> | null)?.[most] === undefined ? least : most;
    const message = `'${most}' (${valueOf(most)}) is less than '${least}' (${valueOf(least)})`;
    return [{ path: ["groupingConstraints", given], message }];
  });
}
