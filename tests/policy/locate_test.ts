/** Policies by name, and what is a file all the same. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { locatePolicy } from "../../src/policy/locate.ts";
import { readPolicyText } from "../../src/policy/policy_file.ts";
import { setIo } from "../../src/io.ts";
import { ioOf } from "../_io.ts";
import { scratch } from "../e2e/_scratch.ts";

Deno.test("locatePolicy() gives the text of a bundled policy, whatever lies in the directory", async () => {
  const found = await locatePolicy("git-readonly");
  assert.ok(found.ok);
  assert.equal(found.file, "bundled:git-readonly");
  assert.match(found.text, /^default: disabled$[^]*^ {2}"cli:git":$/m);
});

Deno.test("locatePolicy() has the nearest name only for what is like one and is no file", async () => {
  await using dir = await scratch({ "git-readonly": "a" });
  const hintOf = async (spec: string) => {
    const found = await locatePolicy(spec);
    return found.ok ? "there" : found.problem.hint;
  };
  assert.equal(await hintOf("git_readonly"), "Did you mean: readonly");
  assert.equal(await hintOf("git_readonly.yaml"), undefined);
  assert.equal(await hintOf("./git_readonly"), undefined);
  assert.equal(await hintOf("nothing like it"), undefined);
  assert.equal(await hintOf(join(dir.path, "git-readonly")), "there");
  const before = setIo(ioOf({ cwd: dir.path, env: {}, stdin: "", write() {} }));
  try {
    await Deno.mkdir(join(dir.path, "git_readonly"));
    assert.equal(await hintOf("git_readonly"), undefined);
  } finally {
    setIo(before);
  }
});

Deno.test("readPolicyText() reads a policy by its name, and leaves a text and what it cannot read", async () => {
  const text = { file: "p.yaml", text: "{}" };
  for (const each of [undefined, text, "/climax-none.yaml"]) {
    assert.equal(await readPolicyText(each), each);
  }
  const read = await readPolicyText("ask");
  assert.equal(typeof read === "object" && read.file, "bundled:ask");
});
