/** START HERE for `climax doctor`: finds faults that prevent climax from working, each with its remedy. */

import { dirname, parse } from "node:path";
import { formatProblem, messageOf, type Problem } from "../errors.ts";
import { ask } from "../exec/ask_program.ts";
import { sandboxesOf } from "../exec/executor.ts";
import { findProgram } from "../exec/find_program.ts";
import { sandboxProblem, sandboxSupport } from "../exec/sandbox_check.ts";
import type { Sandbox } from "../exec/sandbox_view.ts";
import { optionalVariable, systemPath } from "../io.ts";
import { homeFolders, shortPath } from "../process/folders.ts";
import { climax, servingCommand } from "../process/own_command.ts";
import { type LoadedSession, loadTools } from "../session/load.ts";
import { isBundled } from "../sources/command/bundled.ts";
import { programWarnings } from "../sources/command/program.ts";
import { askServer } from "../sources/upstream/ask_server.ts";
import { readUpstreamConfig } from "../sources/upstream/config.ts";
import { UpstreamError } from "../sources/upstream/error.ts";
import { loginReport } from "../sources/upstream/login/logins.ts";
import { loginCommand } from "../sources/upstream/login/login.ts";
import { plural } from "../text/plural.ts";
import type { Tool } from "../tool/tool.ts";
import { findUsed, mentions, ProgramInspector, runConcurrently } from "./_program_inspector.ts";
import { type ClientPlace, findClients } from "./client_file.ts";
import { findingsOf } from "./validation.ts";

interface DoctorOptions {
  readonly configs: readonly string[];
  /** Files of the project that no person has accepted, so that their programs are not started. */
  readonly foreign: readonly string[];
  /** Configs that the command line does not name, so that a missing program of theirs is no problem. */
  readonly others: readonly string[];
  readonly mcp: readonly string[];
  readonly policy?: string | undefined;
  readonly folder: string;
}

export async function examine(options: DoctorOptions, tell: Reporter): Promise<void> {
  await using inspector = new ProgramInspector();
  if (homeFolders() === undefined) await tell(noHome);
  const loaded = new Map<string, LoadedSession>();
  for (const config of new Set([...options.configs, ...options.others])) {
    loaded.set(config, await loadTools({ configs: [config] }));
    await loaded.get(config)!.close();
  }
  const all = [...loaded.values()].flatMap(({ tools }) => findUsed(tools));
  const programs = new Map(all.map((each) => [each.use.name, each])).values();
  await runConcurrently([...programs], ({ use }) => inspector.inspect(use));
  const context = { inspector, tell, reported: new Set<string>() };
  for (const config of options.configs) {
    await examineConfig({ config, isOther: false }, loaded.get(config)!, context);
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
  const remedy = `Read it, and accept it: ${climax()} trust --project ${parse(file).name}`;
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
    const finding = addRemedy(
      config,
      problems,
      `${climax()} validate ${config} says it again after an edit`,
    );
    return await tell({ about: "config", subject: config, state: "problem", ...finding });
  }
  const message = plural(tools.length, "tool");
  await tell({ about: "config", subject: config, state: "ok", message });
  if (!isOther) await tellWarnings({ about: "config", subject: config }, loaded, tell);
  await examinePrograms({ config, isOther }, tools, examination);
}

async function tellWarnings(
  { about, subject }: Pick<DoctorRow, "about" | "subject">,
  loaded: LoadedSession,
  tell: Reporter,
): Promise<void> {
  const { hazards, refused } = await findingsOf(loaded, subject);
  const remedy = `Change the ${about}, or leave it: this stops nothing`;
  for (const warning of [...loaded.warnings, ...hazards, ...refused]) {
    await tell({ about, subject, state: "warning", ...addRemedy(subject, [warning], remedy) });
  }
}

