/**
 * JSON as editors write it, with comments and commas behind the last item, read through one zod
 * schema. Lines and columns stay what they are in the file.
 */

import type { z } from "zod";
import { messageOf, type Problem } from "../errors.ts";
import { type DocumentOptions, type DocumentResult, placeOf, readDocument } from "./document.ts";

/** Reads `text`, which stands in the file the user calls `file`, as a `schema` value. */
export async function readJsonDocument<T>(
  file: string,
  text: string,
  schema: z.ZodType<T>,
  options: DocumentOptions = {},
): Promise<DocumentResult<T>> {
  const plain = plainJson(text);
  try {
    JSON.parse(plain);
  } catch (error) {
    return { ok: false, problems: [syntaxProblem(file, plain, messageOf(error))] };
  }
  // Once more as YAML, of which JSON is a part: it knows where things stand, and minds a key twice
  return await readDocument(file, plain, schema, options);
}

/** What JSON does not have in `text`, comments and last commas, made spaces: every place stays. */
export function plainJson(text: string): string {
  const blank = (part: string) => part.replace(/[^\r\n]/g, " ");
  const withoutComments = text.replace(
    /"(?:[^"\\\r\n]|\\.)*"|\/\/[^\r\n]*|\/\*[^]*?\*\//g,
    (part) => part.startsWith('"') ? part : blank(part),
  );
  const withoutCommas = withoutComments.replace(
    /"(?:[^"\\\r\n]|\\.)*"|,(?=\s*[\]}])/g,
    (part) => part === "," ? " " : part,
  );
  return withoutCommas.replace(/^\ufeff/, " ");
}

function syntaxProblem(file: string, text: string, message: string): Problem {
  const position = /at position (\d+)/.exec(message)?.[1];
  const offset = position === undefined ? text.trimEnd().length : Number(position);
  const reason = message.replace(/ in JSON at position.*$/s, "").replace(/ in JSON$/, "");
  return { file, ...placeOf(text, offset), message: `The file is not JSON: ${reason}` };
}
