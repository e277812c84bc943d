/** Prints the notes of this version, its section of CHANGELOG.md: `deno run --allow-read build/notes.ts`. */

import changelog from "../CHANGELOG.md" with { type: "text" };
import manifest from "../deno.json" with { type: "json" };

/** Returns the section of `version` without its heading. @throws when there is none, or nothing in it */
export function notesOf(version: string, changelog: string): string {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((text) => text.split(/[\s\]]/)[0] === `[${version}`) ?? "";
  const notes = section.slice(section.indexOf("\n") + 1).trim();
  if (notes === "") throw new Error(`CHANGELOG.md has no notes under '## [${version}]'`);
  return notes;
}

if (import.meta.main) {
  Deno.stdout.writeSync(new TextEncoder().encode(`${notesOf(manifest.version, changelog)}\n`));
}
