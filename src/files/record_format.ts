/** The formats of structured output, apart from their readers, which few starts need. */

import type { CsvFormat } from "./records.ts";

/** The formats that values are read from. */
export const structuredFormats = ["json", "jsonl", "csv"] as const;

/** The format of values in a text. */
export interface RecordFormat {
  readonly format: typeof structuredFormats[number];
  /** How CSV is read. */
  readonly csv?: Partial<CsvFormat>;
}
