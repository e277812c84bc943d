/**
 * The programs that `climax connect` writes for read what it writes, and hold a conversation through it
 * with a model that is ours: `deno task client-programs [CLIENT…]`. Installs them from npm first, into
 * `dist/client-programs`. It says what it does, and ends within 6 minutes. No login is needed, and nothing but the registry is asked.
 */

import { join } from "node:path";
import { print, printTable } from "../../src/cli/output.ts";
import { root } from "../../tests/e2e/_server.ts";
import { forAll, install, requireTime, say } from "../clients/_install.ts";
import { columns, converse } from "./_conversation.ts";
import { home } from "./_home.ts";
import { type Program, programs } from "./_programs.ts";
import { checks } from "./_reading.ts";

const folder = join(root, "dist", "client-programs");
const asked = programs.filter(({ name }) => Deno.args.length === 0 || Deno.args.includes(name));
const readings: string[][] = [];
const talks: string[][] = [];
const failures: string[] = [];
const skipped: string[] = [];
const node = await installed("node", ["node@22"], Deno.env.get("PATH")!);
await forAll(asked, tryOut);
await printTable(["CLIENT", ...Object.keys(checks).map(capitals)], readings.toSorted());
await print("");
await printTable(["CLIENT", "MODEL", ...columns.map(capitals)], talks.toSorted());
for (const text of [...skipped, ...failures]) await print(text);
Deno.exitCode = failures.length > 0 || readings.length === 0 ? 1 : 0;

async function tryOut(program: Program): Promise<void> {
  const { name, packages } = program;
  if (node === undefined) return;
  const path = [node, Deno.env.get("PATH")!].join(":");
  const own = await installed(name, packages, path);
  if (own === undefined) return;
  const folders = [own, node];
  const row = [name];
  for (const [column, check] of Object.entries(checks)) {
    row.push(
      await outcome(`${name}, ${column}`, async () => {
        await using place = await home(folders);
        return await check(program, place) ?? "-";
      }),
    );
  }
  readings.push(row);
  for (const talk of Object.keys(program.talks)) {
    const cells: string[] = [];
    const about = `${name}, ${talk}`;
    const failed = await outcome(about, async () => {
      await using place = await home(folders);
      const { cells: seen, failure } = await converse(program, talk, place);
      cells.push(...seen);
      if (failure !== undefined) throw new Error(failure);
      return "";
    });
    if (failed !== "" && cells.length === 0) cells.push(failed);
    const rest = Array.from({ length: columns.length - cells.length }, () => "");
    talks.push([name, talk, ...cells, ...rest]);
  }
}

async function outcome(about: string, take: () => Promise<string>): Promise<string> {
  try {
    requireTime();
    say(about);
    return await take();
  } catch (error) {
    failures.push(`${about}: ${(error as Error).message}`);
    return "FAILED";
  }
}

/** The folder of a package's programs; nothing, and a line, where it cannot be installed. */
async function installed(
  name: string,
  wanted: readonly string[],
  path: string,
): Promise<string | undefined> {
  try {
    const place = await install(folder, name, { from: "npm", wanted }, { PATH: path });
    return join(place, "node_modules", ".bin");
  } catch (error) {
    const [line = ""] = (error as Error).message.split("\n").filter((each) => each.includes("ERR"));
    skipped.push(`${name}: not installed, so not tried: ${line || (error as Error).message}`);
    return undefined;
  }
}

function capitals(text: string): string {
  return text.toUpperCase();
}
