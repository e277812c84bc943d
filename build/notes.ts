/**
 * Prints the notes of this version, its section of CHANGELOG.md, and fails where they are not ready for a release:
 * `deno run --allow-read build/notes.ts`.
 */

import changelog from "../CHANGELOG.md" with { type: "text" };
import manifest from "../deno.json" with { type: "json" };
import { say } from "./_problems.ts";

/** The heading of `name` in `changelog` after the name, and what is below it; nothing without that section. */
function sectionOf(name: string, changelog: string): readonly [heading: string, text: string] {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((text) => text.split(/[\s\]]/)[0] === `[${name}`) ?? "";
  const [heading = "", ...lines] = section.split("\n");
  return [heading.slice(name.length + 2), lines.join("\n").trim()];
}

/** Returns the section of `version` without its heading. @throws when there is none, or nothing in it */
export function notesOf(version: string, changelog: string): string {
  const [, notes] = sectionOf(version, changelog);
  if (notes === "") throw new Error(`CHANGELOG.md has no notes under '## [${version}]'`);
  return notes;
}

/** Says why `changelog` is not that of a release of `version`; `undefined` if it is. */
export function notesProblem(version: string, changelog: string): string | undefined {
  if (/^(?:###|-) /m.test(sectionOf("Unreleased", changelog)[1])) {
    return `CHANGELOG.md has notes under '## [Unreleased]': move them under '## [${version}]'`;
  }
  const [heading] = sectionOf(version, changelog);
  if (/^ - \d{4}-\d{2}-\d{2}$/.test(heading)) return undefined;
  return `CHANGELOG.md has '## [${version}]${heading}': write its date, as in '## [${version}] - 2026-01-31'`;
}

if (import.meta.main) {
  Deno.stdout.writeSync(new TextEncoder().encode(`${notesOf(manifest.version, changelog)}\n`));
  const problem = notesProblem(manifest.version, changelog);
  if (problem !== undefined) {
    say(problem);
    Deno.exitCode = 1;
  }
}
