/** Opens a project for `climax build`, `list --groups` and `mcp`: config, file of groups, session over its tools. */

import { dirname, isAbsolute, join } from "node:path";
import { readTextFile } from "../files/text_file.ts";
import type { NamedText } from "../text/named_text.ts";
import { type ClimaxError, FileError, formatProblem, type Problem } from "../errors.ts";
import { findCredential } from "../agents/llm/credential.ts";
import type { Credential } from "../agents/llm/lookup.ts";
import type { LlmSettings } from "../agents/llm/settings.ts";
import { log } from "../log.ts";
import { canAsk, confirmAtTerminal } from "./ask.ts";
import { confirmStart, defaultProjectFile, serversToAccept } from "./project_file.ts";
import { openSession, type Session, type SessionOptions } from "../session/session.ts";
import { explainUnused, groupsBeside } from "../sources/project_settings.ts";
import { isConfigPath } from "../sources/command/locate.ts";
import {
  explainEmpty,
  readUpstreamConfig,
  type UpstreamConfig,
} from "../sources/upstream/config.ts";
import { plural } from "../text/plural.ts";
import type { GroupsFile } from "../agents/groups.ts";
import { optionalVariable } from "../io.ts";
import { climax } from "../process/own_command.ts";

export interface Project {
  readonly config: UpstreamConfig;
  readonly source: NamedText;
  readonly folder: string;
  readonly groups: string;
  /** True if the person named the file: its servers may then be started without a question. */
  readonly isNamed: boolean;
}

export async function openProject(given?: string): Promise<Project> {
  const file = given ?? await defaultProjectFile();
  const text = await readTextFile(file);
  if (!text.ok) throw projectError([{ hint: `${climax()} init makes one`, ...text.problem }]);
  const source = { file, text: text.text };
  const read = await readUpstreamConfig(source);
  if (!read.ok) throw projectError(read.problems);
  const { config } = read;
  if (config.servers.length + config.cliConfigs.length === 0) {
    throw projectError([explainEmpty(config) ?? explainUnused(config)]);
  }
  const groups = groupsBeside(file);
  return { config, source, folder: dirname(file), groups, isNamed: given !== undefined };
}

export async function projectSession(
  { config, source, isNamed }: Project,
  options: Omit<SessionOptions, "configs" | "mcp">,
): Promise<Session> {
  const waiting = isNamed ? [] : await serversToAccept(source.file, config.servers);
  if (waiting.length > 0 && !await confirmStart(waiting)) {
    const names = waiting.map(({ name }) => name).join(", ");
    const message = `You have not accepted what it starts or reaches: ${names}`;
    const hint = `${climax()} trust --all shows it and asks; a file that you name is used as it is`;
    throw projectError([{ file: source.file, message, hint }]);
  }
  const configs = options.watch ? [] : await cliConfigsOf(source.file)();
  const { servers, embeddings, results } = config;
  const isOnlyClis = servers.length === 0 && embeddings === undefined && results === undefined;
  // With `watch`, the path is passed instead of the text, so that the file is read again when it changes
  const mcp = options.watch ? [source.file] : isOnlyClis ? [] : [source];
  const moreConfigs = options.watch ? cliConfigsOf(source.file) : undefined;
  return await openSession({ ...options, configs, moreConfigs, mcp });
}

export function cliConfigsOf(file: string): () => Promise<readonly string[]> {
  return async () => {
    const read = await readUpstreamConfig(file);
    // Paths of configs in the file are relative to the project's folder
    return (read.ok ? read.config.cliConfigs : []).map((spec) => {
      return isConfigPath(spec) && !isAbsolute(spec) ? join(dirname(file), spec) : spec;
    });
  };
}

export interface UsableModel {
  readonly settings: LlmSettings;
  readonly credential: Credential;
}

export async function usableModel(
  { config }: Project,
  ask: ((question: string) => Promise<string | undefined>) | undefined,
  instead: string,
): Promise<UsableModel | undefined> {
  const warn = (problem: Problem) => {
    const message = `${problem.message}\n${instead}`.trimEnd();
    log("warning", formatProblem({ ...problem, message }));
  };
  const { llmProvider: settings, rest } = config;
  if (settings === undefined) {
    const message = `The config names no 'llmProvider': ${climax()} init --provider TYPE adds one`;
    warn(rest.written.llmProvider === undefined ? { message } : explainUnused(config));
    return undefined;
  }
  const confirm = ask && canAsk() ? confirmAtTerminal : undefined;
  const found = await findCredential(settings, { environment: optionalVariable, ask, confirm });
  if (!found.ok) {
    warn(found.problem);
    return undefined;
  }
  if (found.warning !== undefined) {
    log("warning", formatProblem({ ...found.warning, file: config.file }));
  }
  log("info", `credential of '${settings.type}': ${found.credential.from}`);
  return { settings, credential: found.credential };
}

function projectError(problems: readonly Problem[]): ClimaxError {
  const count = plural(problems.length, "problem");
  return new FileError(`The project was not opened: ${count}`, ...problems);
}

/**
 * Reads the file of groups, and warns if the number or the sizes of the groups miss the limits.
 * @throws {FileError} if the file is invalid
 */
export async function readGroupsOf({ groups, config }: Project, failure: string) {
  const { readGroups } = await import("../agents/groups.ts");
  const { draftOf, limitProblems } = await import("../agents/group_draft.ts");
  const read = await readGroups(groups);
  if (!read.ok) throw new FileError(failure, ...read.problems);
  for (const message of limitProblems(read.value.groups.map(draftOf), config.groupingConstraints)) {
    log("warning", formatProblem({ file: groups, message }));
  }
  return read.value;
}

export function groupsTable({ groups }: GroupsFile): [header: string[], rows: string[][]] {
  return [
    ["ID", "TOOLS", "SCORE", "FROM", "DESCRIPTION"],
    groups.map(({ id, tools, complementarityScore: score, description }) => [
      id,
      String(tools.length),
      score === undefined ? "" : score.toFixed(2),
      [...new Set(tools.map(({ serverName }) => serverName))].join(", "),
      description,
    ]),
  ];
}
