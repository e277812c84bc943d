/** What `main.ts` runs where there is no network: the programs named in the arguments, which are installed. */

import { print, printTable } from "../../src/cli/output.ts";
import { beginTrial, forAll, requireTime, say } from "../clients/_install.ts";
import { columns, converse } from "./_conversation.ts";
import { binOf, home } from "./_home.ts";
import { type Program, programs } from "./_programs.ts";
import { checks } from "./_reading.ts";

/** One line of what is to be done; its cells are of the row of its program in one of both tables. */
type Work = () => Promise<void>;

const readings: string[][] = [];
const talks: string[][] = [];
const failures: string[] = [];
const asked = programs.filter(({ name }) => Deno.args.includes(name));

beginTrial();
// What takes long first, so that both cores are used to the end
await forAll([...asked.flatMap(conversations), ...asked.flatMap(readingsOf)], (work) => work());
await printTable(["CLIENT", ...Object.keys(checks).map(capitals)], readings.toSorted());
await print("");
await printTable(["CLIENT", "MODEL", ...columns.map(capitals)], talks.toSorted());
for (const text of failures) await print(text);
Deno.exitCode = failures.length > 0 || readings.length === 0 ? 1 : 0;

function readingsOf(program: Program): Work[] {
  const row = [program.name];
  readings.push(row);
  return Object.entries(checks).map(([column, check], index) => async () => {
    row[index + 1] = await outcome(`${program.name}, ${column}`, async () => {
      await using place = await home(foldersOf(program));
      return await check(program, place) ?? "-";
    });
  });
}

function conversations(program: Program): Work[] {
  return Object.keys(program.talks).map((talk) => async () => {
    const row = [program.name, talk];
    talks.push(row);
    const said = await outcome(`${program.name}, conversation, ${talk}`, async () => {
      await using place = await home(foldersOf(program));
      const { cells, failure } = await converse(program, talk, place);
      row.push(...cells);
      if (failure !== undefined) throw new Error(failure);
      return columns.map((name, index) => `${name} ${cells[index]}`).join("; ");
    });
    if (row.length === 2) row.push(said);
    while (row.length < columns.length + 2) row.push("");
  });
}

function foldersOf({ name }: Program): string[] {
  return [binOf(name), binOf("node")];
}

async function outcome(about: string, take: () => Promise<string>): Promise<string> {
  let said = "FAILED";
  try {
    requireTime();
    say(`${about} begins`);
    said = await take();
  } catch (error) {
    failures.push(`${about}: ${(error as Error).message}`);
  }
  say(`${about}: ${said}`);
  return said;
}

function capitals(text: string): string {
  return text.toUpperCase();
}
