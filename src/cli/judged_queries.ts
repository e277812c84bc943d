/** Reads queries with the tools that should answer them from a file with one line of JSON for each. */

import * as z from "zod";
import type { ToolTable } from "../catalog/tool_table.ts";
import { describeIssues } from "../files/issues.ts";
import { parseJson } from "../files/parse_json.ts";
import { requireText } from "../files/text_file.ts";
import { FileError, type Problem } from "../errors.ts";

const rowSchema = z.strictObject({
  query: z.string(),
  want: z.array(z.array(z.string()).min(1)).min(1),
  filter: z.strictObject({ cli: z.string().optional(), category: z.string().optional() })
    .optional(),
});

/** A query, the tools that should answer it, and the filters of the search. */
export type JudgedQuery = z.infer<typeof rowSchema>;

/** Reads queries that must name tools of `index` only. @throws {ClimaxError} with every problem */
export async function readJudgedQueries(path: string, index: ToolTable): Promise<JudgedQuery[]> {
  const text = await requireText(path, "Nothing was measured");
  const problems: Problem[] = [];
  const rows: JudgedQuery[] = [];
  for (const [at, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const row = await readRow(line);
    const place = { file: path, line: at + 1, column: 1 };
    if ("reason" in row) problems.push({ ...place, message: row.reason });
    else {
      const unknown = row.want.flat().filter((name) => index.get(name) === undefined);
      for (const name of unknown) {
        problems.push({ ...place, message: `No config has a tool '${name}'` });
      }
      rows.push(row);
    }
  }
  if (rows.length === 0 && problems.length === 0) {
    problems.push({ file: path, message: "The file has no queries" });
  }
  if (problems.length === 0) return rows;
  throw new FileError("Nothing was measured", ...problems);
}

async function readRow(line: string): Promise<JudgedQuery | { readonly reason: string }> {
  const json = await parseJson(line);
  if ("fault" in json) return { reason: `The line is not JSON: ${json.fault.message}` };
  const parsed = rowSchema.safeParse(json.value, { reportInput: true });
  if (parsed.success) return parsed.data;
  const [finding] = describeIssues(parsed.error.issues, rowSchema);
  return { reason: finding!.message };
}
