import assert from "node:assert/strict";
import { privatePart } from "../../src/exec/private_paths.ts";
import { originalName } from "../../src/text/original_name.ts";

Deno.test("originalName() takes the marks of copies off, and leaves other names", () => {
  const copies = {
    "id_rsa": [
      ...["id_rsa~", "id_rsa.bak", "id_rsa_backup", "id_rsa.old.1", ".id_rsa.swp", "id_rsa.~1~"],
    ],
    ".env": ["#.env#", ".#.env", ".env~", ".env.orig"],
    "server.key": ["server.key.bak", "server.key-old"],
    "main.ts": ["main.ts"],
    ".gitignore": [".gitignore"],
    "fold": ["fold"],
  };
  for (const [name, all] of Object.entries(copies)) {
    for (const copy of all) assert.equal(originalName(copy), name, copy);
  }
});

Deno.test("privatePart() finds copies of credentials", () => {
  assert.equal(privatePart("a/id_rsa~"), "a/id_rsa~");
  assert.equal(privatePart("a/server.key.bak/b"), "a/server.key.bak");
  assert.equal(privatePart("a/#.env#"), "a/#.env#");
  assert.equal(privatePart("a/main.ts.bak"), undefined);
  assert.equal(privatePart("a/b_old/c.orig"), undefined);
});
