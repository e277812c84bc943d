/**
 * The texts of the contract, letter by letter: the first block of each answer is one of them and nothing more, whatever
 * helps stands behind it. Rows are calls of a plain config, which declares no effect unless its tool says so.
 */

import assert from "node:assert/strict";
import { callerIn, clientsInModes, connect, type SeenResult } from "../../e2e/_clients.ts";
import { scratch } from "../../e2e/_scratch.ts";
import { say } from "../../configs/_programs.ts";
import { unix } from "../../_requirements.ts";

const config = `name: git-tools
description: MCP tools for Git
command: echo
tools:
  - name: git_commit
    description: Record changes to the repository
    command: commit
    args:
      - { name: message, required: true }
      - { name: count, type: integer }
      - { name: ratio, type: number }
      - { name: sign, type: boolean, flag: --sign }
      - { name: format, enum: [json, text, csv] }
      - { name: name }
  - { name: git_status, description: Show the state, command: status }
  - { name: git_look, description: Look, command: look, effect: read }
  - { name: git_wipe, description: Wipe, command: wipe, risk: destructive }
  - { name: git_keep, description: Keep, command: keep, effect: write }
  - { name: git_fail, description: Fail, command: fail, unknown_args: ignore }
`;

const other = `name: other
description: Another program
command: echo
tools:
  - name: git_try
    description: Try
    command: try
    args: [{ name: dry_run, type: boolean, flag: --dry-run }]
`;

const policy = `default: enabled
tools:
  git_commit:
    args:
      name: { pattern: "^[a-z]+$", pattern_words: small letters }
      count: { min: 1, max: 9 }
`;

const takes = "Takes: git_commit(message, count?: integer, ratio?: number, sign?: boolean, " +
  "format?: json|text|csv, name?)";
const invalid = (...reasons: string[]) => {
  return ["Argument validation failed:", ...reasons.map((reason) => `  - ${reason}`)].join("\n");
};
const missing = "Missing required argument 'message'";

type Row = readonly [
  title: string,
  tool: string,
  args: Record<string, unknown> | undefined,
  text: string,
  beside: readonly string[],
];

/** Refusals: the first block and those after it. */
const refused: readonly Row[] = [
  ["a missing argument", "git_commit", {}, invalid(missing), [takes]],
  ["a missing argument and another name for it", "git_commit", { mesage: "x" }, invalid(missing), [
    `'mesage': did you mean message\n${takes}`,
  ]],
  ["a missing argument and an unknown one", "git_commit", { text: "x" }, invalid(missing), [
    takes,
  ]],
  [
    "several, in the order of the contract",
    "git_commit",
    { format: "yaml", sign: "hello", ratio: "hello", count: "hello" },
    invalid(
      missing,
      "Argument 'count': cannot convert 'hello' to integer",
      "Argument 'ratio': cannot convert 'hello' to number",
      "Argument 'sign': cannot convert 'hello' to boolean",
      "Argument 'format' must be one of: json, text, csv",
    ),
    [takes],
  ],
  [
    "an unknown tool",
    "nonexistent_tool",
    {},
    "Unknown tool: nonexistent_tool",
    ["There is no tool like it"],
  ],
  ["a misspelt tool", "git_comit", {}, "Unknown tool: git_comit", ["Did you mean: git_commit"]],
];

const ofPolicy: readonly Row[] = [
  [
    "a pattern",
    "git_commit",
    { message: "x", name: "INVALID123" },
    "Policy validation failed:\n  - Argument 'name': value 'INVALID123' does not match pattern '^[a-z]+$'",
    ["'name': expected small letters"],
  ],
  [
    "a bound",
    "git_commit",
    { message: "x", count: 10 },
    "Policy validation failed:\n  - Argument 'count': value '10' is greater than maximum 9",
    [],
  ],
  [
    "arguments before the policy",
    "git_commit",
    { message: "x", name: "INVALID123", count: "hello" },
    invalid("Argument 'count': cannot convert 'hello' to integer"),
    [takes.replace("integer", "integer 1..9")],
  ],
];

const ran = (tool: string) => `${tool.replace("git_", "")}`;
const noteOf = (tool: string, ...names: string[]) => {
  return `[ignored, no such argument: ${names.join(", ")}. ${tool} takes: no arguments]`;
};

/** Keys that no argument has, and what comes of them. */
const extra: readonly Row[] = [
  ["nothing declared", "git_status", { colour: "red" }, ran("git_status"), [
    noteOf("git_status", "colour"),
  ]],
  ["a reading tool", "git_look", { colour: 1, x: 2 }, ran("git_look"), [
    noteOf("git_look", "colour", "x"),
  ]],
  ["an explanation", "git_status", { reason: "because", Thinking: "…" }, ran("git_status"), []],
  ["one that is like an argument", "git_commit", { message: "x", cuont: 3 }, "commit --message x", [
    `[ignored, no such argument: cuont. ${
      takes.replace("Takes: ", "").replace("git_commit(", "git_commit takes: ").slice(0, -1)
    }]`,
  ]],
  ["a preview that the tool has", "git_try", { dryRun: true }, "try --dry-run", []],
  ["a preview that is not asked for", "git_status", { dry_run: false }, ran("git_status"), [
    noteOf("git_status", "dry_run"),
  ]],
  ["a config that ignores", "git_fail", { colour: 1 }, ran("git_fail"), []],
  ...["git_wipe", "git_keep"].map((tool): Row => {
    const text = invalid("Unknown argument 'colour'");
    return [`a tool that writes: ${tool}`, tool, { colour: "red" }, text, [`Takes: ${tool}()`]];
  }),
];

