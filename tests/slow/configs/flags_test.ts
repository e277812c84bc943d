/**
 * Every subcommand and every flag of the bundled configs against the real program's own help, where
 * it is installed.
 */

import assert from "node:assert/strict";
import { bundledConfigs } from "../../../src/sources/command/bundled.ts";
import { helpersIn } from "../../../src/sources/command/argv.ts";
import { helperText } from "../../../src/sources/command/bundled.ts";
import { loadConfigs } from "../../../src/sources/command/load.ts";
import { commandSourceOf, type Part, type Piece } from "../../../src/sources/command/source.ts";
import type { Tool } from "../../../src/tool/tool.ts";
import type { Scratch } from "../../e2e/_scratch.ts";
import { helpText } from "./_help.ts";
import { repository, say, whyNoCompose, whyNot } from "../../configs/_programs.ts";
import facts from "../../configs/help_facts.json" with { type: "json" };

/** Facts about a tool that its program's own help does not have. */
interface Facts {
  readonly also?: readonly (readonly string[])[];
  readonly unlisted?: Readonly<Record<string, readonly string[]>>;
}

const byTool = facts as unknown as Readonly<Record<string, Facts>>;

/** Commands that print the help of a subcommand; other programs take `--help` at the end. */
const asking: Readonly<Record<string, (words: readonly string[]) => readonly string[][]>> = {
  git: (words) => {
    if (words.length === 1) return [["git", "help", "-a"]];
    // It would run what comes next
    return [[...words.slice(0, words[1] === "bisect" ? 2 : words.length), "-h"]];
  },
  aws: (words) => [[...words, "help"]],
  cargo: (words) => words.length > 1 ? [[...words, "--help"]] : [["cargo", "--list"]],
  curl: () => [["curl", "--help", "all"]],
  env: () => [
    ["python3", "--help"],
    ...["pytest", "unittest"].map((module) => ["python3", "-m", module, "--help"]),
    ["python3", "-m", "ruff", "check", "--help"],
  ],
  ffmpeg: () => [["ffmpeg", "-hide_banner", "-h", "full"]],
  ffprobe: () => [["ffprobe", "-hide_banner", "-h", "full"]],
  find: () => [["find", "--help"], ["du", "--help"]],
  go: (words) => [["go", "help", ...words.slice(1)]],
  kubectl: (words) => [[...words, "--help"], ["kubectl", "options"]],
  npm: (words) => words.length > 1 ? [[...words, "--help"]] : [["npm", "--help"]],
  obsidian: () => [["obsidian", "help"]],
  perl: () => [["perl", "--help"], ["prlimit", "--help"], ["tar", "--help"], ["unzip", "-hh"]],
  prlimit: () => [["prlimit", "--help"], ["tar", "--help"]],
  ps: () => [["ps", "--help", "all"]],
  sqlite3: () => [["sqlite3", "-help"]],
  terraform: (words) => [[...words, "-help"]],
};

let repo: Scratch;
Deno.test.beforeAll(async () => {
  repo = await repository();
});
Deno.test.afterAll(async () => await repo[Symbol.asyncDispose]());

const noGit = await whyNot("git");
const noCompose = await whyNoCompose();
const modules = await Promise.all(["pytest", "ruff"].map((name) => {
  return say(["python3", "-m", name, "--version"]);
}));
const noModules = modules.every((said) => said?.code === 0) ? undefined : "pytest, ruff";

for (const config of bundledConfigs.keys()) {
  const { tools } = await loadConfigs([config], () => "set");
  const here: Tool[] = [];
  for (const tool of tools) {
    const reason = noGit ?? await whyNot(commandSourceOf(tool).command[0]!) ??
      (config === "docker-compose" ? noCompose : config === "python" ? noModules : undefined);
    if (reason === undefined) here.push(tool);
  }
  Deno.test(`bundled config ${config}: the program's help has every subcommand and flag`, {
    ignore: here.length === 0,
  }, async () => {
    const warnings = await Promise.all(here.map((tool) => warningsOf(tool)));
    assert.deepEqual(
      warnings.flatMap((each, index) => each.map((warning) => `${here[index]!.name}: ${warning}`)),
      [],
    );
  });
}

Deno.test("every fact about help concerns a tool that there is", async () => {
  const { tools } = await loadConfigs([...bundledConfigs.keys()], () => "set");
  const names = new Set(tools.map(({ name }) => name));
  assert.deepEqual(Object.keys(facts).filter((name) => name !== "_about" && !names.has(name)), []);
});

