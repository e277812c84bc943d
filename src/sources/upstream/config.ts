/** Reads the servers of a `tamamo-x.config.json` or `.mcp.json`, or returns every problem with its line. */

import { dirname, resolve } from "node:path";
import { systemPath } from "../../io.ts";
import type { ResultFormat } from "../../catalog/compact.ts";
import type { Finding } from "../../files/finding.ts";
import { locate } from "../../files/document.ts";
import { checkSelect, selectOf } from "../../files/select_file.ts";
import { plainJson, readJsonDocument } from "../../files/json.ts";
import { readTextFile } from "../../files/text_file.ts";
import type { NamedText } from "../../text/named_text.ts";
import type { Problem } from "../../errors.ts";
import { checkCredentials } from "./credentials.ts";
import { checkProject, constraintDefaults, type GroupingConstraints } from "./_checks.ts";
import { fromClientConfig } from "./client_config.ts";
import {
  type EmbeddingsFile,
  foreignSchema,
  type ProjectFile,
  projectSchema,
  type ServerFile,
} from "./schema.ts";
import { defaultTimeoutSeconds, type ServerSpec } from "./spec.ts";
import { isObject } from "../../text/own_property.ts";

export interface UpstreamConfig {
  /** The path as the user wrote it. */
  readonly file: string;
  readonly servers: readonly ServerSpec[];
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

type ConfigResult =
  | {
    readonly ok: true;
    readonly config: UpstreamConfig;
    readonly warnings: readonly Problem[];
  }
  | { readonly ok: false; readonly problems: readonly Problem[]; readonly unreadable: boolean };

/** Reads the config at a path, or a given text. */
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
  const { mcpServers, llmProvider, embeddings, skills, results, projectContext } = read.value;
  const wrong = await checkSelects(mcpServers);
  if (wrong.length > 0) {
    const problems = await locate(file, plainJson(text), wrong);
    return { ok: false, problems, unreadable: false };
  }
  return {
    ok: true,
    config: {
      file,
      servers: mcpServers.map((server) => specOf(server, file)),
      cliConfigs: read.value.cliConfigs ?? [],
      llmProvider,
      ...(embeddings === undefined ? {} : { embeddings }),
      ...(skills === undefined ? {} : { skills: skills.map((path) => resolve(folder, path)) }),
      ...(results === undefined ? {} : { results }),
      ...(projectContext === undefined ? {} : { projectContext }),
      groupingConstraints: constraintDefaults(read.value.groupingConstraints),
      constrainsGroups: read.value.groupingConstraints !== undefined,
    },
    warnings: [],
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
    else servers.push(spec);
  }
  // Moved from a client's file, and to be moved back there unchanged
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
    config: { file, servers, groupingConstraints: constraintDefaults(), cliConfigs: [] },
    warnings: await locate(file, plain, warnings),
  };
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
