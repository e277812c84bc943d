import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { KeptBytes } from "../../src/exec/capture.ts";
import { maskUrlCredentials } from "../../src/text/url_credentials.ts";
import { assertLinear } from "../_growth.ts";

Deno.test("maskUrlCredentials() hides them wherever an output is cut", () => {
  const secret = "abcdefghij".repeat(20);
  const url = `https://me:${secret}@host/path\n`;
  for (const before of [0, 3, 7, 8, 40, 150, 205, 215]) {
    for (const behind of [1, 20, 110, 215, 225]) {
      // The cuts go through two URLs
      const keep = 300;
      const text = [
        "x".repeat(keep - before - 1) + " " + url,
        "y".repeat(5000),
        `\n${url}${"z".repeat(keep - behind)}`,
      ].join("");
      const kept = new KeptBytes(keep);
      kept.append(Buffer.from(text));
      const masked = maskUrlCredentials(kept.text());
      assert.match(masked, / bytes omitted …]/);
      assert.ok(!/abcdef|efghij/.test(masked), masked);
    }
  }
});

Deno.test("maskUrlCredentials() hides them where JSON has slashes with backslashes", () => {
  const text = String.raw`{"url": "https:\/\/me:secret@host\/a", "path": "https:\/\/host\/a@b"}`;
  assert.equal(maskUrlCredentials(text), text.replace("me:secret", "***"));
});

const urls: [text: string, masked: string][] = [
  ["https://u:TO'K@h/x", "https://***@h/x"],
  ['https://u:TO"K@h/x', "https://***@h/x"],
  ["https://u:TO<K>@h/x", "https://***@h/x"],
  ["https://u:p@ss@h/x", "https://***@h/x"],
  ["https:///u:p@h/x", "https:///***@h/x"],
  ["'https://u:p@h/x'", "'https://***@h/x'"],
  // No part of the address
  ['{"url":"https://h","mail":"a@b"}', '{"url":"https://h","mail":"a@b"}'],
  ["['https://h','a@b']", "['https://h','a@b']"],
  ["<https://h>, <a@b>", "<https://h>, <a@b>"],
  ["<p>https://h</p><p>a@b</p>", "<p>https://h</p><p>a@b</p>"],
  ["https://h/a@b", "https://h/a@b"],
];

Deno.test("maskUrlCredentials() hides what git takes for a password, and no other text", () => {
  for (const [text, masked] of urls) assert.equal(maskUrlCredentials(text), masked);
});

Deno.test("maskUrlCredentials() hides long ones, in linear time", async () => {
  const long = "x".repeat(100_000);
  assert.equal(maskUrlCredentials(`https://${long}@host`), "https://***@host");
  const texts: readonly ((size: number) => string)[] = [
    (size) => `${"http://x".repeat(size)}@`,
    (size) => `${"\n[… 1 bytes omitted …]".repeat(size)}@`,
    (size) => `\n[… ${"1".repeat(size)} bytes omitted …]\n@`,
    (size) => `https://${"x".repeat(size)}@host`,
    (size) => `https:${"/".repeat(size)}${"@'".repeat(size)} @`,
  ];
  for (const textOf of texts) {
    await assertLinear((size) => {
      const text = textOf(size);
      return () => maskUrlCredentials(text);
    }, { size: 3_000, what: textOf(2) });
  }
});
