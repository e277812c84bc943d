/** Parses and checks the text of a config. In a file of its own because a bundle has its configs parsed. */

import { type DocumentResult, readDocument } from "../../files/document.ts";
import { checkConfig } from "./check.ts";
import { type ConfigFile, configSchema } from "./schema.ts";

const unknownKeyHint = "Take it out, or begin it with 'x-', which makes it a note";

/** `file` is the name that messages use. */
export async function readConfig(file: string, text: string): Promise<DocumentResult<ConfigFile>> {
  return await readDocument(file, text, configSchema, { check: checkConfig, unknownKeyHint });
}
