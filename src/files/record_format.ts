/** The formats of structured output, apart from their readers, which few starts need. */

export const structuredFormats = ["json", "jsonl", "csv"] as const;

export interface RecordFormat {
  readonly format: typeof structuredFormats[number];
  readonly csv?: Partial<CsvFormat>;
}

export interface CsvFormat {
  /** One character. */
  readonly delimiter: string;
  /** Names of the columns when the first line does not have them. */
  readonly columns?: readonly string[];
}
