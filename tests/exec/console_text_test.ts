import assert from "node:assert/strict";
import { join } from "node:path";
import { scratch, writeProgram } from "../e2e/_scratch.ts";
import { withVariables } from "../_io.ts";
import { unix } from "../_requirements.ts";
import { codePageDecoder } from "../../src/text/code_page.ts";
import { consoleDecoder, ConsoleText } from "../../src/exec/console_text.ts";

/** What programs of a code page print, as bytes. */
const texts: readonly (readonly [page: number, bytes: string, text: string])[] = [
  [437, "\x81ber Caf\x82 \xe3", "über Café π"],
  [850, "\x81ber Caf\x82 \xd0", "über Café ð"],
  [852, "P\xfdlis \x9clu\x9cou\x9fk\xec", "Přlis ťluťoučký"],
  [866, "\x8f\xe0\xa8\xa2\xa5\xe2", "Привет"],
  [1252, "\xfcber \x80 5", "über € 5"],
  [932, "\x93\xfa\x96{", "日本"],
  [932, "\x93\xfa\x96", "日\ufffd"],
  [936, "\xd6\xd0\xce\xc4", "中文"],
];

function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

function converted(text: ConsoleText, chunks: readonly Uint8Array[]): Uint8Array {
  const parts = [...chunks.map((chunk) => text.convert(chunk).slice()), text.end()];
  return new Uint8Array(parts.flatMap((part) => [...part]));
}

for (const [page, bytes, text] of texts) {
  Deno.test(`ConsoleText reads code page ${page}, however it is cut`, async () => {
    const whole = bytesOf(`plain ${bytes}`);
    const cuts = Array.from(whole, (_, cut) => [whole.subarray(0, cut), whole.subarray(cut)]);
    for (const chunks of [[whole], ...cuts, Array.from(whole, (byte) => Uint8Array.of(byte))]) {
      const got = converted(new ConsoleText((await codePageDecoder(page))!()), chunks);
      assert.equal(new TextDecoder().decode(got), `plain ${text}`, `cut at ${chunks[0]!.length}`);
    }
  });
}

const unchanged: readonly (readonly [what: string, bytes: Uint8Array])[] = [
  ["UTF-8", new TextEncoder().encode("über Café 日本 🙂")],
  ["nothing", new Uint8Array()],
  ["a picture", bytesOf("\x89PNG\r\n\x1a\n\xff\xfe")],
  ["bytes with NUL", bytesOf("\xff\x00\xfe")],
];

for (const [what, bytes] of unchanged) {
  Deno.test(`ConsoleText leaves ${what} as it is, however it is cut`, async () => {
    const newDecoder = (await codePageDecoder(850))!;
    // What shows that it is no text is in one chunk
    for (let cut = what === "UTF-8" ? 0 : bytes.indexOf(0xfe); cut <= bytes.length; cut++) {
      const got = converted(new ConsoleText(newDecoder()), [
        bytes.subarray(0, cut),
        bytes.subarray(cut),
      ]);
      assert.deepEqual(got, bytes, `cut at ${cut}`);
    }
  });
}

Deno.test("codePageDecoder() has none for UTF-8, and for a page that is not known", async () => {
  assert.equal(await codePageDecoder(65001), undefined);
  assert.equal(await codePageDecoder(12345), undefined);
});

unix.test("consoleDecoder() asks for the code page once: chcp, and then the registry", async () => {
  await using dir = await scratch();
  const [shell, asked] = [join(dir.path, "cmd"), join(dir.path, "asked")];
  const script =
    `#!/bin/sh\necho "$3" >>'${asked}'\n[ "$3" = chcp ] || echo "  ACP  REG_SZ  1252 ."\n`;
  writeProgram(shell, script);
  using _ = withVariables({ COMSPEC: shell });
  const [newDecoder] = [await consoleDecoder(), await consoleDecoder()];
  assert.equal(newDecoder!().decode(bytesOf("\x80"), { stream: false }), "€");
  assert.equal(await Deno.readTextFile(asked), "chcp\nreg\n");
});
