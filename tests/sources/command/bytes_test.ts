/** Bytes of programs come back as they were: through real programs into scripts, files and stored outputs. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { call } from "../../../src/call/call.ts";
import { Outputs } from "../../../src/jobs/outputs.ts";
import type { SessionOptions } from "../../../src/session/session.ts";
import { textOf } from "../../../src/tool/result.ts";
import { answerTo, openPolicy, sessionOf } from "../../_session.ts";
import { unix } from "../../_requirements.ts";
import { scratch } from "../../e2e/_scratch.ts";

const file = { name: "path", positional: true, required: true };

/** A session over tools that read and write files of a folder, which has the file `a`. */
async function withFile(
  content: string | Uint8Array,
  use: (given: {
    readonly ask: (tool: string, args: object) => Promise<{ text: string; isError: boolean }>;
    readonly copy: (change?: string) => Promise<{ text: string; isError: boolean }>;
    readonly bytes: (name: string) => Uint8Array;
  }) => Promise<void>,
  options: Omit<SessionOptions, "configs"> = {},
): Promise<void> {
  await using dir = await scratch();
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  await Deno.writeFile(join(dir.path, "a"), bytes);
  const input = { name: "content", stdin: true, required: true, text: "any" };
  const outputs = new Outputs();
  await using session = await sessionOf({
    working_dir: dir.path,
    tools: [
      { name: "read", command: "cat", effect: "read", args: [file] },
      { name: "write", command: "tee", effect: "write", args: [file, input] },
    ],
  }, { scripts: true, outputs, policy: openPolicy, ...options });
  const ask = (tool: string, args: object) => answerTo(session, { tool, args });
  await use({
    ask,
    copy: (change = "") => {
      const code = `const { text } = await call("read", { path: "a" });
        await call("write", { path: "b", content: text${change} });
        return text;`;
      return ask("script_run", { code });
    },
    bytes: (name) => Deno.readFileSync(join(dir.path, name)),
  });
}

const texts: readonly [what: string, text: string][] = [
  ["blanks in front", "    if true:\n  x\n"],
  ["line ends of Windows", "a\r\nb\r\n"],
  ["no last newline", "a: 1"],
  ["several last newlines", "a\n\n\n\n"],
  ["a byte order mark", "\ufeffa\n"],
  ["colours", "\x1b[31mred\x1b[0m\n"],
  ["the replacement character itself", "a\ufffdb\n"],
  ["blanks alone", "  \t \n"],
  ["a return alone", "\r"],
  ["nothing", ""],
  ["more than a result has", `${" x\r\n".repeat(100_000)}\n\n`],
];

for (const [what, text] of texts) {
  unix.test(`a script that reads and writes keeps ${what}`, async () => {
    await withFile(text, async ({ copy, bytes }) => {
      const { text: returned, isError } = await copy();
      assert.equal(isError, false, returned.slice(0, 500));
      assert.deepEqual(bytes("b"), bytes("a"));
      if (text.length < 1000) assert.equal(returned, text);
      assert.equal((await copy(`.replaceAll("x", "x")`)).isError, false);
      assert.deepEqual(bytes("b"), bytes("a"));
    });
  });

  unix.test(`a stored output has ${what}`, async () => {
    const outputs = new Outputs();
    const long = `${text}${"word ".repeat(400)}\n${text}`;
    await withFile(long, async ({ ask }) => {
      const answer = await ask("read", { path: "a" });
      const [, id] = /output_read \{"id": "(\w+)"/.exec(answer.text)!;
      assert.equal(outputs.read(id!), long);
      // What is shown there and what is omitted follow each other
      const [, tool, next] = /(output_read) (\{"id": "\w+", "from_\w+": \d+\})/.exec(answer.text)!;
      const rest = await ask(tool!, JSON.parse(next!));
      assert.equal(rest.isError, false);
    }, { outputs, calls: { maxResultTokens: 100 } });
    await outputs.close();
  });
}

unix.test("a script gets what is behind NUL, which no argument may have", async () => {
  await withFile("a\0b\n", async ({ ask, copy }) => {
    const { text } = await ask("script_run", { code: `return call("read", { path: "a" })` });
    assert.equal(text, '{"text":"a\\u0000b\\n"}');
    assert.match((await copy()).text, /a NUL byte cannot be passed to a program/);
  });
});

unix.test("a script that reads another encoding writes nothing that is not what was there", async () => {
  const latin = new Uint8Array([0x63, 0x61, 0x66, 0xe9, 0x0a]);
  await withFile(latin, async ({ ask, copy, bytes }) => {
    assert.equal((await ask("read", { path: "a" })).text, "caf\ufffd");
    const { text, isError } = await copy();
    assert.equal(isError, true);
    assert.match(text, /write was not called: its arguments have U\+FFFD, which stands for bytes/);
    assert.throws(() => bytes("b"), Deno.errors.NotFound);
    // What it reads of it may be written
    assert.equal((await copy(".slice(0, 3)")).isError, false);
    assert.deepEqual(bytes("b"), latin.slice(0, 3));
  });
  const picture = new TextEncoder().encode("\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR");
  picture.set([0x89]);
  await withFile(new Uint8Array([0x89, ...picture.slice(2), 0xff, 0]), async ({ copy, bytes }) => {
    const { text } = await copy();
    assert.match(
      text,
      /The output is binary, and a script gets texts: \[\d+ bytes of binary output/,
    );
    assert.throws(() => bytes("b"), Deno.errors.NotFound);
  });
});

unix.test("values keep the blanks and marks of their texts", async () => {
  const given: readonly [output: string, printed: string, values: unknown][] = [
    ["json", '\ufeff {"a": "  b \x85 "}\r\n\n', { a: "  b \x85 " }],
    ["json", '\x1b[1m{"a": " b "}\x1b[0m\n', { a: " b " }],
    ["jsonl", '" a "\r\n"\\r"\n', { result: [" a ", "\r"] }],
    ["csv", "a,b\n  x , \x1b[1my \n", { result: [{ a: "  x ", b: " \x1b[1my " }] }],
  ];
  await using dir = await scratch();
  for (const [output, printed, values] of given) {
    await Deno.writeTextFile(join(dir.path, "a"), printed);
    const tools = [{ name: "read", command: "cat a", output }];
    await using session = await sessionOf({ working_dir: dir.path, tools });
    const result = await call(session, { tool: "read" });
    assert.deepEqual(result.structured, values, textOf(result));
  }
});
