/**
 * Measures how well `climax generate` reads help, layout by layout: `deno task bench generate [--mistakes]`.
 *
 * A row of the truth is an option of a command, whether it takes a value, and of which type. It says
 * what the program takes, also where the help does not, so that nothing can be right throughout. The
 * last columns also ask whether there may be several values, which most helps do not say.
 */

import { coverage, measure, type Tally } from "../../tests/help/_measure.ts";

const header = [
  "layout",
  "options",
  "precision",
  "recall",
  "names only",
  "",
  "lists, too",
  "",
];

const lines: string[] = [rowOf(header)];
for (const which of ["seen", "held out"] as const) {
  const { layouts, all, mistakes } = await measure(which);
  lines.push(which === "seen" ? "looked at" : "not looked at");
  for (const [layout, tally] of [...layouts].toSorted()) lines.push(rowOf(cellsOf(layout, tally)));
  lines.push(rowOf(cellsOf("all", all)));
  if (Deno.args.includes("--mistakes")) lines.push(...mistakes);
}
const { programs, texts, lines: optionLines, understood, layouts } = await coverage();
lines.push(
  `${programs} programs, ${texts} help texts, ${optionLines} option lines, ${understood} understood`,
  [...layouts].toSorted().map(([layout, count]) => `${layout} ${count}`).join(", "),
);
Deno.stdout.writeSync(new TextEncoder().encode(`${lines.join("\n")}\n`));

function cellsOf(name: string, { found, true: truth, names, types, lists }: Tally): string[] {
  const share = (part: number, whole: number) => (part / whole).toFixed(3);
  return [
    `  ${name}`,
    String(truth),
    ...[types, names, lists].flatMap((right) => [share(right, found), share(right, truth)]),
  ];
}

function rowOf([name, ...cells]: readonly string[]): string {
  return `${name!.padEnd(13)}${cells.map((cell) => cell.padStart(11)).join("")}`.trimEnd();
}
