/** `climax search`: what an agent would find, as a table or as the very JSON. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { unixTest } from "../../_requirements.ts";
import { scratch, writeProgram } from "../../e2e/_scratch.ts";
import { connect } from "../../e2e/_clients.ts";
import { fixture } from "../../e2e/_server.ts";
import { climax, ends } from "./_climax.ts";

const probe = fixture("probe.yaml");
const config = ["--config", probe, "--config", "coreutils"];

Deno.test("climax search --json prints what climax_search answers", async () => {
  await using client = await connect([probe, "coreutils"]);
  for (
    const [args, request] of [
      [["print"], { query: "print" }],
      [["print", "--limit", "2"], { query: "print", limit: 2 }],
      [["--category", "FILES"], { category: "FILES" }],
      [["--cli", "probe", "--limit=20"], { cli: "probe", limit: 20 }],
      [["print", "--cli", "coreutils"], { query: "print", cli: "coreutils" }],
      [["nosuchword"], { query: "nosuchword" }],
      [[], {}],
      [["--limit", "1"], { limit: 1 }],
    ] as [string[], Record<string, unknown>][]
  ) {
    const { code, stdout, stderr } = await climax(["search", ...args, ...config, "--json"]);
    assert.deepEqual([code, stderr], [args[0] === "nosuchword" ? 1 : 0, ""]);
    const { text } = await client.call("climax_search", request);
    assert.equal(stdout, `${text}\n`);
  }
});

const next = "  hint: climax generate PROGRAM makes tools from the help of a program, " +
  "climax add NAME adds an MCP server\n";

for (
  const [what, args, lines, expected = 0, hints = ""] of [
    ["a table of results", ["write to both", "--limit", "1"], [
      "TOOL        CLI    DESCRIPTION",
      "probe_warn  probe  Write to both streams",
    ]],
    ["a summary without a query", ["--limit", "1"], [
      "CLI    TOOLS  CATEGORY  DESCRIPTION",
      "probe     12  testing   A program for tests",
    ]],
    ["no results", ["nosuchword"], ["No tool matches"], 1, next],
    [
      "results that do not fit",
      ["deploy ansible playbook streams", "--limit", "1"],
      [
        "TOOL        CLI    DESCRIPTION",
        "probe_warn  probe  Write to both streams",
      ],
      0,
      `  hint: Nothing fits well; no tool has the words: ansible, playbook\n${next}`,
    ],
  ] as [string, string[], string[], number?, string?][]
) {
  Deno.test(`climax search prints ${what}: exit code ${expected}`, async () => {
    const { code, stdout, stderr } = await climax(["search", ...args, ...config]);
    assert.deepEqual({ code, stdout, stderr }, {
      code: expected,
      stdout: `${lines.join("\n")}\n`,
      stderr: hints,
    });
  });
}

unixTest("programs that are not installed are last, named once, and no part of a set", async () => {
  await using dir = await scratch();
  const gh = join(dir.path, "gh");
  writeProgram(gh, "#!/bin/sh\necho gh version 2\n");
  const env = { PATH: dir.path };
  const warned = /warning: Not installed: git\n$/;
  const owners = async (...configs: string[]) => {
    const { stdout } = await ends(climax(["list", ...configs, "--json"], { env }), {
      stderr: warned,
    });
    return [...new Set(JSON.parse(stdout).map((each: { cli_name: string }) => each.cli_name))];
  };
  assert.deepEqual(await owners("@vcs"), ["gh"]);
  assert.deepEqual(await owners("@vcs", "git"), ["gh", "git"]);
  await ends(climax(["call", "@vcs", "--", "git_log"], { env }), {
    code: 1,
    stdout: /Not installed: git/,
  });
  const words = ["search", "gh", "git", "--", "merge"];
  const { stdout } = await ends(climax(words, { env }), {
    code: 0,
    stderr: /: git\n {2}hint: \[10 of/,
  });
  assert.match(stdout, /^gh_\w+ +gh +/m);
  assert.match(stdout, /^git_merge +git \(not installed\) +/m);
  assert.doesNotMatch(stdout, /not installed\)[^]*\n\w+ +gh +/);
  const summary = await ends(climax(["search"], { env }), { code: 0, stderr: "" });
  assert.match(
    summary.stdout,
    /^CLI [^\n]*\ngh +\d[^\n]*\n(?:\S+ \(not installed\) [^\n]*\n){20,}$/,
  );
  await ends(climax(["search", "zzz"]), {
    code: 1,
    stderr: /hint: climax generate PROGRAM /,
  });
});
