import assert from "node:assert/strict";
import {
  isCredential,
  isLiteral,
  namesCredential,
} from "../../../src/sources/upstream/credentials.ts";

Deno.test("namesCredential() knows the names that people give", () => {
  const yes = [
    "GITHUB_TOKEN",
    "apiKey",
    "x-api-key",
    "--password",
    "Authorization",
    "clientSecret",
  ];
  const no = ["MAX_TOKENS", "KEYBOARD", "TOKEN_LIMIT", "PUBLIC_KEY", "credentialSource", "author"];
  assert.deepEqual(yes.filter((name) => !namesCredential(name)), []);
  assert.deepEqual(no.filter(namesCredential), []);
});

Deno.test("isCredential() knows the shapes of keys", () => {
  const a = "A1b2".repeat(10);
  // Not in one piece each, so that nothing takes this file for a leak
  const keys = [
    ["sk", "proj", a].join("-"),
    ["ghp", a].join("_"),
    ["github", "pat", a].join("_"),
    ["glpat", a].join("-"),
    ["xoxb", a].join("-"),
    `AKIA${"A".repeat(16)}`,
    `AIza${a}`,
    ["eyJhbGciOiJIUzI1NiJ9", "eyJzdWIiOiIxIn0xx", "x"].join("."),
    ["-----BEGIN RSA", "PRIVATE KEY-----"].join(" "),
    "https://ada:lovelace@example.org",
  ];
  assert.deepEqual(keys.filter((key) => !isCredential(key)), []);
  const others = [
    "task-list-of-somebody",
    "https://example.org/a:b@c",
    "https://u:$PASS@x",
    "skip",
  ];
  assert.deepEqual(others.filter(isCredential), []);
});

Deno.test("isLiteral() tells a value from where to find one", () => {
  assert.deepEqual(
    ["$A", "${A}", "Bearer $A", "", "~/key.pem", "./a/b.json"].filter(isLiteral),
    [],
  );
  assert.deepEqual(["abc", "Bearer abc", "$A-b"].filter((text) => !isLiteral(text)), []);
});
