/** Turns errors of the YAML parser into plain words with a remedy. */

/** A syntax error of the parser. */
export interface ParserError {
  readonly code: string;
  readonly message: string;
  /** In UTF-16 code units. */
  readonly offset: number;
}

/** The error as the author of the file reads it. */
export interface SyntaxWords {
  readonly message: string;
  readonly hint?: string;
}

/** Words `error` in `text`. */
export function syntaxWords(error: ParserError, text: string): SyntaxWords {
  const rest = text.slice(error.offset).split("\n", 1)[0]!;
  const line = text.slice(text.lastIndexOf("\n", error.offset - 1) + 1).split("\n", 1)[0]!;
  const [first = error.message] = error.message.split("\n", 1);
  return byCode[error.code]?.({ message: first, rest, line }) ?? { message: first };
}

interface Seen {
  readonly message: string;
  /** The line from the error on. */
  readonly rest: string;
  readonly line: string;
}

type Describe = (seen: Seen) => SyntaxWords | undefined;

const byCode: Readonly<Record<string, Describe>> = {
  BLOCK_AS_IMPLICIT_KEY: colonInText,
  BLOCK_IN_FLOW: colonInText,
  TAB_AS_INDENT: () => ({
    message: "A line is indented with a tab",
    hint: "Indent with spaces",
  }),
  DUPLICATE_KEY: ({ rest }) => {
    const key = /^["']?([^"':]+)["']?\s*:/.exec(rest)?.[1];
    return { message: key === undefined ? "Duplicate key" : `Duplicate key '${key}'` };
  },
  BAD_DQ_ESCAPE: ({ rest }) => ({
    message: `'${rest.slice(0, 2)}' means nothing in a text in double quotes`,
    hint: "Write \\\\ for a backslash, or put the text in single quotes",
  }),
  MISSING_CHAR: ({ message }) => {
    if (message.includes("quote")) {
      return { message: "A text in quotes is not closed", hint: "Put a quote at its end" };
    }
    if (message.startsWith("Sequence item")) return wrongColumn;
    return { message: "A key has no ': ' after it" };
  },
  BAD_INDENT: ({ message }) => {
    if (message.startsWith("Flow sequence")) return { message: "A list in [ ] is not closed" };
    if (message.startsWith("Flow map")) {
      return {
        message: "A map in { } is not closed",
        hint: "A text that begins with { is put in quotes",
      };
    }
    return wrongColumn;
  },
  BAD_SCALAR_START: ({ rest }) => ({
    message: `A text cannot begin with ${rest.charAt(0)}`,
    hint: "Quote the text",
  }),
  MULTIPLE_DOCS: () => ({ message: "Expected one document, found another" }),
  MULTILINE_IMPLICIT_KEY: ({ line }) => {
    const message = "A key has no ': ' after it";
    return /^\s*(?:- )?[\w.-]+:\S/.test(line)
      ? { message, hint: "Put a space after the ':'" }
      : { message };
  },
  UNEXPECTED_TOKEN: ({ message, line }) => {
    if (message.startsWith("Block scalar header")) {
      return {
        message: "There is text after the | or > that begins a block",
        hint: "Begin the text in the next line, or quote it",
      };
    }
    if (message.includes("block-seq-ind")) {
      return { message: "A list begins in the line of its key", hint: "Put the '-' below the key" };
    }
    if (message === "Unexpected scalar at node end" && /["']/.test(line)) {
      return {
        message: "There is text after a closing quote",
        hint: "Quote the whole text; a ' within single quotes is written ''",
      };
    }
    const opened = /^Unexpected flow-(seq|map)-start at node end$/.exec(message)?.[1];
    if (opened !== undefined) {
      const sign = opened === "seq" ? "[" : "{";
      return {
        message: `A ${sign} within a text begins a list or a map, inside of { } and [ ]`,
        hint: `Quote the text: it contains "${sign}"`,
      };
    }
    if (message === "Unexpected scalar at node end") {
      return { message: "This does not belong to what comes before it" };
    }
    return undefined;
  },
};

const wrongColumn: SyntaxWords = {
  message: "No line before this one begins in the same column",
  hint: "Indent it like the other keys of its map",
};

function colonInText({ rest, line }: Seen): SyntaxWords | undefined {
  if (!/:(?:\s|$)/.test(rest)) {
    // The value of a key, and below it a line that looks like a key
    if (!/^\s*(?:- )?[\w.-]+: /.test(line)) return undefined;
    return {
      message: "A key is indented below a value",
      hint: "Indent the line below this one as this one is",
    };
  }
  return {
    message: "A ': ' within a text begins another key",
    hint: 'Quote the text: it contains ": "',
  };
}
