/** Checks each file for `climax validate`, and returns a report on it. */

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

export interface Report {
  readonly about: "config" | "servers" | "policy" | "together";
  readonly subject: string;
  readonly tools: number | undefined;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
  readonly notes: readonly string[];
  readonly exitCode: ExitCode;
}

export async function* validation(examined: Examined): AsyncGenerator<Report> {
  const { configs, mcp, policy, sandbox, strict } = examined;
  const reported = new Set<string>();
  let isWell = true;
  const withNewWarnings = (report: Report): Report => {
    isWell &&= report.exitCode === ExitCode.ok;
    for (const problem of report.problems) reported.add(formatProblem(problem));
    const warnings = report.warnings.filter((warning) => {
      const text = formatProblem(warning);
      return !reported.has(text) && reported.add(text);
    });
    return { ...report, warnings };
  };
  const ofFile = ({ problems, hazards, refused, notes }: Findings) =>
    policy === undefined
      ? { problems, warnings: [...hazards, ...refused], notes }
      : { problems: [], warnings: hazards, notes };

  for (const config of new Set(withoutSets(configs))) {
    const loaded = await loadTools({ configs: [config], sandbox, thorough: true });
    const found = await findingsOf(loaded, loaded.files[0] ?? `bundled:${config}`);
    yield withNewWarnings(await report(["config", config], loaded, ofFile(found)));
  }
  for (const file of new Set(mcp)) {
    const loaded = await loadTools({ configs: [], mcp: [file], sandbox, askServers: true });
    const found = ofFile(await findingsOf(loaded, file));
    const read = await readUpstreamConfig(file);
    const empty = read.ok && loaded.tools.length === 0 ? explainEmpty(read.config) : undefined;
    const problems = empty ? [empty] : found.problems;
    yield withNewWarnings(await report(["servers", file], loaded, { ...found, problems }));
  }
  if (policy !== undefined) {
    const loaded = await loadTools({ configs, mcp, policy, sandbox, strict, thorough: true });
    const { problems, refused, notes } = await findingsOf(loaded, policy);
    const own = loaded.problems.filter(({ file }) => file === policy);
    const whole = { problems, warnings: refused, notes };
    const each = isWell
      ? await report(["policy", policy], loaded, whole)
      : await report(["policy", policy], { ...loaded, problems: own }, nothing);
    const isUnknown = !isWell && own.length === 0;
    yield withNewWarnings(isUnknown ? { ...each, warnings: [], tools: undefined } : each);
  } else if (new Set(configs).size > 1) {
    const loaded = await loadTools({ configs });
    const about = ["together", configs.join(" ")] as const;
    yield withNewWarnings(await report(about, { ...loaded, problems: [] }, nothing));
  }
}

const nothing = { problems: [], warnings: [], notes: [] };

async function report(
  [about, subject]: readonly [about: Report["about"], subject: string],
  loaded: Pick<LoadedSession, "tools" | "problems" | "unreadable" | "warnings" | "close">,
  found: Pick<Report, "problems" | "warnings" | "notes">,
): Promise<Report> {
  await loaded.close();
  // If a file did not load, checks of its tools are incomplete, so only the problems of loading are reported
  const problems = loaded.problems.length > 0 ? loaded.problems : found.problems;
  const failure = loaded.unreadable ? ExitCode.file : ExitCode.failure;
  return {
    about,
    subject,
    tools: loaded.problems.length > 0 ? undefined : loaded.tools.length,
    problems,
    warnings: [...loaded.warnings, ...found.warnings],
    notes: found.notes,
    exitCode: problems.length > 0 ? failure : ExitCode.ok,
  };
}

type Findings = Awaited<ReturnType<typeof findingsOf>>;

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
