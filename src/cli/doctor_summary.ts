/** Sums up what `climax doctor` found: one line for each kind of thing that it looked at. */

import type { DoctorRow } from "../setup/doctor_row.ts";
import { plural } from "../text/plural.ts";
import { coloured } from "../terminal.ts";

type About = DoctorRow["about"];

/** The lines of the summary, in the order in which things are looked at. */
export function doctorSummary(findings: readonly DoctorRow[]): string[] {
  const by = (...kinds: About[]) => findings.filter(({ about }) => kinds.includes(about));
  return [
    line("configs", by("config"), configWords),
    line("programs", by("program", "permission", "docker"), programWords),
    line("policy", by("policy"), (rows) => rows[0]!.message),
    line("servers", by("server"), (rows) => {
      return `${ok(rows)} of ${plural(subjects(rows).size, "MCP server")} answer`;
    }),
    line("clients", by("client"), (rows) => {
      return `${plural(subjects(rows).size, "client")}, ${ok(rows)} connected`;
    }),
    line("files", by("file"), (rows) => `${ok(rows)} of ${subjects(rows).size} fine`),
  ].flat();
}

function line(
  title: string,
  rows: readonly DoctorRow[],
  words: (rows: readonly DoctorRow[]) => string,
): string[] {
  if (rows.length === 0) return [];
  const has = (state: DoctorRow["state"]) => rows.some((row) => row.state === state);
  const [mark, colour] = has("problem")
    ? ["✗", "red"] as const
    : has("warning")
    ? ["!", "yellow"] as const
    : ["✓", "green"] as const;
  return [`${coloured(mark, colour, "stdout")} ${title.padEnd(9)} ${words(rows)}`];
}

function configWords(rows: readonly DoctorRow[]): string {
  const broken = new Set(rows.filter(({ state }) => state === "problem").map(subjectOf));
  const count = subjects(rows).size;
  return broken.size === 0 ? `${count} fine` : `${count - broken.size} of ${count} can be loaded`;
}

function programWords(rows: readonly DoctorRow[]): string {
  const programs = rows.filter(({ about }) => about === "program");
  const here = new Set(programs.filter(({ state }) => state === "ok").map(subjectOf));
  const missing = [...subjects(programs)].filter((name) => !here.has(name));
  const count = `${here.size} of ${here.size + missing.length} here`;
  return missing.length === 0 ? count : `${count}; not here: ${missing.join(", ")}`;
}

function subjects(rows: readonly DoctorRow[]): Set<string> {
  return new Set(rows.map(subjectOf));
}

function ok(rows: readonly DoctorRow[]): number {
  return subjects(rows.filter(({ state }) => state === "ok")).size;
}

function subjectOf({ subject }: DoctorRow): string {
  return subject;
}
