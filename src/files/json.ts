/** Reads JSON with comments and trailing commas; lines and columns are those of the file. */

import type { z } from "zod";
import { visible } from "../text/escape.ts";
import { type DocumentResult, readDocument } from "./document.ts";
import type { DocumentOptions } from "./finding.ts";
import { parseJson } from "./parse_json.ts";
import { placeOf } from "./place.ts";

/** Reads `text` as a `schema` value; `file` names it in problems. */
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
  // Read again as YAML, of which JSON is a subset: that parser has positions and refuses duplicate keys
  return await readDocument(file, plain, schema, options);
}

/** Replaces comments and trailing commas with spaces, so that every position stays. */
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
