/**
 * START HERE for `climax doctor`: finds what keeps climax from working on this machine, each with its
 * remedy. Programs are asked for their versions and help, servers for their tools, and the commands in
 * clients' files are started.
 */

import { dirname, parse } from "node:path";
import { systemPath } from "../io.ts";
import { messageOf, type Problem } from "../errors.ts";
import { sandboxesOf } from "../exec/executor.ts";
import { run } from "../exec/run.ts";
import { sandboxProblem, sandboxSupport } from "../exec/sandbox_check.ts";
import type { Sandbox } from "../exec/sandbox_view.ts";
import { runnersWithTools } from "../session/permissions.ts";
import { checkDefaults } from "../policy/defaults.ts";
import { optionalVariable } from "../process/environment.ts";
import { homeFolders } from "../process/folders.ts";
import { type LoadedSession, loadTools } from "../session/load.ts";
import { plural } from "../text/plural.ts";
import { examineDrift } from "./_drift_check.ts";
import { runConcurrently } from "./_concurrency.ts";
import { ProgramInspector, usedIn } from "./_program_inspector.ts";
import {
  type Examination,
  examinePrograms,
  type NamedConfig,
  uniquePrograms,
} from "./_doctor_programs.ts";
import { findClients } from "./client_places.ts";
import { type DoctorRow, remedied, type Reporter } from "./doctor_row.ts";
import { examineClient, examineServers } from "./_started_servers.ts";

/** The subjects of the examination. */
export interface DoctorOptions {
  readonly configs: readonly string[];
  /** Files of the project that are neither named nor accepted: their programs are not started. */
  readonly foreign: readonly string[];
  /** Configs that are not named: that their programs are missing is not a problem. */
  readonly others: readonly string[];
  readonly mcp: readonly string[];
  readonly policy?: string | undefined;
  /** The current folder. */
  readonly folder: string;
}

/** Examines everything; `tell` is called with each finding as soon as it is known. */
export async function examine(
  options: DoctorOptions,
  tell: Reporter,
): Promise<void> {
  await using inspector = new ProgramInspector();
  if (homeFolders() === undefined) await tell(noHome);
  const loaded = new Map<string, LoadedSession>();
  for (const config of new Set([...options.configs, ...options.others])) {
    loaded.set(config, await loadTools({ configs: [config] }));
    await loaded.get(config)!.close();
  }
  const all = [...loaded.values()].flatMap(({ tools }) => usedIn(tools));
  await runConcurrently(uniquePrograms(all), ({ use }) => inspector.inspect(use));
  const context = { inspector, tell, told: new Set<string>() };
  for (const config of options.configs) {
    await examineConfig({ config, isOther: false }, loaded.get(config)!, context);
    await examineDrift(loaded.get(config)!.tools, options.folder, tell);
  }
  for (const file of options.foreign) await tell(notLookedAt(file));
  for (const config of options.others) {
    await examineConfig({ config, isOther: true }, loaded.get(config)!, context);
  }
  if (options.policy !== undefined) await examinePolicy(options.policy, options, tell);
  for (const file of options.mcp) await examineServers(file, tell);
  for (const place of await findClients(options.folder)) await examineClient(place, tell);
  for (const name of ["CLIMAX_LOG_FILE", "CLIMAX_AUDIT_FILE"]) await examineFile(name, tell);
}

const noHome: DoctorRow = {
  about: "file",
  subject: "HOME",
  state: "warning",
  message: "Not set, so configs of your own and what clients have are not found",
  remedy: "Set it where climax is started",
};

function notLookedAt(file: string): DoctorRow {
  const message = "Not checked: it belongs to the project and was not accepted";
  const remedy = `Read it, and accept it: climax trust --project ${parse(file).name}`;
  return { about: "config", subject: file, state: "warning", message, remedy };
}

async function examineConfig(
  { config, isOther }: NamedConfig,
  loaded: LoadedSession,
  examination: Examination,
): Promise<void> {
  const { tools, problems } = loaded;
  const { tell } = examination;
  if (problems.length > 0) {
    const said = remedied(
      config,
      problems,
      `climax validate ${config} says it again after an edit`,
    );
    return await tell({ about: "config", subject: config, state: "problem", ...said });
  }
  const message = plural(tools.length, "tool");
  await tell({ about: "config", subject: config, state: "ok", message });
  for (const warning of await warningsOf(loaded)) {
    if (isOther) continue;
    const said = remedied(config, [warning], "Change the config, or leave it: this stops nothing");
    await tell({ about: "config", subject: config, state: "warning", ...said });
  }
  await examinePrograms({ config, isOther }, tools, examination);
}

