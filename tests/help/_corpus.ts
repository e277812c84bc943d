/** Captured help texts: one file for each program, one part for each command. */

import { join } from "node:path";
import type { HelpSource } from "../../src/setup/help_source.ts";

/** Where the texts are kept. */
export const helpFolder = join(import.meta.dirname!, "captured");

/** What one command printed. */
export interface Captured {
  /** Program first. */
  readonly words: readonly string[];
  readonly text: string;
}

/** The parts as one text. */
export function formatCorpus(parts: readonly Captured[]): string {
  return parts.map(({ words, text }) => `==> ${words.join(" ")} <==\n${text.trimEnd()}\n`).join(
    "\n",
  );
}

/** The parts of a captured file. */
export function parseCorpus(file: string): Captured[] {
  return file.split(/^(?===> .* <==$)/m).filter((part) => part.startsWith("==> ")).map((part) => {
    const [, words] = /^==> (.*) <==$/m.exec(part)!;
    return { words: words!.split(" "), text: part.slice(part.indexOf("\n") + 1) };
  });
}

/** All texts of one program. */
export async function readCorpus(program: string): Promise<Captured[]> {
  return parseCorpus(await Deno.readTextFile(join(helpFolder, `${program}.txt`)));
}

/** Captured texts as a source of help. */
export function capturedHelp(parts: readonly Captured[]): HelpSource {
  return {
    ask(words) {
      const part = parts.find((each) => each.words.join(" ") === words.join(" "));
      return Promise.resolve(part?.text);
    },
  };
}
