/** Collects the findings of `climax validate` on each file. */

import { ExitCode, formatProblem, type Problem } from "../errors.ts";
import { runnersWithTools } from "../tool/runner.ts";
import { checkDefaults } from "../policy/check.ts";
import { type LoadedSession, loadTools } from "../session/load.ts";
import { explainEmpty, readUpstreamConfig } from "../sources/upstream/config.ts";
import { withoutSets } from "../sources/command/bundled.ts";

interface Examined {
  readonly configs: readonly string[];
  readonly mcp: readonly string[];
  readonly policy: string | undefined;
  readonly sandbox: true | undefined;
  readonly strict: true | undefined;
}

/** The findings about one file, or about several configs together. Each warning is in the first report only. */
export interface Report extends Found {
  readonly about: "config" | "servers" | "policy" | "together";
  readonly subject: string;
  /** Absent when the file could not be read. */
  readonly tools: number | undefined;
  readonly exitCode: ExitCode;
}

export async function* validation(examined: Examined): AsyncGenerator<Report> {
  const reported = new Set<string>();
  let isWell = true;
  for await (const report of reportsOf(examined, () => isWell)) {
    isWell &&= report.exitCode === ExitCode.ok;
    for (const problem of report.problems) reported.add(formatProblem(problem));
    const warnings = report.warnings.filter((warning) => {
      const text = formatProblem(warning);
      return !reported.has(text) && reported.add(text);
    });
    yield { ...report, warnings };
  }
}

async function* reportsOf(examined: Examined, isWell: () => boolean): AsyncGenerator<Report> {
  const { configs, mcp, policy, sandbox, strict } = examined;
  for (const config of new Set(withoutSets(configs))) {
    const loaded = await loadTools({ configs: [config], sandbox, thorough: true });
    const file = loaded.files[0] ?? `bundled:${config}`;
    const { problems, hazards, refused, notes } = await findingsOf(loaded, file);
    // With a policy, the report on the policy has the other findings on its tools
    const found = policy === undefined
      ? { problems, warnings: [...hazards, ...refused], notes }
      : { problems: [], warnings: hazards, notes };
    yield await report("config", config, loaded, found);
  }
  for (const file of new Set(mcp)) {
    const loaded = await loadTools({ configs: [], mcp: [file], sandbox, askServers: true });
    const { problems, hazards, refused, notes } = await findingsOf(loaded, file);
    const warnings = policy === undefined ? [...hazards, ...refused] : hazards;
    const read = await readUpstreamConfig(file);
    const empty = read.ok && loaded.tools.length === 0 ? explainEmpty(read.config) : undefined;
    const found = { problems: empty ? [empty] : problems, warnings, notes };
    yield await report("servers", file, loaded, found);
  }
  if (policy !== undefined) yield await reportPolicy(policy, examined, isWell());
  else if (new Set(configs).size > 1) {
    const loaded = await loadTools({ configs });
    // The problems of a single file are in the report of that file
    const found = { ...nothing, warnings: loaded.warnings };
    yield await report("together", configs.join(" "), { ...loaded, problems: [] }, found);
  }

  async function reportPolicy(file: string, { configs, mcp }: Examined, isWell: boolean) {
    const step = { policy: file, sandbox, strict, thorough: true };
    const loaded = await loadTools({ configs, mcp, ...step });
    if (isWell) {
      const { problems, refused, notes } = await findingsOf(loaded, file);
      return await report("policy", file, loaded, { problems, warnings: refused, notes });
    }
    // With invalid configs, only problems that do not depend on them can be found
    const problems = loaded.problems.filter((problem) => problem.file === file);
    const alone = await report("policy", file, { ...loaded, problems }, nothing);
    if (problems.length > 0) return alone;
    return { ...alone, warnings: [], tools: undefined };
  }
}

interface Found {
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
  readonly notes: readonly string[];
}

const nothing: Found = { problems: [], warnings: [], notes: [] };

async function report(
  about: Report["about"],
  subject: string,
  loaded: Pick<LoadedSession, "tools" | "problems" | "unreadable" | "warnings" | "close">,
  found: Found,
): Promise<Report> {
  await loaded.close();
  // The programs of an invalid config are unknown, so that only problems of the config are reported
  const problems = loaded.problems.length > 0 ? loaded.problems : found.problems;
  const isWrong = problems.length > 0;
  return {
    about,
    subject,
    tools: loaded.problems.length > 0 ? undefined : loaded.tools.length,
    problems,
    warnings: [...loaded.warnings, ...found.warnings],
    notes: found.notes,
    exitCode: isWrong && loaded.unreadable
      ? ExitCode.file
      : isWrong
      ? ExitCode.failure
      : ExitCode.ok,
  };
}

export async function findingsOf(loaded: LoadedSession, file: string) {
  const { tools, runners } = loaded;
  const checked = runnersWithTools(loaded).map(([runner, own]) => runner.check?.(own));
  const checks = (await Promise.all(checked)).filter((each) => each !== undefined);
  const refused = await Promise.all(tools.map((tool) => {
    return checkDefaults(tool, runners.get(tool.source.kind));
  }));
  const inFile = (message: string): Problem => ({ file, message });
  return {
    problems: checks.flatMap(({ problems }) => problems).map((problem) => ({ file, ...problem })),
    hazards: checks.flatMap(({ warnings }) => warnings).map(inFile),
    refused: refused.flat().map(inFile),
    notes: checks.flatMap(({ notes = [] }) => notes),
  };
}