async function examinePolicy(policy: string, options: DoctorOptions, tell: Reporter) {
  const configs = options.configs.length > 0 ? options.configs : options.others;
  const loaded = await loadTools({ configs, policy });
  await loaded.close();
  const about = { about: "policy", subject: policy } as const;
  if (loaded.problems.length > 0) {
    const remedy = loaded.unreadable
      ? "Name a file that is there, or a bundled policy such as git-readonly"
      : `See ${climax()} validate ${configs.join(" ")} --policy ${policy}`;
    const finding = addRemedy(policy, loaded.problems, remedy);
    return await tell({ ...about, state: "problem", ...finding });
  }
  await tell({ ...about, state: "ok", message: `Leaves ${plural(loaded.tools.length, "tool")}` });
  await tellWarnings(about, loaded, tell);
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
  const finding = addRemedy("bwrap", [problem], "See docs/sandbox.md");
  await tell({ ...about, state: "problem", ...finding });
}

async function examineDocker(tell: Reporter): Promise<void> {
  const docker = findProgram("docker", { env: {} }) ?? "docker";
  const output = await ask(docker, ["version", "--format", "{{.Server.Version}}"]);
  const about = { about: "docker", subject: "docker" } as const;
  if (output.ok) return await tell({ ...about, state: "ok", message: `Server ${output.stdout}` });
  const [message = ""] = output.complaint.split("\n");
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

interface NamedConfig {
  readonly config: string;
  readonly isOther: boolean;
}

interface Examination {
  readonly inspector: ProgramInspector;
  readonly tell: Reporter;
  readonly reported: Set<string>;
}

async function examinePrograms(
  { config, isOther }: NamedConfig,
  tools: readonly Tool[],
  { inspector, tell, reported }: Examination,
): Promise<void> {
  const byName = Map.groupBy(findUsed(tools), ({ use }) => use.name);
  for (const [name, used] of byName) {
    const { use } = used[0]!;
    const info = await inspector.inspect(use);
    const [other] = info === undefined ? [] : await programWarnings([used[0]!.tool]);
    const about = { about: "program", subject: name } as const;
    const isTold = reported.has(name);
    reported.add(name);
    if (info === undefined || other !== undefined) {
      if (isTold) continue;
      const [message, remedy = use.program?.install ?? "Install it, or leave its config out"] =
        other?.split("\n") ?? [`Not on PATH; ${plural(used.length, "tool")} cannot run`];
      const state = isOther ? { state: "note" } as const : { state: "problem", remedy } as const;
      await tell({ ...about, message: message!, ...state });
      continue;
    }
    if (!isTold) {
      const message = `${shortPath(info.path)}, ${info.version ?? "version unknown"}`;
      await tell({ ...about, state: "ok", message });
      await examinePermission(name, tell);
    }
    // A bundled config supports several versions of its program
    if (isOther || isBundled(config)) continue;
    const unknown = new Map<string, string[]>();
    await runConcurrently(used, async ({ tool, use }) => {
      const help = await info.helpOf(use.words);
      // A help text without many of the flags is a short form, and proves nothing about the other flags
      const missing = use.flags.filter((flag) => help !== undefined && !mentions(help, flag));
      const isTelling = missing.length * 4 <= use.flags.length;
      if (missing.length > 0 && isTelling) unknown.set(tool.name, missing);
    });
    for (const [tool, flags] of unknown) {
      const message = `Its help does not name ${flags.join(", ")}, which ${tool} uses`;
      const remedy = `Try it: ${climax()} call ${tool} --dry-run shows the command line`;
      await tell({ ...about, state: "warning", message, remedy });
    }
  }
}

async function examinePermission(program: string, tell: Reporter): Promise<void> {
  const { state } = await Deno.permissions.query({ name: "run", command: program });
  if (state === "granted") return;
  const remedy = `Start climax with --allow-run=${program}`;
  const message = "This process may not run it";
  await tell({ about: "permission", subject: program, state: "problem", message, remedy });
}

async function examineServers(file: string, tell: Reporter): Promise<void> {
  const read = await readUpstreamConfig(file);
  if (!read.ok) {
    const finding = addRemedy(
      file,
      read.problems,
      `${climax()} validate --mcp ${file} says it again`,
    );
    return await tell({ about: "server", subject: file, state: "problem", ...finding });
  }
  for (const { message } of read.warnings) {
    await tell({ about: "server", subject: file, state: "note", message });
  }
  await Promise.all(read.config.servers.map(async (spec) => {
    const about = { about: "server", subject: spec.name } as const;
    try {
      const listing = await askServer(spec);
      const count = plural(listing.definitions.length, "tool");
      const message = [count, ...await loginReport(spec)].join("; ");
      await tell({ ...about, state: "ok", message });
      const remedy = "Tell its authors, or leave it: the rest is served";
      for (const message of listing.warnings) {
        await tell({ ...about, state: "warning", message, remedy });
      }
    } catch (error) {
      const isLogin = error instanceof UpstreamError && error.kind === "needs a login";
      const otherwise = `Do what it says, or correct its command, address or 'env' in ${file}`;
      const remedy = isLogin ? `Log in: ${loginCommand(spec)}` : otherwise;
      await tell({ ...about, state: "problem", message: messageOf(error), remedy });
    }
  }));
}

const startTimeoutMs = 30_000;

async function examineClient(place: ClientPlace, tell: Reporter): Promise<void> {
  const { client, scope, path, command, problem } = place;
  const about = { about: "client", subject: `${client.name} (${scope})` } as const;
  if (problem !== undefined) {
    return await tell({ ...about, state: "problem", message: problem, remedy: "Fix the file" });
  }
  if (command === undefined || command.length === 0) {
    if (scope === "project") return;
    return await tell({ ...about, state: "note", message: "Does not start climax" });
  }
  const [program, ...args] = command as [string, ...string[]];
  const own = servingCommand();
  // Another person may have written the project's file, which could start anything
  if (scope === "project" && !isHarmless(command, own)) {
    const message = `Not started, since ${path} belongs to the project: ${command.join(" ")}`;
    const remedy = "Read it, and start it yourself";
    return await tell({ ...about, state: "warning", message, remedy });
  }
  try {
    const transport = { kind: "stdio", command: program, args, env: {} } as const;
    const spec = { name: client.name, transport, timeoutMs: startTimeoutMs, file: path };
    const listing = await askServer(spec, { wasSeen: true });
    const message = `Starts, and shows ${plural(listing.definitions.length, "tool")}`;
    await tell({ ...about, state: "ok", message });
  } catch (error) {
    const remedy = `${climax()} connect ${client.name} CONFIG writes a command that works now`;
    const message = `What it starts does not work: ${messageOf(error)}`;
    await tell({ ...about, state: "problem", message, remedy });
  }
}

/** Returns true when `command` is climax with bundled configs: other words may be files that name programs. */
function isHarmless(command: readonly string[], own: readonly string[]): boolean {
  if (!own.every((word, index) => command[index] === word)) return false;
  return command.slice(own.length).every((word) => {
    return word === "run" || word === "--classic" || isBundled(word);
  });
}

/** A finding. A `note` is about something that the command line did not name. */
export type DoctorRow =
  & Looked
  & (
    | { readonly state: "ok" | "note" }
    | { readonly state: "warning" | "problem"; readonly remedy: string }
  );

interface Looked {
  readonly about:
    | "config"
    | "program"
    | "permission"
    | "policy"
    | "docker"
    | "sandbox"
    | "server"
    | "client"
    | "file";
  readonly subject: string;
  readonly message: string;
}

/** Joins `problems` to one finding; the hint of a single problem is the remedy. */
function addRemedy(subject: string, problems: readonly Problem[], otherwise: string) {
  const named = problems.map(({ file, ...problem }): Problem => {
    return file === undefined || file === subject && problem.line === undefined
      ? problem
      : { file, ...problem };
  });
  const [{ hint = otherwise, ...only } = { message: "" }, ...others] = named;
  if (others.length === 0) return { message: formatProblem(only), remedy: hint };
  return { message: named.map(formatProblem).join("\n"), remedy: otherwise };
}

type Reporter = (finding: DoctorRow) => Promise<void>;