/** The warnings of loading and of the runners, and defaults that would be refused. */
async function warningsOf(loaded: LoadedSession): Promise<Problem[]> {
  const checks = await Promise.all(
    runnersWithTools(loaded).map(([runner, own]) => runner.check(own)),
  );
  const refused = await Promise.all(loaded.tools.map((tool) => {
    return checkDefaults(tool, loaded.runners.get(tool.source.kind));
  }));
  const sentences = [...checks.flatMap(({ warnings }) => warnings), ...refused.flat()];
  return [...loaded.warnings, ...sentences.map((message) => ({ message }))];
}

async function examinePolicy(
  policy: string,
  options: DoctorOptions,
  tell: Reporter,
): Promise<void> {
  const configs = options.configs.length > 0 ? options.configs : options.others;
  const loaded = await loadTools({ configs, policy });
  await loaded.close();
  const about = { about: "policy", subject: policy } as const;
  if (loaded.problems.length > 0) {
    const remedy = loaded.unreadable
      ? "Name a file that is there, or a bundled policy such as git-readonly"
      : `climax validate ${configs.join(" ")} --policy ${policy} says more`;
    const said = remedied(policy, loaded.problems, remedy);
    return await tell({ ...about, state: "problem", ...said });
  }
  await tell({ ...about, state: "ok", message: `Leaves ${plural(loaded.tools.length, "tool")}` });
  for (const warning of await warningsOf(loaded)) {
    const said = remedied(policy, [warning], "Change the policy, or leave it: this stops nothing");
    await tell({ ...about, state: "warning", ...said });
  }
  if (loaded.executor.kind === "docker") await examineDocker(tell);
  await examineSandbox(sandboxesOf(loaded.executor), tell);
}

async function examineSandbox(sandboxes: readonly Sandbox[], tell: Reporter): Promise<void> {
  if (sandboxes.length === 0) return;
  const about = { about: "sandbox", subject: "bwrap" } as const;
  const problem = await sandboxProblem(sandboxes);
  if (problem === undefined) {
    const support = await sandboxSupport(sandboxes[0]!.network);
    const message = support.ok ? support.name : "";
    return await tell({ ...about, state: "ok", message });
  }
  const said = remedied("bwrap", [problem], "See docs/policy.md, Sandbox");
  await tell({ ...about, state: "problem", ...said });
}

/** Milliseconds that docker may take to answer. */
const dockerTimeoutMs = 20_000;

async function examineDocker(tell: Reporter): Promise<void> {
  const argv = ["docker", "version", "--format", "{{.Server.Version}}"] as const;
  const { ending, stdout, stderr } = await run({
    argv: [...argv],
    env: {},
    timeoutMs: dockerTimeoutMs,
  });
  const about = { about: "docker", subject: "docker" } as const;
  if (ending.kind === "exited" && ending.code === 0) {
    return await tell({ ...about, state: "ok", message: `Server ${stdout.text.trim()}` });
  }
  const message = stderr.text.trim().split("\n")[0] || "It does not answer";
  const remedy = "Start its daemon, and see that you may talk to it: docker version";
  await tell({ ...about, state: "problem", message, remedy });
}

/** Checks that a log can be written, without creating it. */
async function examineFile(variable: string, tell: Reporter): Promise<void> {
  const path = optionalVariable(variable);
  if (!path) return;
  const about = { about: "file", subject: `${variable}=${path}` } as const;
  try {
    const isThere = await Deno.stat(systemPath(path)).then(() => true, () => false);
    if (isThere) (await Deno.open(systemPath(path), { append: true })).close();
    else await Deno.remove(await Deno.makeTempFile({ dir: dirname(systemPath(path)) }));
    await tell({ ...about, state: "ok", message: "Can be written" });
  } catch (error) {
    const message = `Cannot be written: ${messageOf(error)}`;
    const remedy = "Make its folder, allow writing there, or name another file";
    await tell({ ...about, state: "problem", message, remedy });
  }
}
