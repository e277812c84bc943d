/** START HERE for `climax doctor`: finds faults that prevent climax from working, each with its remedy. */

import { dirname, parse } from "node:path";
import { formatProblem, messageOf, type Problem } from "../errors.ts";
import { ask } from "../exec/ask_program.ts";
import { sandboxesOf } from "../exec/executor.ts";
import { findProgram } from "../exec/find_program.ts";
import { run } from "../exec/run.ts";
import { sandboxProblem, sandboxSupport } from "../exec/sandbox_check.ts";
import type { Sandbox } from "../exec/sandbox_view.ts";
import { optionalVariable, systemPath } from "../io.ts";
import { homeFolders, shortPath } from "../process/folders.ts";
import { watch } from "../process/progress.ts";
import { climax, servingCommand } from "../process/own_command.ts";
import { type LoadedSession, loadTools } from "../session/load.ts";
import { isBundled } from "../sources/command/bundled.ts";
import { configProgramOf, type ProgramUse, programWarnings } from "../sources/command/program.ts";
import { askServer } from "../sources/upstream/ask_server.ts";
import { readUpstreamConfig } from "../sources/upstream/config.ts";
import { UpstreamError } from "../sources/upstream/error.ts";
import { loginReport } from "../sources/upstream/login/logins.ts";
import { loginCommand } from "../sources/upstream/login/login.ts";
import { plural } from "../text/plural.ts";
import type { Tool } from "../tool/tool.ts";
import { runConcurrently } from "./_tree.ts";
import { type ClientPlace, findClients } from "./client_file.ts";
import { findingsOf } from "./validation.ts";

interface DoctorOptions {
  readonly configs: readonly string[];
  /** Files of the project that no person has accepted: their programs are not started. */
  readonly foreign: readonly string[];
  readonly others: readonly string[];
  readonly mcp: readonly string[];
  readonly policy?: string | undefined;
  readonly folder: string;
}

export async function examine(options: DoctorOptions, tell: Reporter): Promise<void> {
  if (homeFolders() === undefined) {
    const message = "Not set, so configs of your own and what clients have are not found";
    const remedy = "Set it where climax is started";
    await new Subject("file", "HOME", tell).say("warning", message, remedy);
  }
  const uses: Use[] = [];
  for (const config of new Set([...options.configs, ...options.others])) {
    const isOther = !options.configs.includes(config);
    const loaded = await loadTools({ configs: [config] });
    await loaded.close();
    await examineConfig(new Subject("config", config, tell), loaded, isOther);
    if (loaded.problems.length === 0) uses.push(...usesOf(loaded.tools, isOther));
  }
  for (const file of options.foreign) {
    const message = "Not checked: it belongs to the project and was not accepted";
    const remedy = `Read it, and accept it: ${climax()} trust --project ${parse(file).name}`;
    await new Subject("config", file, tell).say("warning", message, remedy);
  }
  await examinePrograms(uses, tell);
  if (options.policy !== undefined) await examinePolicy(options.policy, options, tell);
  for (const file of options.mcp) await examineServers(file, tell);
  for (const place of await findClients(options.folder)) await examineClient(place, tell);
  for (const name of ["CLIMAX_LOG_FILE", "CLIMAX_AUDIT_FILE"]) await examineFile(name, tell);
}

async function examineConfig(subject: Subject, loaded: LoadedSession, isOther: boolean) {
  if (loaded.problems.length > 0) {
    const otherwise = `${climax()} validate ${subject.name} says it again after an edit`;
    return await subject.explain(loaded.problems, otherwise);
  }
  await subject.say("ok", plural(loaded.tools.length, "tool"));
  if (!isOther) await tellWarnings(subject, loaded);
}

async function tellWarnings(subject: Subject, loaded: LoadedSession): Promise<void> {
  const { hazards, refused } = await findingsOf(loaded, subject.name);
  for (const warning of [...loaded.warnings, ...hazards, ...refused]) {
    const otherwise = `Change the ${subject.about}, or leave it: this stops nothing`;
    await subject.explain([warning], otherwise, "warning");
  }
}

