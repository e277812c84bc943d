/** How values stand in a text, apart from what reads them, which few starts need. */

import type { CsvFormat } from "./csv.ts";

/** The formats that values are read from. */
export const structuredFormats = ["json", "jsonl", "csv"] as const;

/** How values stand in a text. */
export interface RecordFormat {
  readonly format: typeof structuredFormats[number];
  /** How CSV is read. */
  readonly csv?: Partial<CsvFormat>;
}
