import assert from "node:assert/strict";
import { UsageError } from "../../src/errors.ts";
import { parseOrigin } from "../../src/process/address.ts";

const read: readonly (readonly [text: string, value: string])[] = [
  ["app.example.org", "app.example.org"],
  ["App.Example.ORG", "app.example.org"],
  ["bücher.example", "xn--bcher-kva.example"],
  ["localhost", "localhost"],
  ["[::1]", "[::1]"],
  ["https://app.example.org", "https://app.example.org"],
  ["HTTPS://App.example.org:443/", "https://app.example.org"],
  ["http://localhost:3000", "http://localhost:3000"],
  ["http://[::1]:3000", "http://[::1]:3000"],
  ["chrome-extension://abcdef", "chrome-extension://abcdef"],
];

for (const [text, value] of read) {
  Deno.test(`parseOrigin() reads ${text} as ${value}`, () =>
    assert.equal(parseOrigin(text), value));
}

const wrong = [
  ...["", "*", "null", "Null", "*.example.org", "https://*.example.org", "https://*"],
  ...["localhost:3000", "app.example.org/", "https://a.example/path", "https://a.example?x"],
  ...["https://user@a.example", "https://", "file:///etc", "a b", "https://a.example,https://b"],
  ...["https://a.example\\@b.example", "https:a.example", "//a.example"],
];

for (const text of wrong) {
  Deno.test(`parseOrigin() refuses '${text}'`, () => {
    assert.throws(() => parseOrigin(text), (error) => error instanceof UsageError);
  });
}
