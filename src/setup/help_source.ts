/**
 * Asks programs for their help. A program that is started may do anything, so it runs without input, in an empty
 * folder, with bounds on time and output.
 */

import { basename, join } from "node:path";
import { findProgram } from "../exec/find_program.ts";
import type { RunOutcome } from "../exec/invocation.ts";
import { missingInterpreter } from "../exec/program.ts";
import { run } from "../exec/run.ts";
import { systemPath } from "../io.ts";
import { makeTemporaryFolder, removeTemporaryFolder } from "../process/end_signals.ts";
import { excerpt } from "../text/excerpt.ts";

/** A program may take this many milliseconds to print its help: some start a virtual machine first. */
export const defaultHelpTimeoutMs = 20_000;

export interface HelpSource {
  ask(words: readonly [string, ...string[]]): Promise<string | undefined>;
  readonly page?: (words: readonly [string, ...string[]]) => Promise<string | undefined>;
  readonly whyNot?: () => string | undefined;
  /** The language of a program that is a script, `perl` or `node`, or `java` if the program starts a Java VM. */
  readonly language?: string | undefined;
}

interface ProgramHelpOptions {
  readonly path: string;
  readonly timeoutMs?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Of an output, this many bytes of its start and of its end are kept, which is enough for any help text. */
const keepBytes = 256 * 1024;

/** Variables that make programs print plain help in long lines, and start no pager, editor or browser. */
const surroundings = {
  PAGER: "cat",
  GIT_PAGER: "cat",
  MANPAGER: "cat",
  EDITOR: "false",
  VISUAL: "false",
  GIT_EDITOR: "false",
  BROWSER: "false",
  NO_COLOR: "1",
  CLICOLOR: "0",
  TERM: "dumb",
  COLUMNS: "200",
  MANWIDTH: "200",
  LC_ALL: "C.UTF-8",
  GIT_TERMINAL_PROMPT: "0",
  CI: "1",
};

/** A text with fewer characters counts as an error message and not as help. */
const minHelpLength = 30;

export async function programHelp(
  options: ProgramHelpOptions,
): Promise<HelpSource & AsyncDisposable> {
  const cwd = makeTemporaryFolder("help-");
  if (isGit(options.path)) {
    // git shows the help of some commands only in a repository, so an empty repository is made
    await Deno.mkdir(join(cwd, ".git", "objects"), { recursive: true });
    await Deno.mkdir(join(cwd, ".git", "refs"));
    await Deno.writeTextFile(join(cwd, ".git", "HEAD"), "ref: refs/heads/main\n");
  }
  const requests = new HelpRequests(cwd, options);
  using file = await Deno.open(systemPath(options.path)).catch(() => undefined);
  const head = new Uint8Array(16_384);
  await file?.read(head);
  const script = new TextDecoder().decode(head);
  const isJava = /(?:^|[\\/])javaw?(?:\.exe)?$|\.jar$/i.test(options.path) ||
    /^(?:#!|@?echo|@?rem\b)[^]*(?:\bjava\b|JAVA_HOME)/i.test(script);
  return {
    ask: (words) => requests.ask(words),
    page: (words) => requests.page(words),
    whyNot: () => requests.failure,
    language: isJava ? "java" : /^#!.*\b(perl|node)/.exec(script)?.[1],
    [Symbol.asyncDispose]: () => removeTemporaryFolder(cwd),
  };
}

function isGit(program: string): boolean {
  return /(?:^|[\\/])git(?:\.exe)?$/.test(program);
}

class HelpRequests {
  failure: string | undefined;
  #root = "";

  constructor(readonly cwd: string, readonly options: ProgramHelpOptions) {}

  async ask(words: readonly [string, ...string[]]): Promise<string | undefined> {
    const help = await this.#askProgram(words);
    // Some programs, as svn, only list the names of their commands, so their manual page is read too
    const hasRows =
      /^[ \t]+-{1,2}[A-Za-z]|^-{1,2}[A-Za-z]\S*(?: \S+){0,4}(?: {2,}|\t| +: )\S|^[ \t]+\S+(?:[ \t]{2,}| - )\S|commands:\n(?:[ \t]+[a-z][\w-]*(?: \(.*\))?\n){3}/m
        .test(help ?? "");
    if (hasRows && (words.length > 1 || /\bexit (?:status|code)s?\b[^]{0,80}\b1\b/i.test(help!))) {
      return help;
    }
    const page = await this.page(words);
    if (page === undefined) return help;
    const parts = /^(?:NAME|EXIT (?:STATUS|CODES?|VALUES?))\n(?:[ \t].*\n|\n)+/gm;
    return hasRows ? [help, ...page.match(parts) ?? []].join("\n") : page;
  }

  async page([, ...subcommands]: readonly [string, ...string[]]): Promise<string | undefined> {
    const name = basename(this.options.path);
    const man = findProgram("man", { env: {} });
    if (man === undefined || findProgram(name, { env: {} }) !== this.options.path) return undefined;
    // In another locale than C, `man` may print the dashes of options as other characters
    const page = await this.#run([man, "--", [name, ...subcommands].join("-")], { LC_ALL: "C" });
    return page?.code === 0 && /^NAME$/m.test(page.text) ? page.text : undefined;
  }

  async #askProgram(words: readonly [string, ...string[]]): Promise<string | undefined> {
    const [program, ...subcommands] = words;
    const { path } = this.options;
    // `git add --help` would open a manual page, so git's commands are asked with `-h`, which prints the options
    const isShort = isGit(program) && subcommands.length > 0;
    // A program with a command `help` may ignore `--help` behind its other commands and run them, so `help` is used
    if (subcommands.length > 0 && this.#root.includes(`${basename(path)} help [COMMAND]`)) {
      const told = await this.#run([path, "help", ...subcommands]);
      return told && isHelp(told) ? told.text : undefined;
    }
    const first = await this.#run([path, ...subcommands, isShort ? "-h" : "--help"]);
    if (first === undefined) return undefined;
    // `--help` of a program made with Symfony prints the help of its command `list`, which is not wanted
    const isOfList = subcommands.length === 0 && basename(path) !== "list" &&
      /^usage:\s+list\b/im.test(first.text);
    if (subcommands.length === 0) this.#root = first.text;
    if (isHelp(first) && !isOfList) return await this.#fullerThan(first.text, subcommands);
    for (const args of isShort ? [] : isOfList ? [["list"]] : otherWays(first.text, words)) {
      const next = await this.#run([path, ...args]);
      if (next && isHelp(next)) return next.text;
    }
    // BSD programs have no `--help`, but print an error and then their usage, which serves as help
    if (isOfList || /^usage: /im.test(first.text) && !noCommand.test(first.text)) return first.text;
    const lines = first.text.trim().split("\n");
    const reasons =
      /\berror\b|\b(?:cannot|can't|could not|couldn't|failed|missing|no such|not (?:found|installed|available|supported)|unable|requires?d?)\b/i;
    const said = lines.find((line) => reasons.test(line)) ?? lines.at(-1)!;
    this.failure = `it ended with exit code ${first.code}: ${excerpt(said.trim(), 200)}`;
    return undefined;
  }

  async #fullerThan(help: string, { length }: readonly string[]): Promise<string> {
    const [asked] = /--help[ =-](?:all|extra|full|more|advanced|options)\b/.exec(help) ??
      /(?<=\b(?:all|more) commands (?:with|by|using) ['"`]?)--list\b/i.exec(help) ?? [];
    const more = length === 0 && asked && await this.#run([this.options.path, ...asked.split(" ")]);
    // A text that is forty times as long as the help is a manual, so it is left out
    if (!more || !isHelp(more) || more.text.length > 40 * help.length) return help;
    const isWhole = /^ *usage\b/im.test(more.text) && more.text.length > help.length;
    return (isWhole ? more.text : `${help}\n${more.text}`).replaceAll(asked, "--help");
  }

  async #run(
    argv: readonly [string, ...string[]],
    locale: Readonly<Record<string, string>> = {},
  ) {
    const { env, timeoutMs = defaultHelpTimeoutMs, signal } = this.options;
    const variables = { ...env, ...surroundings, ...locale };
    const invocation = { argv, cwd: this.cwd, env: variables, timeoutMs };
    const outcome = await run(invocation, { keepBytes, signal });
    const { ending } = outcome;
    if (ending.kind === "exited") return { text: textOf(outcome), code: ending.code };
    const missing = missingInterpreter(argv[0]);
    this.failure = missing === undefined
      ? `it ${ending.kind === "not started" ? ending.detail : ending.kind}`
      : `its first line names '${missing}', which does not exist`;
    return undefined;
  }
}

function textOf({ stdout, stderr }: RunOutcome): string {
  // A Windows program may print UTF-16, in which every second byte of English text is 0
  const [first, second] = [stdout, stderr].map(({ text }) => {
    return text.replaceAll("\0", "").replace(/^\ufffd+/, "");
  }) as [string, string];
  // Some programs print warnings to one stream and the help to the other, so both are read
  return first.trim().length > minHelpLength ? first : first + second;
}

function isHelp({ text, code }: { readonly text: string; readonly code: number }): boolean {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  if (text.trim().length < minHelpLength) return false;
  // A stack trace shows that the program crashed, so the output is no help
  if (/^ +at .*:\d+:\d+\)?$|^Traceback \(most recent/m.test(text)) return false;
  // If a program fails, its output is help only if it has a usage line or an option
  if (code !== 0 && !/\busage\b|^[ \t]*-{1,2}[A-Za-z]/im.test(text)) return false;
  const complains = complaint.test(lines[0] ?? "") || complaint.test(lines.at(-1) ?? "");
  return !complains || lines.length > maxComplaintLength;
}

const noCommand =
  /\binvalid choice|\bno such (?:sub)?command|\bun(?:known|recogni[sz]ed) (?:sub)?command|was called with arguments/i;

const complaint =
  /(?:unknown|unrecognized|unrecognised|invalid|illegal|unexpected|no such) (?:\w+ )?(?:option|flag|argument|command|switch)|not defined|\berror: |could not /i;

/** An output that complains of an error is help only if it has more lines than this. */
const maxComplaintLength = 12;

function otherWays(text: string, [program, ...subcommands]: readonly [string, ...string[]]) {
  const called = program.split(/[\\/]/).at(-1)!.replace(/\.(?:exe|cmd|bat)$/i, "");
  const says = (phrase: string) => {
    const at = text.indexOf(phrase);
    return at !== -1 && !/[\w-]/.test(text.charAt(at + phrase.length));
  };
  return [
    ...["-h", "-help"].filter(says).map((word) => [...subcommands, word]),
    // `rm help` would remove a file, so the word `help` is only used if the program says that it has this command
    ...(says(`${called} <command> help`) ? [[...subcommands, "help"]] : []),
    ...(says(`${called} help`) ? [["help", ...subcommands]] : []),
  ];
}
