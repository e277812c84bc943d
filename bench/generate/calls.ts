/**
 * Makes the calls of `calls.txt` with drafts of the programs that are installed: each line is what a person would type,
 * and a pattern of what is printed. Words are given to the arguments of the draft, and the call is a real one.
 *
 * `deno task bench generate --calls [PROGRAM…]`
 */

import { dirname } from "node:path";
import { load } from "js-yaml";
import { findProgram } from "../../src/exec/find_program.ts";

interface Arg {
  readonly name: string;
  readonly type?: string;
  readonly flag?: string;
  readonly positional?: boolean;
  readonly required?: boolean;
}

interface Tool {
  readonly name: string;
  readonly command?: string;
  readonly argv?: readonly (string | readonly string[])[];
  readonly args?: readonly Arg[];
}

const main = new URL("../../main.ts", import.meta.url).pathname;
const lines = (await Deno.readTextFile(new URL("calls.txt", import.meta.url))).trim().split("\n");

/** Makes the calls, and returns a line for each program, and the sums. */
export async function callTable(only: readonly string[]): Promise<string[]> {
  const rows: string[] = [];
  const sums = { works: 0, refused: 0, fails: 0 };
  const drafts = await Deno.makeTempDir({ prefix: "drafts-" });
  const folder = await scratchFolder();
  try {
    for (const line of lines) {
      const [typed, ...patterns] = line.split(" | ");
      const words = typed!.split(" ");
      const program = words[0]!;
      if (only.length > 0 && !only.includes(program)) continue;
      if (findProgram(program, { env: {} }) === undefined) continue;
      let config = `${drafts}/${program}.yaml`;
      const isDrafted = await Deno.stat(config).then(() => true, () => false);
      const drafted = isDrafted ? "" : await climax(["generate", program, "-o", config], folder);
      const text = await Deno.readTextFile(config).catch(() => undefined);
      if (text === undefined) {
        const [reason] = /error: .*/.exec(drafted) ?? ["ended otherwise"];
        sums[/^error: /.test(reason) ? "refused" : "fails"]++;
        rows.push(`${typed!.padEnd(44)} ${reason}`);
        continue;
      }
      const { tools } = load(text) as { tools: Tool[] };
      let call = callOf(words.slice(1), tools);
      const [option] = /^--?[\w-]+/.exec(typeof call === "string" ? call : "") ?? [];
      if (option !== undefined) {
        // The report says that it puts an option back
        const again = `${drafts}/${program}${option}.yaml`;
        await climax(["generate", program, `--include=${option}`, "-o", again], folder);
        call = callOf(
          words.slice(1),
          (load(await Deno.readTextFile(again)) as { tools: Tool[] }).tools,
        );
        config = again;
      }
      const answer = typeof call === "string" ? `lost: ${call}` : await climax(
        [
          "call",
          call.tool,
          "--config",
          config,
          "--policy",
          "open",
          "--args",
          JSON.stringify(call.args),
        ],
        folder,
      );
      const isRight = typeof call !== "string" && !/\(failed\)$/.test(answer) &&
        new RegExp(patterns.join(" | ")).test(answer);
      sums[isRight ? "works" : "fails"]++;
      rows.push(
        `${typed!.padEnd(44)} ${
          isRight
            ? `works${option === undefined ? "" : ` with --include=${option}`}`
            : `FAILS ${answer.replaceAll(/\s+/g, " ").slice(0, 160)}`
        }`,
      );
    }
  } finally {
    await Deno.remove(drafts, { recursive: true });
    await Deno.remove(folder, { recursive: true });
  }
  return [...rows, `works ${sums.works}, refused ${sums.refused}, fails ${sums.fails}`];
}

