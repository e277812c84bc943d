/** Programs that print pictures, JSON, progress bars and bytes, really run. */

import assert from "node:assert/strict";
import { call } from "../../../src/call/call.ts";
import type { CallResult } from "../../../src/tool/result.ts";
import { sessionOf, shellTool } from "../../_session.ts";
import { unix } from "../../_requirements.ts";

async function resultOf(script: string, tool: object = {}): Promise<CallResult> {
  await using session = await sessionOf({ tools: [{ name: "only", ...shellTool, ...tool }] });
  const { record: _, ...result } = await call(session, { tool: "only", args: { script } });
  return result;
}

/** `printf` of the bytes of a picture of one pixel, as octal escapes. */
const png = "\\211PNG\\r\\n\\032\\n\\0\\0\\0\\015IHDR";
const pngBase64 = btoa("\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR");
const text = (words: string) => ({ type: "text", text: words });

const rows: readonly [what: string, script: string, tool: object, result: CallResult][] = [
  ["bytes by their size", `printf '${png}'`, {}, {
    content: [{ type: "text", text: "[16 bytes of binary output (image/png)]" }],
    isError: false,
  }],
  ["an image", `printf '${png}'`, { output: "image" }, {
    content: [{ type: "image", data: pngBase64, mimeType: "image/png" }],
    isError: false,
  }],
  ["an image and words", `printf '${png}'; echo warning >&2`, { output: "image" }, {
    content: [
      { type: "image", data: pngBase64, mimeType: "image/png" },
      { type: "text", text: "[stderr]\nwarning" },
    ],
    isError: false,
  }],
  ["no image where there is none", "echo no picture", { output: "image" }, {
    content: [{ type: "text", text: "no picture" }],
    isError: false,
  }],
  ["no image of what is none", "printf '\\037\\213\\010\\0'", { output: "image" }, {
    content: [{ type: "text", text: "[4 bytes of binary output (application/gzip)]" }],
    isError: false,
  }],
  ["an object of JSON", `echo '{ "a": [1, null] }'`, { output: "json" }, {
    content: [{ type: "text", text: '{ "a": [1, null] }' }],
    structured: { a: [1, null] },
    isError: false,
  }],
  ["JSON as text where nothing is said", `echo '{}'`, {}, {
    content: [{ type: "text", text: "{}" }],
    isError: false,
  }],
];

for (const [what, script, tool, result] of rows) {
  unix.test(`a call gives ${what}`, async () =>
    assert.deepEqual(await resultOf(script, tool), result));
}

unix.test("a call gives an image of 1 MiB, and of a larger one the size", async () => {
  const picture = (bytes: number) => {
    return resultOf(`printf '${png}'; head -c ${bytes - 16} /dev/zero`, { output: "image" });
  };
  const whole = await picture(1024 * 1024);
  assert.equal(whole.content[0]!.type, "image");
  assert.equal((whole.content[0] as { data: string }).data.length, 1398104);
  assert.deepEqual((await picture(1024 * 1024 + 1)).content, [
    text("[1,048,577 bytes of binary output (image/png)]"),
  ]);
});
