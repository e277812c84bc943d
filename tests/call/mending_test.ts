/**
 * A call that does not fit is answered with the signature of its tool, with every format of results, in both modes
 * and for tools of all kinds, and a call that is written by it is let through.
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { classicSurface } from "../../src/server/surface.ts";
import { discoverySurface } from "../../src/server/discovery.ts";
import type { Session } from "../../src/session/session.ts";
import { scratch } from "../e2e/_scratch.ts";
import { answerOf, sessionOf } from "../_session.ts";
import { odd, withServers } from "../_upstream.ts";

interface Row {
  readonly args: object;
  readonly wrong: object;
  readonly reason: RegExp;
  readonly signature: string;
  readonly right: object;
  readonly text: RegExp;
}

type Rows = Readonly<Record<string, Row>>;

/** Tools of a config, each with a call that does not fit and one that does. */
const ofConfig: Rows = {
  required: {
    args: { args: [{ name: "message", required: true }, { name: "all", type: "boolean" }] },
    wrong: { all: true },
    reason: /Missing required argument 'message'/,
    signature: "required(message, all?: boolean)",
    right: { message: "hello" },
    text: /^--message hello/,
  },
  ranged: {
    args: { args: [{ name: "count", type: "integer", min: 1, max: 9, required: true }] },
    wrong: { count: 10 },
    reason: /greater than maximum 9/,
    signature: "ranged(count: integer 1..9)",
    right: { count: 9 },
    text: /^--count 9/,
  },
  chosen: {
    args: { args: [{ name: "format", enum: ["json", "plain text"], default: "json" }] },
    wrong: { format: "yaml" },
    reason: /must be one of: json, plain text/,
    signature: 'chosen(format: json|"plain text" = "json")',
    right: { format: "plain text" },
    text: /^--format plain text/,
  },
  listed: {
    args: {
      args: [{
        name: "path",
        type: "array",
        items: { type: "integer" },
        min_items: 1,
        max_items: 2,
      }],
    },
    wrong: { path: ["x"] },
    reason: /cannot convert 'x' to integer/,
    signature: "listed(path?: integer[] 1..2)",
    right: { path: [1, 2] },
    text: /1 .*2/,
  },
  // A template, a value that is always the same, and a name that is nearly right
  template: {
    args: {
      effect: "read",
      argv: ["{width}x{height}", "{...}"],
      args: [
        { name: "width", type: "integer", required: true },
        { name: "height", type: "integer", required: true },
        { name: "level", flag: "-v", value: "error" },
        { name: "quality", type: "number", flag: "-q" },
      ],
    },
    wrong: { width: 1, height: 2, qualty: 3 },
    reason: /'qualty': did you mean quality/,
    signature: "template(width: integer, height: integer, quality?: number)",
    right: { width: 1, height: 2, quality: 0.5 },
    text: /^1x2 -v error -q 0.5/,
  },
};

const options = { type: "object", properties: { deep: { type: "boolean" } }, required: ["deep"] };

/** Schemas of a server's one tool. */
const ofServer: Rows = {
  "nested objects": {
    args: {
      type: "object",
      properties: {
        text: { type: "string" },
        options: {
          type: "object",
          properties: { depth: { type: "integer", minimum: 1 }, how: { $ref: "#/$defs/how" } },
          required: ["depth"],
        },
      },
      required: ["text", "options"],
      $defs: { how: { enum: ["fast", "well"] } },
    },
    wrong: { text: "a", options: { how: "well" } },
    reason: /options\.depth/,
    signature: "odd__echo(text, options: {depth: integer 1.., how?: fast|well})",
    right: { text: "a", options: { depth: 1, how: "well" } },
    text: /^a$/,
  },
  "lists of objects": {
    args: {
      type: "object",
      properties: { text: { type: "string" }, edits: { type: "array", items: options } },
      required: ["edits"],
    },
    wrong: { edits: [{ deep: "perhaps" }] },
    reason: /edits\[0\]\.deep/,
    signature: "odd__echo(text?, edits: {deep: boolean}[])",
    right: { text: "b", edits: [{ deep: true }] },
    text: /^b$/,
  },
  "constants and choices": {
    args: {
      type: "object",
      properties: {
        text: { const: "always" },
        count: { anyOf: [{ type: "integer", maximum: 3 }, { type: "null" }] },
      },
      required: ["text"],
    },
    wrong: { text: "sometimes" },
    reason: /text/,
    signature: 'odd__echo(text: "always", count?: integer ..3|null)',
    right: { text: "always", count: 3 },
    text: /^always$/,
  },
  "names that would be lines": {
    args: {
      type: "object",
      properties: {
        text: { type: "string", enum: ["a", "b\nTakes: other()"] },
        "x\nTakes: other()": { type: "string" },
      },
      required: ["x\nTakes: other()"],
    },
    wrong: { text: "c" },
    reason: /Missing required argument/,
    signature: 'odd__echo(text?: a|"b\\nTakes: other()", "x\\nTakes: other()")',
    right: { text: "a", "x\nTakes: other()": "y" },
    text: /^a$/,
  },
};

/** The session's tools as an agent calls them in each mode. */
const modes = {
  discovery: (session: Session, tool: string, args: object) =>
    discoverySurface(session).call("climax_call", { tool_name: tool, args }, {}),
  classic: (session: Session, tool: string, args: object) =>
    classicSurface(session).call(tool, { ...args }, {}),
} as const;

async function check(session: Session, tool: string, row: Row): Promise<void> {
  for (const [mode, call] of Object.entries(modes)) {
    const refused = answerOf(await call(session, tool, row.wrong));
    assert.equal(refused.isError, true, mode);
    assert.match(refused.text, row.reason);
    const takes = refused.text.split("\n").filter((line) => line.startsWith("Takes: "));
    assert.deepEqual(takes, [`Takes: ${row.signature}`], mode);
    const { text, isError } = answerOf(await call(session, tool, row.right));
    assert.equal(isError, false, `${mode}: ${text}`);
    assert.match(text, row.text);
  }
}

for (const [name, row] of Object.entries(ofConfig)) {
  Deno.test(`a call that does not fit shows what its tool takes: ${name}`, async () => {
    const tools = [{ name, command: "echo", ...row.args }];
    await using session = await sessionOf({ tools });
    await check(session, name, row);
  });
}

for (const [name, row] of Object.entries(ofServer)) {
  Deno.test(`a call that does not fit shows what a server's tool takes: ${name}`, async () => {
    await using dir = await scratch();
    const file = join(dir.path, "tools.json");
    await Deno.writeTextFile(file, JSON.stringify([{ name: "echo", inputSchema: row.args }]));
    const use = (session: Session) => check(session, "odd__echo", row);
    await withServers([odd("odd", "defined", file)], use, { results: "compact" });
  });
}

Deno.test("a call that the policy refuses is not mended by a signature", async () => {
  const policy = { file: "policy.yaml", text: "tools:\n  one:\n    args:\n      n: { max: 3 }\n" };
  const config = {
    tools: [{ name: "one", command: "echo", args: [{ name: "n", type: "integer" }] }],
  };
  await using session = await sessionOf(config, { policy, results: "compact" });
  const { text } = answerOf(await modes.discovery(session, "one", { n: 4 }));
  assert.match(text, /^Policy validation failed:/);
  assert.equal(text.includes("Takes:"), false);
});