/** Finds the tool with most of the words, and gives the others to its arguments; a word without a place is returned. */
function callOf(words: readonly string[], tools: readonly Tool[]) {
  const wordsOf = ({ command = "", argv = [] }: Tool) => {
    const fixed = argv.filter((token) => typeof token === "string" && /^[a-z]/.test(token));
    return command === "" ? fixed.map(String) : command.split(" ");
  };
  const [tool] = tools.filter((each) => wordsOf(each).every((word, at) => words[at] === word))
    .toSorted((a, b) => wordsOf(b).length - wordsOf(a).length);
  if (tool === undefined) return words.join(" ");
  const { args: all = [] } = tool;
  const args: Record<string, unknown> = {};
  const given = words.slice(wordsOf(tool).length);
  const places = all.filter(({ positional }) => positional);
  const needed = places.filter(({ required }) => required);
  // Few words are those that a call needs
  const positionals = given.filter((word) => /^[^-]/.test(word)).length > needed.length
    ? places
    : needed;
  let spread: Arg | undefined;
  let last: string | undefined;
  for (const word of given) {
    const [, flag, value] = /^(--?[\w-]+)(?:=(.*))?$/.exec(word) ?? [];
    const token = (tool.argv ?? []).find((each) => Array.isArray(each) && each[0] === flag);
    last = flag ?? last;
    spread = token === undefined
      ? spread
      : all.find(({ name }) => [`{${name}}`, `{${name}?}`].includes(token[1]!));
    const arg = flag === undefined
      ? positionals.find(({ name, type }) => type === "array" || !(name in args)) ?? spread
      : all.find((each) => each.flag === flag || each.flag === `${flag}=`);
    if (arg === undefined) return word;
    // The option itself stands in front of its words
    if (arg === spread) { for (const each of all) if (each.flag === last) delete args[each.name]; }
    const read = flag === undefined ? word : value ?? true;
    const list = (args[arg.name] ?? []) as unknown[];
    args[arg.name] = arg.type === "array" ? [...list, read] : read;
  }
  return { tool: tool.name, args };
}

async function climax(words: readonly string[], cwd: string): Promise<string> {
  const args = ["run", "-qA", "--unstable-lazy-dynamic-imports", main, ...words];
  const command = new Deno.Command(Deno.execPath(), { args, cwd, stdin: "null" });
  const { code, stdout, stderr } = await command.output();
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  return `${out}${err}`.trim() + (code === 0 ? "" : " (failed)");
}

/** An image of one point. */
const png =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Makes the files that the calls name. */
async function scratchFolder(): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: "calls-" });
  const files = {
    "a.txt": "alpha\nbeta\n",
    "b.txt": "beta\n",
    "p.pdf": "%PDF-1.1\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n" +
      "2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n" +
      "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n",
    "a.json": '{"one": 1}\n',
    "a.adoc": "= Title\n",
    "a.bats": "@test one {\n  true\n}\n",
    "A.java": "class A {}\n",
    "x.c": "int main(void) { return 0; }\n",
    "src/x.c": "int main(void) { return 0; }\n",
    "a.js": "1;\n",
    "a.ts": "export const one = 1;\n",
    "a.css": "a {}\n",
    ".stylelintrc.json": '{"rules": {}}\n',
    "a.svg": '<svg xmlns="http://www.w3.org/2000/svg"/>\n',
    "a.sql": "SELECT 1\n",
    "a.toml": "a = 1\n",
    "a.php": "<?php\n",
    "s.sh": "#!/bin/sh\necho one\n",
    "p/a.py": "import os\n",
    "prom.yml": "global: {}\n",
    "openapi.yaml": "openapi: 3.0.0\ninfo: {title: a, version: '1'}\npaths: {}\n",
    ".spectral.yaml": "rules: {}\n",
    "package.json": '{"name": "a", "version": "1.0.0", "type": "module"}\n',
  };
  for (const [name, text] of Object.entries(files)) {
    await Deno.mkdir(dirname(`${folder}/${name}`), { recursive: true });
    await Deno.writeTextFile(`${folder}/${name}`, text);
  }
  const made = [
    "git init -q && git add a.txt && git -c user.name=a -c user.email=a@b commit -qm first",
    "tar cf t.tar a.txt",
    "zip -q t.zip a.txt && cp t.zip t.jar",
    "gcc -c x.c",
    `base64 -d >p.png <<<${png}`,
  ];
  for (const command of made) {
    await new Deno.Command("bash", { args: ["-c", command], cwd: folder, stderr: "null" }).output();
  }
  return folder;
}
