/**
 * Asks programs for completions that the help leaves out. Others would take the question for a call, so only
 * programs whose file has the marker are asked; and not for values, which may come from a network.
 */

import { readFile } from "node:fs/promises";
import { systemPath } from "../io.ts";
import type { Invocation } from "../exec/invocation.ts";
import { run } from "../exec/run.ts";

interface Completion {
  readonly word: string;
  /** May be empty. */
  readonly description: string;
}

export interface Completer {
  /** Asks for words after `words`, program first, that begin with `start`. */
  ask(words: readonly string[], start: "" | "--"): Promise<readonly Completion[]>;
}

interface CompleterOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly onRun: (argv: readonly string[]) => void;
}

interface CompletionProtocol {
  /** A text in the file of a program that has the protocol. */
  readonly mark: string;
  /** Bytes at the start of the file that have the mark; absent: anywhere. */
  readonly within?: number;
  call(words: readonly string[], start: string, cwd: string): Pick<Invocation, "env"> & {
    readonly args: readonly string[];
    /** The file that gets the answer; absent: standard output. */
    readonly file?: string;
  };
}

/** Milliseconds that a question may take. */
const timeoutMs = 10_000;

/** Bytes of a program that are searched for a mark. */
const maxProgramBytes = 512 * 1024 * 1024;

const ways: readonly CompletionProtocol[] = [
  {
    // cobra's hidden command, completions.go
    mark: "ShellCompDirective",
    call: ([, ...words], start) => ({ args: ["__complete", ...words, start], env: {} }),
  },
  {
    // clap_complete's environment for fish, which has descriptions
    mark: "_CLAP_COMPLETE_INDEX",
    call: ([program, ...words], start) => ({
      args: ["--", program!, ...words, start],
      env: { COMPLETE: "fish", _CLAP_COMPLETE_INDEX: String(words.length + 1) },
    }),
  },
  {
    // argcomplete's protocol; the marker is what its own global completion looks for
    mark: "PYTHON_ARGCOMPLETE_OK",
    within: 1024,
    call([program, ...words], start, cwd) {
      const line = [program, ...words, start].join(" ");
      const file = `${cwd}/${crypto.randomUUID()}`;
      const point = String(new TextEncoder().encode(line).length);
      return {
        args: [],
        file,
        env: {
          _ARGCOMPLETE: "1",
          COMP_LINE: line,
          COMP_POINT: point,
          COMP_TYPE: "9",
          _ARGCOMPLETE_IFS: "\n",
          _ARGCOMPLETE_STDOUT_FILENAME: file,
        },
      };
    },
  },
];

/** Creates a completer for the program at `path`; `undefined` without a known protocol. */
export async function completerOf(
  path: string,
  { cwd, env, onRun }: CompleterOptions,
): Promise<Completer | undefined> {
  const way = await wayOf(path);
  if (way === undefined) return undefined;
  return {
    async ask(words, start) {
      const call = way.call(words, start, cwd);
      onRun([words[0]!, ...call.args]);
      const invocation = { argv: [path, ...call.args] as [string], cwd, timeoutMs };
      const outcome = await run({ ...invocation, env: { ...env, ...call.env } });
      if (call.file === undefined) return wordsIn(outcome.stdout.text, start);
      const text = await Deno.readTextFile(call.file).catch(() => "");
      await Deno.remove(call.file).catch(() => {});
      return wordsIn(text, start);
    },
  };
}

async function wayOf(path: string): Promise<CompletionProtocol | undefined> {
  const { size } = await Deno.stat(systemPath(path));
  if (size > maxProgramBytes) return undefined;
  const bytes = await readFile(systemPath(path));
  return ways.find(({ mark, within }) => {
    return (within === undefined ? bytes : bytes.subarray(0, within)).includes(mark);
  });
}

/** Reads one word from each line, with a description behind a tab; cobra ends with a directive. */
function wordsIn(text: string, start: string): Completion[] {
  return text.split("\n").flatMap((line) => {
    const [word, description = ""] = line.split("\t");
    const name = word!.trim().replace(/=$/, "");
    const isWord = start === "" ? /^[a-z0-9][\w:.-]*$/i.test(name) : /^--[\w-]+$/.test(name);
    return isWord ? [{ word: name, description: description.trim() }] : [];
  });
}