const spellings: readonly (readonly [key: string, value: unknown])[] = [
  ...["dry_run", "dry-run", "--dry-run", "dryRun", "DRY_RUN", "DryRun", "dryrun", "Dry Run"]
    .map((key) => [key, true] as const),
  ...["simulate", "Simulation", "preview", "previewOnly", "noop", "no_op", "what_if", "WhatIf"]
    .map((key) => [key, "yes"] as const),
  ...["check_only", "checkOnly", "plan-only", "PLANONLY", "validate_only", "no_execute", "pretend"]
    .map((key) => [key, 1] as const),
  ["mode", "dry-run"],
  ["flags", ["--dry-run"]],
  ["options", { dryRun: true }],
];

const previews = spellings.map(([key, value]): Row => [
  `${key}: ${JSON.stringify(value)}`,
  "git_status",
  { [key]: value },
  invalid(`Unknown argument '${key}'`),
  [`Nothing was run: the tool has no way to do '${key}'\nTakes: git_status()`],
]);

function check([title, , , text, beside]: Row, answer: SeenResult, isError: boolean): void {
  assert.deepEqual(answer, { text, isError, ...(beside.length > 0 && { beside }) }, title);
}

for (const [who, connectAs, mode] of clientsInModes) {
  unix.test(`the texts of the contract, letter by letter: ${who}, ${mode}`, async () => {
    await using dir = await scratch({
      "git-tools.yaml": config,
      "other.yaml": other,
      "policy.yaml": policy,
    });
    const classic = mode === "classic" ? ["--classic"] : [];
    const words = ["git-tools.yaml", "other.yaml", ...classic];
    {
      await using client = await connectAs(words, { cwd: dir.path });
      const call = callerIn(mode, client);
      for (const row of [...refused, ...previews]) check(row, await call(row[1], row[2]), true);
      for (const row of extra) {
        check(row, await call(row[1], row[2]), row[3].startsWith("Argument validation failed"));
      }
    }
    await using client = await connectAs([...words, "--policy", "policy.yaml"], { cwd: dir.path });
    const call = callerIn(mode, client);
    for (const row of ofPolicy) check(row, await call(row[1], row[2]), true);
  });
}

const ground = {
  "notes.md": "cart\n",
  "code.ts": "cart\n",
  "a.yaml": "x: 1\n",
};

/** Calls of bundled tools: understood by an alias that is exact, or refused with what would be accepted. */
const bundled: readonly (readonly [
  tool: string,
  args: Record<string, unknown>,
  expected: RegExp,
  absent?: RegExp,
])[] = [
  ["rg_search", { pattern: "cart", include: "*.md" }, /notes\.md/, /code\.ts/],
  [
    "rg_search",
    { pattern: "cart", output_mode: "count" },
    /^Argument.*\n {2}- Unknown argument 'output_mode'$/,
  ],
  [
    "files_find",
    { path: ".", min_size: "500k" },
    /^Argument.*\n {2}- Unknown argument 'min_size'$/,
  ],
  ["files_read", { path: "notes.md", offset: 1, limit: 1 }, /^cart/],
  ["git_log", { pickaxe: "cart" }, /first/],
  [
    "yq_file",
    { filter: ".", path: "a.yaml", in_place: true },
    /^Argument.*\n {2}- Unknown argument 'in_place'$/,
  ],
];

unix.test("a bundled tool that reads refuses what could narrow its answer, and knows other words", async () => {
  await using dir = await scratch(ground);
  const git = (...words: string[]) => {
    return say(["git", "-c", "user.name=a", "-c", "user.email=a@b", ...words], dir.path);
  };
  await git("init", "-q");
  await git("add", ".");
  await git("commit", "-q", "-m", "first");
  await using client = await connect(["git", "files", "ripgrep", "yq"], { cwd: dir.path });
  for (const [tool_name, args, expected, absent] of bundled) {
    const { text, beside = [], isError } = await client.call("climax_call", { tool_name, args });
    assert.match(text, expected, `${tool_name} ${JSON.stringify(args)}`);
    if (absent !== undefined) assert.doesNotMatch(text, absent);
    assert.equal(isError, text.startsWith("Argument validation failed"), text);
    if (isError) assert.match(beside.at(-1)!, new RegExp(`^(?:.*\n)*Takes: ${tool_name}\\(`));
  }
});
