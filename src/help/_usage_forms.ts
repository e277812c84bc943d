/** Finds the usage lines in a help text, and removes from them the words of the command itself. */

import type { Line } from "./_columns.ts";

function nameOf(path: string): string {
  return path.split(/[\\/]/).at(-1)!.replace(/\.(?:py|js|exe|cmd|bat)$/i, "");
}

export function formsOf(lines: readonly Line[], words: readonly string[]): string[] {
  const program = nameOf(words[0]!);
  const start = (text: string) =>
    text.replace(/^"(.*)"$/, "$1").replace(/^(?:\$ |or:?\s+|\d+\.\s+)/i, "");
  const shown = start(lines.find(({ text }) => text !== "")?.text ?? "").split(/\s/)[0]!;
  const isProgram = (text: string) => {
    const first = start(text).split(/\s/)[0]!;
    return first === program || nameOf(first) === program || first === shown && /^\w/.test(shown);
  };
  const piped = new RegExp(`^[^|]+ \\| (?=${RegExp.escape(shown)} )`);
  const forms: string[] = [];
  for (const { text: whole } of lines) {
    const text = whole.replace(piped, "").replace(
      /(?<=[\]>})-])\s{3,}[a-z][a-z ]+(?:\(.*\))?$|\s{8,}[a-z].*$|\s{2,}[A-Z][a-z]+ .*$/,
      "",
    );
    if (/^or:?$|^[A-Z][^[<]*:$/i.test(text)) continue;
    if (/^where\s|^\S+ +:=/.test(text)) break;
    // A program that fails without arguments may print a sentence above its usage, which is skipped
    if (/^[a-z]+(?: [a-z]+){3}/.test(text) && !text.startsWith(`${program} `)) continue;
    if (text === "" || text.startsWith("-") && forms.length === 0) {
      if (forms.length > 0) break;
      continue;
    }
    if (forms.length === 0 || isProgram(text) || /^or:?\s/i.test(text)) forms.push(start(text));
    else forms.push(`${forms.pop()} ${text}`);
  }
  const own = forms.flatMap((form) => withoutCommand(form, words) ?? []);
  return own.length > 0 ? own : forms.map((form) => form.split(/\s+/).slice(1).join(" "));
}

/** Removes the words of the command from a usage line; `undefined` if the line is about another command. */
function withoutCommand(form: string, words: readonly string[]): string | undefined {
  const tokens = form.split(/\s+/);
  let at = /^[[<{]/.test(form) ? 0 : 1;
  for (const word of words.slice(1)) {
    const found = tokens.slice(at).findIndex((token) => token.split("|").includes(word));
    if (found === -1 || found > 4) return undefined;
    at += found + 1;
  }
  return tokens.slice(at).join(" ");
}
