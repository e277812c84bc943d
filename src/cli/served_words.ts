/** Reads the command by which a client starts climax, and adds to it. */

import { ClimaxError, ExitCode } from "../errors.ts";
import { servingCommand } from "../process/own_command.ts";
import type { ServerCommand } from "../setup/clients.ts";
import { shellWord } from "../text/shell_word.ts";
import type { CommandTable } from "./command.ts";
import { buildCommand } from "./program.ts";

/** The words of `climax run` in a command. */
export interface ServedWords {
  readonly configs: readonly string[];
  readonly options: readonly ServedOption[];
}

/** An option with its value, if it takes one. */
type ServedOption = readonly [flag: string, value?: string];

/** Options that may be given more than once. */
const repeatable = new Set(["--mcp"]);

/**
 * Reads the words of `command`, which may start another copy of climax.
 *
 * @throws {ClimaxError} when it has words that `climax run` does not take
 */
export async function servedWords(
  command: readonly string[],
  { commands }: CommandTable,
): Promise<ServedWords> {
  const { options: known } = await buildCommand(commands.get("run")!);
  const [first, ...rest] = wordsOf(command);
  const words = first === undefined || first === "run" ? rest : [first, ...rest];
  const configs: string[] = [];
  const options: ServedOption[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (!word.startsWith("-")) {
      configs.push(word);
      continue;
    }
    const [flag = word, value] = word.split(/=(.*)/s);
    const option = known.find(({ long, short }) => flag === long || flag === short);
    if (option === undefined) throw unreadable(command, word);
    const given = option.required ? value ?? words[++at] : value;
    if (option.required && given === undefined) throw unreadable(command, word);
    if (flag === "--config") configs.push(given!);
    else options.push(given === undefined ? [flag] : [flag, given]);
  }
  return { configs, options };
}

/** The command that serves what `before` serves and what `added` does, with the options of the latter first. */
export function joinedCommand(before: ServedWords, added: ServedWords): ServerCommand {
  const isKept = ([flag, value]: ServedOption) => {
    const same = added.options.filter(([other]) => other === flag);
    return repeatable.has(flag) ? !same.some(([, other]) => other === value) : same.length === 0;
  };
  const configs = new Set([...before.configs, ...added.configs]);
  const options = [...before.options.filter(isKept), ...added.options];
  return [...servingCommand(), ...configs, ...options.flat().filter((word) => word !== undefined)];
}

/** What a server of these words serves, for a person. */
export function contentsOf({ configs, options }: ServedWords): string[] {
  return [...configs, ...options.flatMap(([flag, value]) => flag === "--mcp" ? [value!] : [])];
}

/** The words after those that start climax itself. */
function wordsOf(command: readonly string[]): readonly string[] {
  const own = servingCommand();
  if (own.every((word, at) => word === command[at])) return command.slice(own.length);
  const program =
    /(?:^|[/\\])(?:main\.ts|climax(?:-mcp|-\d[\w.+-]*)?(?:\.exe|\.cmd|\.mjs|@[\w.-]+)?)$/;
  const at = command.findIndex((word) => program.test(word));
  if (at === -1) throw unreadable(command, command[0] ?? "");
  return command.slice(at + 1);
}

function unreadable(command: readonly string[], word: string): ClimaxError {
  const message = `The client starts '${command.map((each) => shellWord(each)).join(" ")}', ` +
    `of which '${word}' is not known`;
  const hint = "--replace writes a new entry in its place";
  return new ClimaxError("Nothing was written", ExitCode.file, [{ message, hint }]);
}
