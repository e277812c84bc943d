/**
 * JSON as editors write it, with comments and commas behind the last item, read through one zod
 * schema. Lines and columns stay what they are in the file.
 */

import type { z } from "zod";
import { visible } from "../text/escape.ts";
import { type DocumentResult, readDocument } from "./document.ts";
import type { DocumentOptions } from "./finding.ts";
import { parseJson } from "./parse_json.ts";
import { placeOf } from "./place.ts";

/** Reads `text`, which stands in the file the user calls `file`, as a `schema` value. */
export async function readJsonDocument<T>(
  file: string,
  text: string,
  schema: z.ZodType<T>,
  options: DocumentOptions = {},
): Promise<DocumentResult<T>> {
  const plain = plainJson(text);
  const parsed = await parseJson(plain);
  if ("fault" in parsed) {
    const message = `The file is not JSON: ${visible(parsed.fault.message)}`;
    return { ok: false, problems: [{ file, ...placeOf(plain, parsed.fault.offset), message }] };
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
