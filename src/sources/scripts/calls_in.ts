/**
 * Reads which tools a script calls by name. It reads the text and proves nothing: a script can compute a name, and
 * what holds it is its effect, at each call.
 */

export interface WrittenCalls {
  /** Names in `call("NAME"…)`, in the order of the text. */
  readonly names: readonly string[];
  /** The text has other ways to call than these. */
  readonly hasOthers: boolean;
}

/** Words with which a script reaches `call` without writing it, and escapes that write it in another way. */
const indirect = /\b(?:globalThis|this|eval|Function|constructor|Reflect)\b|\\(?:u|x)/;

/** Reads `code` as it is, comments and texts included: what only looks like a call is named too. */
export function callsIn(code: string): WrittenCalls {
  const [header = ""] = /^\ufeff?\s*\/\*[^]*?\*\//.exec(code) ?? [];
  const body = code.slice(header.length);
  const names = new Set<string>();
  const rest = body.replace(
    /(?<![\w$.])call\s*\(\s*(["'`])([\w./:-]+)\1(?=\s*[,)])/g,
    (_, _quote, name: string) => {
      names.add(name);
      return "";
    },
  );
  return {
    names: [...names],
    hasOthers: /(?<![\w$])call(?![\w$])/.test(rest) || indirect.test(rest),
  };
}
