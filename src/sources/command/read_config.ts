/** The text of a config → its value, checked. Apart, since a bundle's own configs do without it. */

import { type DocumentResult, readDocument } from "../../files/document.ts";
import { checkConfig } from "./check.ts";
import { type ConfigFile, configSchema } from "./schema.ts";

const unknownKeyHint = "Take it out, or begin it with 'x-', which makes it a note";

/** Reads the config in `text`, which stands in the file that the user calls `file`. */
export async function readConfig(file: string, text: string): Promise<DocumentResult<ConfigFile>> {
  return await readDocument(file, text, configSchema, { check: checkConfig, unknownKeyHint });
}
