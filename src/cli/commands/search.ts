/** `climax search`: what an agent would find. */

import type { SearchRequest } from "../../catalog/tool_index.ts";
import { bundledConfigs } from "../../sources/command/bundled.ts";
import { ExitCode } from "../../errors.ts";
import { answer, hintOf } from "../../catalog/answer.ts";
import { say } from "../../log.ts";
import { openSession } from "../../session.ts";
import { visible } from "../../text/excerpt.ts";
import { print, table } from "../output.ts";

/** Settings of `climax search`. */
export interface SearchCommandOptions extends SearchRequest {
  /** Default: all bundled ones. */
  readonly config?: readonly string[];
  readonly policy?: string;
  readonly strict?: boolean;
  readonly json?: boolean;
}

/** Prints the results of a search; finding nothing is an answer, not a failure. */
export async function searchCommand(options: SearchCommandOptions): Promise<ExitCode> {
  const { config = [...bundledConfigs.keys()], policy, strict, json = false, ...request } = options;
  const { index } = await openSession({ configs: config, policy, strict });
  const found = await answer(index, request);
  if (json) {
    await print(JSON.stringify(found));
  } else if (found.mode === "summary") {
    const rows = found.summary.map(({ name, tool_count, category, description }) => {
      return [name, String(tool_count), category ?? "", description];
    });
    await print(table(["CLI", "TOOLS", "CATEGORY", "DESCRIPTION"], rows));
  } else if (found.results.length === 0) {
    await print("No tool matches");
  } else {
    const rows = found.results.map(({ tool_name, cli_name, description }) => {
      return [tool_name, cli_name, description];
    });
    await print(table(["TOOL", "CLI", "DESCRIPTION"], rows));
  }
  const hint = hintOf(index, request);
  if (hint !== undefined) say(hint.split("\n").map(visible).join("\n"));
  return ExitCode.ok;
}
