/** `climax doctor`: looks for problems with the setup on this machine, and says how to solve them. */

import { io } from "../../io.ts";
import type { DoctorRow } from "../../setup/doctor.ts";
import { ExitCode } from "../../errors.ts";
import { bundledNames } from "../../sources/command/bundled.ts";
import { findUnnamedOwnConfigs } from "../../sources/command/own_configs.ts";
import { useProjectFile } from "../project_file.ts";
import { plural } from "../../text/plural.ts";
import type { Command, CommandArguments, Example } from "../command.ts";
import { configsHelp, withDefaultConfigs } from "../config_words.ts";
import { withOptions } from "../options.ts";
import { label, print, printJson, printText } from "../output.ts";
import { showWaiting } from "../progress_line.ts";
import { paint } from "../../terminal.ts";

export function define(command: Command) {
  return withOptions(
    command
      .description("Find problems with programs, servers, clients and files")
      .argument("[config...]", `${configsHelp} (default: CLIMAX_CONFIG, or all that have a name)`)
      .option("--all", "print every finding, not only problems"),
    ...["config", "mcp", "policy", "json"] as const,
  );
}

export const examples: readonly Example[] = [
  ["doctor", "look at every config that has a name, and at your clients"],
  ["doctor --all", "print the versions of programs, and what is fine, as well"],
  ["doctor git --policy read-only.yaml --mcp tamamo-x.config.json", "look at what you serve"],
];

export async function run(...[named, options]: CommandArguments<typeof define>) {
  const { config, policy, json = false, all = false } = options;
  const asked = withDefaultConfigs(named, config);
  const isAll = asked.length === 0 && options.mcp === undefined;
  const { mcp = isAll ? await useProjectFile() ?? [] : [] } = options;
  const { loaded, foreign } = await findUnnamedOwnConfigs();
  const own = asked.length > 0 ? [] : loaded;
  const { examine } = await import("../../setup/doctor.ts");
  const findings: DoctorRow[] = [];
  await showWaiting("looking at the setup", async () => {
    await examine({
      configs: [...asked, ...own],
      foreign: asked.length > 0 ? [] : foreign,
      others: isAll ? [...bundledNames].filter((name) => !own.includes(name)) : [],
      mcp,
      policy,
      folder: io().cwd(),
    }, async (finding) => {
      findings.push(finding);
      if (all && !json) await printText(lineOf(finding).split("\n"));
    });
  });
  const problems = findings.filter(({ state }) => state === "problem");
  const warnings = findings.filter(({ state }) => state === "warning");
  if (json) await printJson(findings);
  else {
    if (all) await print("");
    for (const line of doctorSummary(findings)) await printText(line);
    if (!all) {
      const left = findings.filter(({ about, state }) => about === "server" && state === "note");
      for (const finding of [...left, ...warnings, ...problems]) {
        await printText(["", ...lineOf(finding).split("\n")]);
      }
    }
    const count = `${plural(problems.length, "problem")}, ${plural(warnings.length, "warning")}`;
    await print(problems.length + warnings.length === 0 ? "No problems found" : `\n${count}`);
  }
  return problems.length === 0 ? ExitCode.ok : ExitCode.failure;
}

function lineOf({ state, about, subject, message, remedy }: DoctorRow): string {
  const text = `${about} ${subject}: ${message}`.replaceAll("\n", "\n  ");
  const hint = remedy === undefined
    ? ""
    : `\n  ${label("hint", "stdout")} ${remedy.replaceAll("\n", "\n  ")}`;
  return `${label(state, "stdout")} ${text}${hint}`;
}

const summaries: readonly (readonly [title: string, kinds: readonly string[], words: string])[] = [
  ["configs", ["config"], "fine"],
  ["programs", ["program", "docker"], "installed"],
  ["policy", ["policy"], ""],
  ["servers", ["server"], "answer"],
  ["clients", ["client"], "connected"],
  ["files", ["file"], "fine"],
];

function doctorSummary(findings: readonly DoctorRow[]): string[] {
  return summaries.flatMap(([title, kinds, words]) => {
    const rows = findings.filter(({ about }) => kinds.includes(about));
    if (rows.length === 0) return [];
    const has = (state: DoctorRow["state"]) => rows.some((row) => row.state === state);
    const [mark, colour] = has("problem")
      ? ["✗", "red"] as const
      : has("warning")
      ? ["!", "yellow"] as const
      : ["✓", "green"] as const;
    const counted = rows.filter(({ about, state }) => {
      return about === kinds[0] && (about !== "server" || state !== "note");
    });
    const all = subjects(counted);
    const well = subjects(counted.filter(({ state }) => state === "ok"));
    const missing = title === "programs" ? [...all.difference(well)].join(", ") : "";
    const counts = `${well.size} of ${all.size} ${words}${missing && `; missing: ${missing}`}`;
    const text = title === "policy" ? rows[0]!.message : counts;
    return [`${paint(mark, colour, "stdout")} ${title.padEnd(9)} ${text}`];
  });
}

function subjects(rows: readonly DoctorRow[]): Set<string> {
  return new Set(rows.map(({ subject }) => subject));
}
