/** Finds where and why a text is not JSON: the runtime's messages name no place. Imported only after a failure. */

import { type ParseError, printParseErrorCode, visit } from "jsonc-parser";

export interface JsonFault {
  readonly offset: number;
  readonly message: string;
}

const expected: Readonly<Record<string, string>> = {
  InvalidSymbol: "a value or a key in double quotes",
  PropertyNameExpected: "a key in double quotes",
  ValueExpected: "a value",
  ColonExpected: "':'",
  CommaExpected: "',' or a closing bracket",
  CloseBraceExpected: "'}'",
  CloseBracketExpected: "']'",
  EndOfFileExpected: "nothing more",
  InvalidCommentToken: "no comment",
  UnexpectedEndOfString: "'\"' at the end of the text",
  InvalidEscapeCharacter: "an escape that JSON has, such as '\\n'",
  InvalidCharacter: "no control character in a text",
};

export function jsonFault(text: string): JsonFault | undefined {
  const errors: ParseError[] = [];
  const onError = (error: ParseError["error"], offset: number, length: number) => {
    errors.push({ error, offset, length });
  };
  try {
    visit(text, { onError }, { disallowComments: true });
  } catch {
    return undefined; // it has too many levels for this parser
  }
  return errors[0] && faultOf(text, errors[0]);
}

export function faultOf(text: string, { error, offset }: ParseError): JsonFault {
  const [word] = /[\w$.+-]+|"[^"\r\n]*"?|./suy.exec(text.slice(offset)) ?? [];
  const shown = word && (word.length > 20 ? `${word.slice(0, 20).toWellFormed()}…` : word);
  const found = shown === undefined ? "the end" : `'${shown}'`;
  const wanted = expected[printParseErrorCode(error)] ?? "JSON";
  return { offset, message: `expected ${wanted}, found ${found}` };
}