async function examinePolicy(policy: string, options: DoctorOptions, tell: Reporter) {
  const configs = options.configs.length > 0 ? options.configs : options.others;
  const loaded = await loadTools({ configs, policy });
  await loaded.close();
  const subject = new Subject("policy", policy, tell);
  if (loaded.problems.length > 0) {
    const otherwise = loaded.unreadable
      ? "Name a file that is there, or a bundled policy such as git-readonly"
      : `See ${climax()} validate ${configs.join(" ")} --policy ${policy}`;
    return await subject.explain(loaded.problems, otherwise);
  }
  await subject.say("ok", `Leaves ${plural(loaded.tools.length, "tool")}`);
  await tellWarnings(subject, loaded);
  if (loaded.executor.kind === "docker") await examineDocker(tell);
  await examineSandbox(sandboxesOf(loaded.executor), tell);
}

async function examineSandbox(sandboxes: readonly Sandbox[], tell: Reporter): Promise<void> {
  if (sandboxes.length === 0) return;
  const subject = new Subject("sandbox", "bwrap", tell);
  const problem = await sandboxProblem(sandboxes);
  if (problem !== undefined) return await subject.explain([problem], "See docs/sandbox.md");
  const support = await sandboxSupport(sandboxes[0]!.network);
  await subject.say("ok", support.ok ? support.name : "");
}

async function examineDocker(tell: Reporter): Promise<void> {
  const docker = findProgram("docker", { env: {} }) ?? "docker";
  const output = await ask(docker, ["version", "--format", "{{.Server.Version}}"]);
  const subject = new Subject("docker", "docker", tell);
  if (output.ok) return await subject.say("ok", `Server ${output.stdout}`);
  const remedy = "Start its daemon, and see that you may talk to it: docker version";
  await subject.say("problem", output.complaint.split("\n")[0]!, remedy);
}

/** Checks whether a log file could be written. A file that does not exist is not created. */
async function examineFile(variable: string, tell: Reporter): Promise<void> {
  const path = optionalVariable(variable);
  if (!path) return;
  const subject = new Subject("file", `${variable}=${path}`, tell);
  try {
    const isThere = await Deno.stat(systemPath(path)).then(() => true, () => false);
    if (isThere) (await Deno.open(systemPath(path), { append: true })).close();
    else await Deno.remove(await Deno.makeTempFile({ dir: dirname(systemPath(path)) }));
    await subject.say("ok", "Can be written");
  } catch (error) {
    const remedy = "Make its folder, allow writing there, or name another file";
    await subject.say("problem", `Cannot be written: ${messageOf(error)}`, remedy);
  }
}

interface Use extends ProgramUse {
  readonly tool: Tool;
  readonly isOther: boolean;
}

function usesOf(tools: readonly Tool[], isOther: boolean): readonly Use[] {
  return tools.flatMap((tool) => {
    const use = configProgramOf(tool);
    return use === undefined ? [] : { ...use, tool, isOther };
  });
}

async function examinePrograms(uses: readonly Use[], tell: Reporter): Promise<void> {
  const programs = Map.groupBy(uses, ({ name }) => name);
  const findings = new Map<string, Finding>();
  await runConcurrently(programs, async ([name, uses]) => {
    findings.set(name, await findingOf(uses));
  });
  for (const name of programs.keys()) {
    await new Subject("program", name, tell).say(...findings.get(name)!);
  }
}

type Finding = Parameters<Subject["say"]>;

async function findingOf(uses: readonly Use[]): Promise<Finding> {
  const [use] = uses as readonly [Use, ...Use[]];
  const path = findProgram(use.name, use.surroundings);
  const [other] = path === undefined ? [] : await programWarnings([use.tool]);
  if (path !== undefined && other === undefined) {
    return ["ok", `${shortPath(path)}, ${await versionOf(use, path)}`];
  }
  const missing = `Not on PATH; ${plural(uses.length, "tool")} cannot run`;
  const [message, remedy] = (other ?? missing).split("\n") as [string, string?];
  const otherwise = use.program?.install ?? "Install it, or leave its config out";
  return use.isOther ? ["note", message] : ["problem", message, remedy ?? otherwise];
}

const versionTimeoutMs = 10_000;
const maxVersion = 200;

async function versionOf({ name, surroundings: { env } }: ProgramUse, path: string) {
  const args = name === "kubectl" ? ["version", "--client"] : ["--version"];
  const invocation = { argv: [path, ...args] as const, env, timeoutMs: versionTimeoutMs };
  const work = { verb: "asking", subject: [name, ...args].join(" ") };
  const { ending, stdout, stderr } = await watch(work, () => run(invocation));
  const [line = ""] = (stdout.text.trim() || stderr.text.trim()).split("\n");
  // ffmpeg ends with an error after it has printed its version, so the exit code alone proves nothing
  const isVersion = ending.kind === "exited" &&
    (ending.code === 0 || line.startsWith(`${name} version `));
  return isVersion && line.slice(0, maxVersion) || "version unknown";
}

