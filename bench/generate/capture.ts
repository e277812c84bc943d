/**
 * Captures the help of installed programs, for `measure.ts` to read on machines that have none of
 * them. Asks as `climax generate` does.
 *
 * `deno run -A bench/generate/capture.ts FOLDER… [--only NAME]`, where the folders hold programs that are
 * not on PATH.
 */

import { join } from "node:path";
import { parseArgs } from "node:util";
import { programHelp } from "../../src/setup/help_source.ts";
import { findProgram } from "../../src/exec/find_program.ts";
import { formatCorpus, helpFolder } from "../../tests/help/_corpus.ts";
import programs from "./programs.json" with { type: "json" };

const { positionals: folders, values: { only } } = parseArgs({
  args: Deno.args,
  options: { only: { type: "string" } },
  allowPositionals: true,
});
const env = { PATH: [...folders, Deno.env.get("PATH") ?? ""].join(":") };

/** Characters kept of one text. */
const maxCharacters = 60_000;

for (const [name, commands] of Object.entries(programs)) {
  if (only !== undefined && only !== name) continue;
  const path = await findProgram(name, { env });
  if (path === undefined) {
    say(`${name}: not installed`);
    continue;
  }
  await using source = await programHelp({ path });
  const answers = [];
  for (const command of commands) {
    const words = command === "" ? [] : command.split(" ");
    const answer = await source.ask([name, ...words]);
    if (answer === undefined) say(`${name} ${command}: no help`);
    else answers.push({ words: [name, ...words], text: anonymous(answer) });
  }
  await Deno.writeTextFile(join(helpFolder, `${name}.txt`), formatCorpus(answers));
  say(`${name}: ${answers.length}`);
}

/** Without what only this machine has. */
function anonymous(text: string): string {
  const home = Deno.env.get("HOME") ?? "";
  const found = folders.toSorted((a, b) => b.length - a.length);
  const places = [
    ...found.map((folder) => [folder, "/usr/bin"] as const),
    [home, "/home/user"] as const,
  ];
  return places.reduce((rest, [from, to]) => from === "" ? rest : rest.replaceAll(from, to), text)
    .split("\n").map((line) => line.trimEnd()).join("\n").slice(0, maxCharacters);
}

function say(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
}
