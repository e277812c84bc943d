/** The schema of a tool's `select` in configs, the project's file and policies. */

import * as z from "zod";

const maxColumns = 100;
const columnName = z.string().min(1, "expected a name, found nothing");
export const jsonPath = z.string().min(1, "expected a JSONPath, found an empty text");

export const columnNames = z.array(columnName).min(1, "expected at least one column, found none")
  .max(maxColumns, `expected at most ${maxColumns} columns`);

export const columnsSchema = z.union(
  [columnNames, z.record(columnName, jsonPath)],
  "expected a list of columns, or a map from names to JSONPaths",
);

export const selectWords =
  "expected a JSONPath, a list of columns, or a map of 'items' and 'columns'";

export const itemsMeta = {
  description: "A JSONPath (RFC 9535) of the items",
  examples: ["$.items[*]"],
};
export const columnsMeta = {
  description: "Of each item: its keys, or names with JSONPaths seen from the item",
  examples: [{ name: "$.metadata.name", phase: "$.status.phase" }],
};

export const selectSchema = z.union([
  jsonPath,
  columnNames,
  z.strictObject({
    items: jsonPath.optional().meta(itemsMeta),
    columns: columnsSchema.optional().meta(columnsMeta),
  }),
], selectWords);