async function examineServers(file: string, tell: Reporter): Promise<void> {
  const read = await readUpstreamConfig(file);
  const subject = new Subject("server", file, tell);
  if (!read.ok) {
    const otherwise = `${climax()} validate --mcp ${file} says it again`;
    return await subject.explain(read.problems, otherwise);
  }
  for (const { message } of read.warnings) await subject.say("note", message);
  await Promise.all(read.config.servers.map(async (spec) => {
    const subject = new Subject("server", spec.name, tell);
    try {
      const listing = await askServer(spec);
      const count = plural(listing.definitions.length, "tool");
      await subject.say("ok", [count, ...await loginReport(spec)].join("; "));
      for (const message of listing.warnings) {
        await subject.say("warning", message, "Tell its authors, or leave it: the rest is served");
      }
    } catch (error) {
      const isLogin = error instanceof UpstreamError && error.kind === "needs a login";
      const otherwise = `Do what it says, or correct its command, address or 'env' in ${file}`;
      const remedy = isLogin ? `Log in: ${loginCommand(spec)}` : otherwise;
      await subject.say("problem", messageOf(error), remedy);
    }
  }));
}

/** Milliseconds that the command in a client's file may take to start. */
const startTimeoutMs = 30_000;

async function examineClient(place: ClientPlace, tell: Reporter): Promise<void> {
  const { client, scope, path, command = [], problem } = place;
  const subject = new Subject("client", `${client.name} (${scope})`, tell);
  if (problem !== undefined) return await subject.say("problem", problem, "Fix the file");
  const [program, ...args] = command;
  if (program === undefined) {
    if (scope === "user") await subject.say("note", "Does not start climax");
    return;
  }
  // A project's file may come from a stranger and start any program, so it is only started if it is harmless
  if (scope === "project" && !isHarmless(command, servingCommand())) {
    const message = `Not started, since ${path} belongs to the project: ${command.join(" ")}`;
    return await subject.say("warning", message, "Read it, and start it yourself");
  }
  try {
    const transport = { kind: "stdio", command: program, args, env: {} } as const;
    const spec = { name: client.name, transport, timeoutMs: startTimeoutMs, file: path };
    const listing = await askServer(spec, { wasSeen: true });
    await subject.say("ok", `Starts, and shows ${plural(listing.definitions.length, "tool")}`);
  } catch (error) {
    const remedy = `${climax()} connect ${client.name} CONFIG writes a command that works now`;
    await subject.say("problem", `What it starts does not work: ${messageOf(error)}`, remedy);
  }
}

/** Returns true if `command` starts climax with bundled configs only: other words may be files that name programs. */
function isHarmless(command: readonly string[], own: readonly string[]): boolean {
  return own.every((word, index) => command[index] === word) &&
    command.slice(own.length).every((word) => {
      return word === "run" || word === "--classic" || isBundled(word);
    });
}

export interface DoctorRow {
  readonly about:
    | "config"
    | "program"
    | "policy"
    | "docker"
    | "sandbox"
    | "server"
    | "client"
    | "file";
  readonly subject: string;
  readonly state: "ok" | "note" | "warning" | "problem";
  readonly message: string;
  /** What a person should do; absent if there is nothing to do. */
  readonly remedy?: string | undefined;
}

type Reporter = (finding: DoctorRow) => Promise<void>;

class Subject {
  constructor(
    readonly about: DoctorRow["about"],
    readonly name: string,
    readonly tell: Reporter,
  ) {}

  async say(state: DoctorRow["state"], message: string, remedy?: string): Promise<void> {
    await this.tell({ about: this.about, subject: this.name, state, message, remedy });
  }

  async explain(
    problems: readonly Problem[],
    otherwise: string,
    state: "problem" | "warning" = "problem",
  ): Promise<void> {
    const named = problems.map(({ file, ...problem }): Problem => {
      const isNamed = file === undefined || file === this.name && problem.line === undefined;
      return isNamed ? problem : { file, ...problem };
    });
    const [{ hint = otherwise, ...only } = { message: "" }, ...others] = named;
    await (others.length === 0
      ? this.say(state, formatProblem(only), hint)
      : this.say(state, named.map(formatProblem).join("\n"), otherwise));
  }
}
