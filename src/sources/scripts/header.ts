/** The header of a kept script: a comment with YAML, whose arguments are written as those of a config. */

import * as z from "zod";
import type { Problem } from "../../errors.ts";
import { locate, readDocument } from "../../files/document.ts";
import type { Finding, Path } from "../../files/finding.ts";
import type { Arg, Effect } from "../../tool/tool.ts";
import { hasMark } from "./kept_files.ts";
import { isObject } from "../../text/own_property.ts";

/** Reads arguments as a config has them. */
export interface ArgReader {
  /** Of one argument. */
  readonly schema: z.ZodType;
  check(args: unknown, path: Path): Finding[];
  resolve(
    written: readonly unknown[],
    path: Path,
  ): Promise<{ readonly args: readonly Arg[]; readonly findings: readonly Finding[] }>;
}

export interface ScriptHeader {
  readonly description: string;
  /** The worst effect that its calls may have. */
  readonly effect: Effect;
  readonly args: readonly Arg[];
  readonly examples: readonly string[];
}

/** The header, or every problem with its place in the file. */
export type HeaderResult =
  | { readonly ok: true; readonly header: ScriptHeader }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** The largest number of arguments, and of examples. */
const maxItems = 50;

/** Most characters of the description. */
const maxDescriptionLength = 1000;

const headerPattern = /^(\ufeff?\s*\/\*\s*climax script[^\S\n]*)(?:\r?\n([^]*?))?\*\//;

/** Reads the header of `text`, the content of `file`. */
export async function readHeader(
  file: string,
  text: string,
  argReader: ArgReader,
): Promise<HeaderResult> {
  const match = headerPattern.exec(text);
  if (match === null) {
    const message = hasMark(text)
      ? "The comment of its header has no end, or YAML does not begin on a new line"
      : "The file does not begin with a header";
    const hint = "It begins with /* climax script, lines of YAML, and */";
    return { ok: false, problems: [{ file, line: 1, column: 1, message, hint }] };
  }
  const [, above = "", yaml = ""] = match;
  // Problems have the lines of the file
  const document = "\n".repeat(above.split("\n").length) + yaml;
  const unknownKeyHint = "A header has description, effect, args and examples; an argument has " +
    "the keys of a config's, but those of command lines";
  const check = (value: unknown) => argReader.check(argsOf(value), ["args"]);
  const read = await readDocument(file, document, schemaOf(argReader), { check, unknownKeyHint });
  if (!read.ok) return { ok: false, problems: read.problems };
  const { description, effect, args, examples } = read.value;
  const resolved = await argReader.resolve(args ?? [], ["args"]);
  if (resolved.findings.length > 0) {
    return { ok: false, problems: await locate(file, document, resolved.findings) };
  }
  return {
    ok: true,
    header: {
      description,
      effect,
      args: resolved.args,
      examples: examples ?? [],
    },
  };
}

function schemaOf({ schema }: ArgReader) {
  return z.strictObject({
    description: z.string().trim().min(1, "expected a sentence, found nothing")
      .max(maxDescriptionLength, `expected at most ${maxDescriptionLength} characters`),
    effect: z.enum(["read", "write", "destructive"]),
    args: z.array(schema).max(maxItems, atMost).nullish(),
    examples: z.array(z.string()).max(maxItems, atMost).nullish(),
  });
}

const atMost = `expected at most ${maxItems} items`;

function argsOf(header: unknown): unknown {
  return isObject(header) ? header["args"] : undefined;
}
