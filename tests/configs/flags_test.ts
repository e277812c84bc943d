/** Every flag of the bundled configs against the real program's own help, where it is installed. */

import assert from "node:assert/strict";
import { bundledConfigs } from "../../src/sources/command/bundled.ts";
import { loadConfigs } from "../../src/sources/command/load.ts";
import { sourceOf } from "../../src/sources/command/source.ts";
import type { Tool } from "../../src/tool/tool.ts";
import type { Scratch } from "../e2e/_scratch.ts";
import { repository, say, whyNot } from "./_programs.ts";
import facts from "./help_facts.json" with { type: "json" };

interface Facts {
  readonly also?: readonly (readonly string[])[];
  readonly unlisted?: Readonly<Record<string, readonly string[]>>;
}

let repo: Scratch;
Deno.test.beforeAll(async () => {
  repo = await repository();
});
Deno.test.afterAll(async () => await repo[Symbol.asyncDispose]());

const git = await whyNot("git");
const compose = (await say(["docker", "compose", "version"]))?.code === 0
  ? undefined
  : "docker has no compose plugin";

for (const config of bundledConfigs.keys()) {
  const { tools } = await loadConfigs([config], () => undefined);
  const absent = git ?? await whyNot(config);
  let skipped = 0;
  for (const tool of tools) {
    const reason = absent ?? (tool.source.command[1] === "compose" ? compose : undefined);
    if (reason !== undefined) skipped++;
    Deno.test({
      name: `bundled config ${config}: the program's help lists every flag of ${tool.name}`,
      ignore: reason !== undefined,
      fn: () => checkFlags(tool),
    });
  }
  const reason = absent ?? compose;
  // deno-lint-ignore no-console
  if (skipped > 0) console.log(`skipped: the flags of ${skipped} tools of ${config}: ${reason}`);
}

async function checkFlags(tool: Tool): Promise<void> {
  const { also = [], unlisted = {} } = (facts as Record<string, unknown>)[tool.name] as Facts ?? {};
  const help = await Promise.all([helpOf(tool), ...also].map(readHelp));
  const flags = flagsOf(tool);
  for (const flag of flags) {
    const accepting = unlisted[flag];
    if (accepting === undefined) {
      assert.ok(isListed(flag, help.join("\n")), `${tool.name}: ${flag} is in no help`);
    } else {
      const said = await say(accepting, repo.path);
      assert.equal(said?.code, 0, `${accepting.join(" ")}: ${said?.text}`);
    }
  }
  for (const flag of Object.keys(unlisted)) assert.ok(flags.has(flag), `${flag} is not used`);
}

/** The flags of the arguments and of the command, values cut off; `--` is in no help. */
function flagsOf(tool: Tool): Set<string> {
  const { args } = tool;
  const words = [
    ...sourceOf(tool).command.filter((word) => word.startsWith("-")),
    ...args.flatMap(({ role }) => role.kind === "flag" ? [role.flag] : []),
  ];
  return new Set(words.map((word) => word.split("=")[0]!).filter((word) => word !== "--"));
}

/** The command without its own flags, asked for help. */
function helpOf(tool: Tool): string[] {
  const { command } = sourceOf(tool);
  const firstFlag = command.findIndex((word) => word.startsWith("-"));
  const words = firstFlag === -1 ? command : command.slice(0, firstFlag);
  return [...words, command[0] === "git" ? "-h" : "--help"];
}

/** Help may come on either stream and with any exit code. */
async function readHelp(argv: readonly string[]): Promise<string> {
  const said = await say(argv, repo.path);
  assert.ok(said !== undefined && said.text.length > 20, `${argv.join(" ")} prints no help`);
  // Newer git lists `--[no-]edit` for `--edit` and `--no-edit`, older git only the one it is not
  return said.text.replaceAll(/--\[no-\]([\w-]+)/g, "--$1 --no-$1");
}

function isListed(flag: string, help: string): boolean {
  const names = flag.startsWith("--no-") ? [flag, `--${flag.slice("--no-".length)}`] : [flag];
  return names.some((name) => new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(help));
}
