/** Where a text stops being JSON, and in plain words why: the runtime's own words name no place. */

import { messageOf } from "../errors.ts";

/** The first thing that is wrong. */
export interface JsonFault {
  /** In UTF-16 code units. */
  readonly offset: number;
  /** What was expected, and what stands there. */
  readonly message: string;
}

/** A text, a number, a word, or a sign of its own. */
const token =
  // deno-lint-ignore no-control-regex
  /("[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})[^"\\\x00-\x1f]*)*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])|([{}[\],:])/y;

const white = /[ \t\r\n]*/y;

type Expected = "value" | "value or ]" | "key" | "key or }" | ":" | ", or }" | ", or ]" | "end";

const words: Readonly<Record<Expected, string>> = {
  "value": "a value",
  "value or ]": "a value or ']'",
  "key": "a key in double quotes",
  "key or }": "a key in double quotes or '}'",
  ":": "':'",
  ", or }": "',' or '}'",
  ", or ]": "',' or ']'",
  "end": "nothing more",
};

/** The value of a JSON text, or the fault of it. */
export function parseJson(
  text: string,
): { readonly value: unknown } | { readonly fault: JsonFault } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { fault: jsonFault(text) ?? { offset: 0, message: messageOf(error) } };
  }
}

/** The fault of `text`; nothing where it is JSON. */
export function jsonFault(text: string): JsonFault | undefined {
  const open: ("{" | "[")[] = [];
  const behindValue = (): Expected => {
    const last = open.at(-1);
    return last === undefined ? "end" : last === "{" ? ", or }" : ", or ]";
  };
  let expected: Expected = "value";
  for (let offset = 0;;) {
    white.lastIndex = offset;
    white.exec(text);
    offset = white.lastIndex;
    if (offset === text.length) {
      return expected === "end" ? undefined : { offset, message: wrong(expected, "the end") };
    }
    token.lastIndex = offset;
    const [found, string, value, sign] = token.exec(text) ?? [];
    const next = after(expected, { string, value, sign });
    if (next === undefined) {
      return { offset, message: wrong(expected, describe(text, offset, found)) };
    }
    if (next === "open") {
      open.push(sign as "{" | "[");
      expected = sign === "{" ? "key or }" : "value or ]";
    } else if (next === "close") {
      open.pop();
      expected = behindValue();
    } else expected = next === "value is done" ? behindValue() : next;
    offset = token.lastIndex;
  }
}

interface Token {
  readonly string: string | undefined;
  readonly value: string | undefined;
  readonly sign: string | undefined;
}

/** What a token comes to where something is expected; nothing where it is wrong there. */
function after(
  expected: Expected,
  { string, value, sign }: Token,
): Expected | "open" | "close" | "value is done" | undefined {
  switch (expected) {
    case "value or ]":
      if (sign === "]") return "close";
      // falls through
    case "value":
      if (sign === "{" || sign === "[") return "open";
      return string !== undefined || value !== undefined ? "value is done" : undefined;
    case "key or }":
      if (sign === "}") return "close";
      // falls through
    case "key":
      return string === undefined ? undefined : ":";
    case ":":
      return sign === ":" ? "value" : undefined;
    case ", or }":
      return sign === "}" ? "close" : sign === "," ? "key" : undefined;
    case ", or ]":
      return sign === "]" ? "close" : sign === "," ? "value" : undefined;
    case "end":
      return undefined;
  }
}

function wrong(expected: Expected, found: string): string {
  return `expected ${words[expected]}, found ${found}`;
}

/** What stands at `offset`, in one short word. */
function describe(text: string, offset: number, found: string | undefined): string {
  if (found === undefined && text[offset] === '"') {
    return "an unterminated string, or an unescaped control character";
  }
  const [word] = found === undefined ? /[\w$.+-]{1,20}|./suy.exec(text.slice(offset))! : [found];
  return `'${word.length > 20 ? `${word.slice(0, 20).toWellFormed()}…` : word}'`;
}
