/** Files that decide something and are open to other users. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { exposureTo } from "../../src/process/permissions.ts";
import { newToken } from "../../src/server/http/tokens.ts";
import { climax, ends } from "../cli/commands/_climax.ts";
import { scratch } from "../e2e/_scratch.ts";
import { unix } from "../_requirements.ts";

unix.test("exposureTo() looks at the bits of others", async () => {
  await using dir = await scratch({ file: "" });
  const path = join(dir.path, "file");
  for (
    const [mode, read, change, all] of [
      [0o600, false, false, false],
      [0o440, false, false, false],
      [0o640, false, false, false],
      [0o644, true, false, false],
      [0o604, true, false, false],
      [0o620, true, true, false],
      [0o664, true, true, false],
      [0o602, true, true, true],
      [0o666, true, true, true],
    ] as const
  ) {
    Deno.chmodSync(path, mode);
    const found = (["read or change", "change", "all change"] as const)
      .map((what) => exposureTo(path, what) !== undefined);
    assert.deepEqual(found, [read, change, all], mode.toString(8));
  }
  assert.deepEqual(exposureTo(path, "all change"), {
    file: path,
    message: "Other users can change this file",
    hint: `Run: chmod o-w ${path}`,
  });
});

unix.test("tokens that others may change and a key that they may read are refused", async () => {
  const { line } = await newToken("ada");
  await using dir = await scratch({
    tokens: line,
    cert: "x",
    key: "x",
    "p.yaml": "default: deny\n",
  });
  const at = (name: string) => join(dir.path, name);
  const run = (...words: string[]) => climax(["run", "git", "--http", "0", ...words]);
  for (const mode of [0o666, 0o660, 0o602]) {
    Deno.chmodSync(at("tokens"), mode);
    await ends(run("--tokens", at("tokens")), {
      code: 3,
      stderr: /tokens: Other users can change this file\n {2}hint: Run: chmod 600 /,
    });
  }
  for (const mode of [0o644, 0o660, 0o604]) {
    Deno.chmodSync(at("key"), mode);
    await ends(run("--tls-cert", at("cert"), "--tls-key", at("key")), {
      code: 3,
      stderr: /key: Other users can read or change this file\n {2}hint: Run: chmod 600 /,
    });
  }
});

unix.test("a policy that all may change is named, once for its folder", async () => {
  await using dir = await scratch({
    "p.yaml": "default: enabled\n",
    "q.yaml": "default: enabled\n",
    "c.yaml": "name: c\ncommand: echo\ntools: [{ name: c_x, description: X }]\n",
  });
  const [policy, other, config] = ["p.yaml", "q.yaml", "c.yaml"].map((name) =>
    join(dir.path, name)
  );
  const list = (policy: string) => climax(["list", config!, "--policy", policy]);
  const fine = await ends(list(policy!), { code: 0 });
  assert.doesNotMatch(fine.stderr, /Other users/);
  for (const path of [policy!, other!]) Deno.chmodSync(path, 0o666);
  const { stderr } = await ends(list(policy!), { code: 0 });
  assert.match(stderr, /p\.yaml: Other users can change this file\n.*hint: Run: chmod o-w /);
  assert.doesNotMatch((await ends(list(other!), { code: 0 })).stderr, /Other users/);
});
