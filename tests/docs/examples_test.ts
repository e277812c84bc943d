/** What pages show as printed is what is printed. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { tokenCosts } from "../../src/cli/token_costs.ts";
import { openSession } from "../../src/session/session.ts";
import { bundledNames } from "../../src/sources/command/bundled.ts";
import { root } from "../_fixtures.ts";

/** Asserts that a figure in a text is at most 5 % off. */
function assertNear(what: string, said: string, counted: number): void {
  const share = Number(said.replaceAll(",", "")) / counted;
  assert.ok(Math.abs(share - 1) < 0.05, `${what}: ${said} is said, ${counted} counted`);
}

Deno.test("docs/benchmarks.md: the costs of the bundled configs are still about those", async () => {
  const page = await Deno.readTextFile(join(root, "docs", "benchmarks.md"));
  const [, table] = page.split("## What tools cost an agent\n");
  await using session = await openSession({ configs: [...bundledNames] });
  const stats = await tokenCosts(session, (text) => countTokens(text));
  const rows: readonly [row: string, tokens: number][] = [
    ["`tools/list`, discovery", stats.discovery_list],
    ["`tools/list`, classic", stats.classic_list],
    ["summary", stats.summary],
    ["search, median", stats.search_median],
    ["summary, compact", stats.summary_compact],
    ["search, compact, median", stats.search_median_compact],
  ];
  for (const [row, tokens] of rows) {
    const [, shown] = table!.split(`| ${row} | `);
    assertNear(row, shown!.split(" ")[0]!, tokens);
  }
  const readme = await Deno.readTextFile(join(root, "README.md"));
  const claim = /\*\*(\S+) tokens instead of (\S+)\*\* to offer an agent all (\d+) bundled tools/
    .exec(readme)!;
  assertNear("README, two tools", claim[1]!, stats.discovery_list);
  assertNear("README, by name", claim[2]!, stats.classic_list);
  assertNear("README, tools", claim[3]!, stats.tools);
});
