/** The formats of structured output, apart from their readers, which few starts need. */

/** The formats that values are read from. */
export const structuredFormats = ["json", "jsonl", "csv"] as const;

/** The format of values in a text. */
export interface RecordFormat {
  readonly format: typeof structuredFormats[number];
  /** How CSV is read. */
  readonly csv?: Partial<CsvFormat>;
}

/** The format of a CSV text. */
export interface CsvFormat {
  /** One character. */
  readonly delimiter: string;
  /** Names of the columns when the first line does not have them. */
  readonly columns?: readonly string[];
}