/** Returns the words and flags of a tool that its program does not have. */
async function warningsOf(tool: Tool): Promise<string[]> {
  const { also = [], unlisted = {} } = byTool[tool.name] ?? {};
  const words = subcommandOf(tool);
  // The options of a helper stand in its text
  const helpers = helpersIn(commandSourceOf(tool).template).map(helperText).join("\n");
  const help = `${helpers}\n${await read([...helpOf(words), ...also])}`;
  const warnings = await Promise.all([...flagsOf(tool)].map(async (flag) => {
    const accepting = unlisted[flag];
    if (accepting === undefined) return isListed(flag, help) ? [] : [`${flag} is in no help`];
    const said = await say(accepting, repo.path);
    return said?.code === 0 ? [] : [`${accepting.join(" ")}: ${said?.text}`];
  }));
  const unused = Object.keys(unlisted).filter((flag) => !flagsOf(tool).has(flag));
  return [
    ...await unknownWords(words),
    ...warnings.flat(),
    ...unused.map((flag) => `${flag} is not used`),
  ];
}

/** Words of a subcommand that the help of what stands before them does not have. */
async function unknownWords(words: readonly string[]): Promise<string[]> {
  const unknown = await Promise.all(
    words.slice(1).map(async (word, index) => {
      const help = await read(helpOf(words.slice(0, index + 1)));
      const isThere = new RegExp(`(?<![\\w-])${RegExp.escape(word)}(?![\\w-])`).test(help);
      return isThere ? [] : [`'${words.slice(0, index + 1).join(" ")}' has no '${word}'`];
    }),
  );
  return unknown.flat();
}

async function read(commands: readonly (readonly string[])[]): Promise<string> {
  return (await Promise.all(commands.map((argv) => helpText(argv, repo.path)))).join("\n");
}

function helpOf(words: readonly string[]): readonly string[][] {
  return asking[words[0]!]?.(words) ?? [[...words, "--help"]];
}

/** The program and its subcommand, wherever flags stand. */
function subcommandOf(tool: Tool): string[] {
  const { command, template = [] } = commandSourceOf(tool);
  if (!isNested(command[0]!)) return [command[0]!];
  const firstFlag = command.findIndex((word) => word.startsWith("-"));
  const words = firstFlag === -1 ? command : command.slice(0, firstFlag);
  // A subcommand behind a flag that says what it works on
  const behind = words.length === command.length ? fixedTexts(template) : [];
  return [...words, ...behind.filter((text) => /^[a-z][a-z-]*$/.test(text))];
}

/** Programs with subcommands, each with a help of its own. */
function isNested(program: string): boolean {
  const flat = "curl env find perl prlimit ffmpeg ffprobe jq rg fd sqlite3 psql pandoc systemctl";
  return !flat.split(" ").includes(program);
}

/** The flags of the arguments, the command and the template, values cut off; `--` is in no help. */
function flagsOf(tool: Tool): Set<string> {
  const { command, template = [] } = commandSourceOf(tool);
  const words = [
    ...command,
    ...fixedTexts(template),
    ...enumFlags(tool, template),
    ...tool.args.flatMap(({ role }) => role.kind === "flag" ? [role.flag] : []),
  ].filter((word) => /^--?[A-Za-z0-9]/.test(word));
  return new Set(words.map((word) => word.split("=")[0]!));
}

/** Tokens, and beginnings of tokens, that stand in a template as text. */
function fixedTexts(template: readonly Piece[]): string[] {
  return tokensOf(template).flatMap(([first, ...others]) => {
    if (typeof first !== "string") return [];
    return others.length === 0 || first.includes("=") ? [first] : [];
  });
}

/** Flags that an argument with a closed list of values chooses, such as `--{method}`. */
function enumFlags({ args }: Tool, template: readonly Piece[]): string[] {
  return tokensOf(template).flatMap(([dashes, place]) => {
    if (typeof dashes !== "string" || !/^--?$/.test(dashes) || typeof place !== "object") return [];
    const values = args.find(({ name }) => name === place.arg)?.enum ?? [];
    return values.map((value) => `${dashes}${value}`);
  });
}

function tokensOf(template: readonly Piece[]): (readonly Part[])[] {
  return template.flatMap((piece) => {
    switch (piece.kind) {
      case "rest":
      case "condition":
      case "helper":
        return [];
      case "token":
        return [piece.parts];
      case "group":
        return tokensOf(piece.pieces);
    }
  });
}

function isListed(flag: string, help: string): boolean {
  // `-c:v` is `-c` for the streams `v`, and what switches something off is listed by what it switches
  const name = flag.replace(/^(-\w+):.*$/, "$1");
  const names = [name, name.replace(/^(--?)no-?/, "$1")];
  return names.some((name) => new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(help));
}
