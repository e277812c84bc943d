/**
 * Measures how well `climax generate` reads help: `deno task bench generate [--mistakes]`; with `--calls [PROGRAM…]` how
 * many calls work with its drafts.
 *
 * A row of the truth is an option of a command, whether it takes a value, and of which type. It says what the program
 * takes, also where the help does not, so that nothing can be right throughout.
 */

import { coverage, measure } from "../../tests/help/_measure.ts";
import { callTable } from "./calls.ts";

if (Deno.args[0] === "--calls") {
  print(await callTable(Deno.args.slice(1)));
  Deno.exit(0);
}

const lines = ["help         options  precision     recall"];
for (const which of ["seen", "held out"] as const) {
  const { found, true: truth, types, mistakes } = await measure(which);
  const share = (whole: number) => (types / whole).toFixed(3).padStart(11);
  lines.push(`${which.padEnd(12)}${String(truth).padStart(8)}${share(found)}${share(truth)}`);
  if (Deno.args.includes("--mistakes")) lines.push(...mistakes);
}
const { programs, texts, lines: optionLines, understood, layouts } = await coverage();
lines.push(
  `${programs} programs, ${texts} help texts, ${optionLines} option lines, ${understood} understood`,
  [...layouts].toSorted().map(([layout, count]) => `${layout} ${count}`).join(", "),
);
print(lines);

function print(text: readonly string[]): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text.join("\n")}\n`));
}
