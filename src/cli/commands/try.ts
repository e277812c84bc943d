/** `climax try`: shows on a scratch repository what an agent can do and what it cannot, then offers a client. */

import { join } from "node:path";
import type { Command } from "@commander-js/extra-typings";
import { io, setIo } from "../../io.ts";
import { ClimaxError, ExitCode } from "../../errors.ts";
import { call } from "../../call/call.ts";
import { deriveIo } from "../../process/profile.ts";
import { shellWord } from "../../text/shell_word.ts";
import { paint } from "../../terminal.ts";
import { textOf } from "../../tool/result.ts";
import { canAsk } from "../ask.ts";
import type { CommandArguments, CommandTable, Example } from "../command.ts";
import { print, printText } from "../output.ts";
import { readWords } from "../program.ts";
import { endCode, makeTemporaryFolder, removeTemporaryFolder } from "../../process/end_signals.ts";
import { climax } from "../../process/own_command.ts";

export function define(command: Command) {
  return command.description(
    "Take a guided minute: search, dry run, refusal and question, with git",
  );
}

export const examples: readonly Example[] = [["try", "see what climax does before you connect it"]];

const message = "message=Add a greeting";

const steps: readonly (readonly [text: string, words: readonly string[]])[] = [
  ["An agent searches for what it wants to do:", [
    ...["search", "--limit", "2", "git", "--", "record my changes"],
  ]],
  ["A dry run prints the command line and runs nothing:", [
    ...["call", "git_commit", message, "--dry-run"],
  ]],
  ["No value can turn into an option, so this is refused:", [
    ...["call", "git_show", "revision=--output=notes.txt"],
  ]],
  ["With --policy ask, tools that read run; all others ask you first:", [
    ...["call", "git_commit", message, "--policy", "ask"],
  ]],
];

export async function run(...[, , table]: CommandArguments<typeof define>) {
  if (!canAsk()) {
    await printText("Not a terminal, so nothing was run. At a terminal, in a scratch repository:");
    for (const [, words] of steps) await showLine(words);
    return ExitCode.ok;
  }
  const folder = makeTemporaryFolder("try-");
  const before = setIo(deriveIo({ cwd: () => folder }));
  try {
    await makeRepository(folder);
    await printText(`Made a scratch repository in ${folder}`);
    for (const [at, [text, words]] of steps.entries()) {
      await printText(["", paint(`${at + 1}. ${text}`, "bold", "stdout")]);
      await runLine(words, table);
      if (endCode() !== undefined) return ExitCode.failure;
    }
  } finally {
    setIo(before);
    await removeTemporaryFolder(folder);
  }
  await printText(["", `Removed ${folder}`, ""]);
  const { findClients } = await import("../../setup/client_file.ts");
  const places = await findClients(io().cwd());
  const found = places.find(({ scope, command }) => scope === "user" && command === undefined);
  const title = found === undefined
    ? "Connect your MCP client:"
    : `${found.client.title} is installed. Connect it:`;
  await printText(paint(`5. ${title}`, "bold", "stdout"));
  const words = ["connect", found?.client.name ?? "CLIENT", "git"];
  await (found === undefined ? showLine(words) : runLine(words, table));
  return ExitCode.ok;
}

/** Makes a repository with one staged file, by calls of the tools that an agent has. */
async function makeRepository(folder: string): Promise<void> {
  const { openSession } = await import("../../session/session.ts");
  await using session = await openSession({ configs: ["git"], policy: "open" });
  const make = async (tool: string, args: Readonly<Record<string, unknown>>) => {
    const result = await call(session, { tool, args, refusesUnknown: true }, {});
    if (result.isError) {
      const problem = { message: textOf(result), hint: `${climax()} try needs git` };
      throw new ClimaxError("No repository was made", ExitCode.failure, [problem]);
    }
  };
  await make("git_init", { initial_branch: "main" });
  const settings = "[user]\n\tname = you\n\temail = you@localhost\n[commit]\n\tgpgsign = false\n";
  await Deno.writeTextFile(join(folder, ".git", "config"), settings, { append: true });
  await Deno.writeTextFile(join(folder, "hello.txt"), "Hello\n");
  await make("git_add", { path: ["hello.txt"] });
}

async function showLine(words: readonly string[]): Promise<void> {
  const line = `${climax()} ${words.map((word) => shellWord(word)).join(" ")}`;
  await print(`$ ${paint(line, "cyan", "stdout")}`);
}

async function runLine(line: readonly string[], table: CommandTable): Promise<void> {
  await showLine(line);
  const { command, words } = table.divide(line);
  const read = await readWords(command, words);
  if ("words" in read) await (await command.load()).run(...[...read.words, table] as never);
}
