import assert from "node:assert/strict";
import { join } from "node:path";
import { scratch } from "../../e2e/_scratch.ts";
import { climax, ends } from "./_climax.ts";

const queries = [
  { query: "who wrote this line", want: [["git_blame"]] },
  { query: "git_log", want: [["git_log"]], filter: { cli: "git" } },
  { query: "zzzz qqqq", want: [["git_log"], ["git_show", "git_diff"]] },
].map((row) => JSON.stringify(row)).join("\n");

async function evaluate(text: string, ...options: string[]) {
  await using dir = await scratch({ "queries.jsonl": text });
  const file = join(dir.path, "queries.jsonl");
  const ran = await climax(["eval", file, "--config", "git", ...options]);
  return { ...ran, stderr: ran.stderr.replaceAll(`${file}:`, "") };
}

Deno.test("climax eval prints a table, and the misses below it", async () => {
  const { stdout } = await evaluate(queries);
  assert.match(stdout, /^MEASURE +VALUE\nqueries +3\nR@1 +0\.667\n/);
  assert.match(
    stdout,
    /\n\nzzzz qqqq\n {2}wanted: git_log and git_show or git_diff\n {2}got: {4}nothing\n$/,
  );
});

Deno.test("climax eval reports every wrong row with its line, and measures nothing", async () => {
  const wrong = [
    `{"query": "a", "want": [["git_log"]]}`,
    `{"query": "a"}`,
    `nonsense`,
    `{"query": "a", "want": [["git_lgo"]]}`,
    `{"query": "a", "want": [["git_log"]], "limit": 3}`,
  ].join("\n");
  const { stderr } = await ends(evaluate(wrong), { code: 3, stdout: "" });
  const lines = stderr.trim().split("\n");
  assert.deepEqual(lines.map((line) => line.split(" ")[0]), [
    "2:1:",
    "3:1:",
    "4:1:",
    "5:1:",
    "error:",
  ]);
  assert.match(stderr, /4:1: No config has a tool 'git_lgo'/);
});

Deno.test("climax eval of an empty or missing file is exit code 3", async () => {
  await ends(evaluate("\n"), { code: 3, stderr: /The file has no queries/ });
  const missing = await climax(["eval", "/nowhere/queries.jsonl"]);
  assert.equal(missing.code, 3);
  assert.match(missing.stderr, /\/nowhere\/queries\.jsonl: File not found/);
});
