import assert from "node:assert/strict";
import {
  findCredentials,
  isCredential,
  isLiteral,
  namesCredential,
  secretParts,
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
    ["ghp", "a".repeat(20)].join("_"),
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
    ["ghp", "a".repeat(19)].join("_"),
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

Deno.test("findCredentials() finds values by their names and shapes, wherever they are", () => {
  const a = "A1b2".repeat(10);
  const key = ["ghp", a].join("_");
  const rows: readonly [value: unknown, paths: string[]][] = [
    [null, []],
    [5, []],
    [{ a: null, b: [null, 1, true] }, []],
    [{ token: "x", cookie: "y", user: "z", other: { apiKey: "k" } }, [
      "token",
      "cookie",
      "other.apiKey",
    ]],
    [{ token: "$T", password: "" }, []],
    [{ list: ["--token", "x", "--token=y", "--user", "z", "token: w", "--token", "$T"] }, [
      "list.1",
      "list.2",
      "list.5",
    ]],
    [{ url: `https://x/?a=1&token=${a}`, text: key }, ["url", "text"]],
    [{ url: "https://x/?a=1&token=$T" }, []],
  ];
  for (const [value, paths] of rows) {
    const found = findCredentials(value).map((path) => path.join("."));
    assert.deepEqual(found, paths);
  }
  const url = `https://x/?token=abc&page=2&api_key=def#x`;
  assert.deepEqual(secretParts(`${key} ${url}`), [key, "abc", "def"]);
  assert.deepEqual(secretParts("https://x/?page=2&token=$T"), []);
});
