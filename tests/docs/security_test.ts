/** The tables of docs/security.md and docs/audit.md have what is printed and written: flags, and fields of the audit log. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { climax } from "../cli/commands/_climax.ts";
import { scratch } from "../e2e/_scratch.ts";
import { root } from "../_fixtures.ts";

const auditPage = await Deno.readTextFile(join(root, "docs", "audit.md"));

/** Returns what stands as code in the first cells of the table whose header begins with `name`. */
function namesIn(page: string, name: string): ReadonlySet<string> {
  const [, table] = page.split(`\n| ${name} |`);
  const [rows] = table!.split("\n\n");
  const cells = rows!.split("\n").map((row) => row.split("|")[1] ?? "");
  return new Set(
    cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code!)),
  );
}

const config = {
  name: "own",
  description: "A config",
  command: Deno.execPath(),
  tools: [{ name: "own_help", description: "Shows help", command: "--help" }],
};

Deno.test("docs/audit.md names each field of the audit log", async () => {
  await using dir = await scratch();
  await Deno.writeTextFile(join(dir.path, "own.yaml"), JSON.stringify(config));
  for (const tool of ["own_help", "no_such_tool"]) {
    await climax(["call", tool, "--config", "own.yaml", "--audit", "audit.jsonl"], {
      cwd: dir.path,
    });
  }
  const [shown] = auditPage.split("```json\n")[1]!.split("\n```");
  const written = await Deno.readTextFile(join(dir.path, "audit.jsonl"));
  const lines = `${shown}\n${written}`.trim().split("\n");
  assert.equal(lines.length, 4);
  const fields = new Set(lines.flatMap((line) => Object.keys(JSON.parse(line))));
  assert.equal(fields.has("exit_code") && fields.has("refusal"), true);
  assert.deepEqual([...fields.difference(namesIn(auditPage, "field"))], []);
});
