import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { BoundedBytes } from "../../src/exec/capture.ts";
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
      const kept = new BoundedBytes(keep);
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
  // Any scheme, where a user alone is none
  ["ssh://git:TOK@h/x", "ssh://***@h/x"],
  ["ssh://git@h:22/x", "ssh://git@h:22/x"],
  ["FTP://u:TOK@h", "FTP://***@h"],
  ["redis://:TOK@h:1/0", "redis://***@h:1/0"],
  ["jdbc:postgresql://u:TOK@h/db", "jdbc:postgresql://***@h/db"],
  ["pip install git+https://TOK@h/x", "pip install git+https://***@h/x"],
  ["git+ssh://git@h/x", "git+ssh://git@h/x"],
  // Parameters
  ["https://h/x?access_token=TOK", "https://h/x?access_token=***"],
  ["wss://h/?a=1&X-Amz-Signature=TOK&b=2", "wss://h/?a=1&X-Amz-Signature=***&b=2"],
  [
    '{"u":"https:\\/\\/h?a=1\\u0026api_key=TOK","b":1}',
    '{"u":"https:\\/\\/h?a=1\\u0026api_key=***","b":1}',
  ],
  ["https://h/x?key", "https://h/x?key"],
  [
    "https://h?a\n[… 9 bytes omitted …]\nb&api_key=TOK&c=1 d&key=1",
    "https://***\n[… 9 bytes omitted …]\nb&api_key=***&c=1 d&key=1",
  ],
  ["https://h/cb#id_token=TOK", "https://h/cb#id_token=***"],
  ["https://h/x?page=2&author=me&design=1", "https://h/x?page=2&author=me&design=1"],
  ["if (a?token=b", "if (a?token=b"],
  // Blanks
  ["o\thttps://u:TOK with a space@h/x (fetch)", "o\thttps://***@h/x (fetch)"],
  ["ssh://u:TOK x@h", "ssh://***@h"],
  ["http://localhost:3000 mail a@b", "http://localhost:3000 mail a@b"],
  ["https://h: mail a@b", "https://h: mail a@b"],
  ["https://h:80/x a:b@c", "https://h:80/x a:b@c"],
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
    (size) => `https://h?${"&a=b".repeat(size)}${"&key".repeat(size)}`,
    (size) => `${"\n[… 1 bytes omitted …]".repeat(size)}@`,
    (size) => `\n[… ${"1".repeat(size)} bytes omitted …]\n@`,
    (size) => `https://${"x".repeat(size)}@host`,
    (size) => `${"x".repeat(size)}:/`,
    (size) => `https://h?${"&a=".repeat(size)}`,
    (size) => `${"https://u:x ".repeat(size)}@`,
    (size) => `https://u:${" x".repeat(size)}`,
    (size) => `https:${"/".repeat(size)}${"@'".repeat(size)} @`,
  ];
  for (const textOf of texts) {
    await assertLinear((size) => {
      const text = textOf(size);
      return () => maskUrlCredentials(text);
    }, { size: 3_000, what: textOf(2) });
  }
});
