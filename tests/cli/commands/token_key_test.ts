/** `climax token key`: the file of keys that instances share. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { Keyring } from "../../../src/state/keyring.ts";
import { unix } from "../../_requirements.ts";
import { scratch } from "../../e2e/_scratch.ts";
import { climax, ends } from "./_climax.ts";

Deno.test("climax token key prints a key, which is another each time", async () => {
  const runs = [await climax(["token", "key"]), await climax(["token", "key"])];
  for (const { code, stdout, stderr } of runs) {
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, /^[\w-]{43}\n$/);
  }
  assert.notEqual(runs[0]!.stdout, runs[1]!.stdout);
});

Deno.test("climax token key makes a file that is taken, with a second key at most", async () => {
  await using dir = await scratch();
  const file = join(dir.path, "signing.key");
  const key = () => climax(["token", "key", "--file", file]);
  assert.deepEqual(await key(), { code: 0, stdout: "", stderr: `${file} has a key\n` });
  const { first } = new Keyring(file);
  if (Deno.build.os !== "windows") assert.equal(Deno.statSync(file).mode! & 0o777, 0o600);
  const text = await Deno.readTextFile(file);
  await Deno.writeTextFile(file, `# of June\n${text.trim()}`);
  assert.match((await key()).stderr, /has a second key: the first one still signs/);
  const keys = new Keyring(file);
  assert.deepEqual([keys.first.name, keys.names.length], [first.name, 2]);
  const before = await Deno.readTextFile(file);
  const third = await key();
  assert.deepEqual([third.code, third.stdout], [2, ""]);
  assert.match(third.stderr, /has 2 keys already\n {2}hint: Remove the line of the oldest first/);
  assert.equal(await Deno.readTextFile(file), before);
  await ends(climax(["token", "key", "--file", dir.path]), { code: 3, stdout: "" });
});

unix.test("climax token writes through no link out of the current folder", async () => {
  for (const words of [["new", "ada"], ["key"]]) {
    await using dir = await scratch({ "p/a": "", "out": "" });
    await Deno.symlink("../out", join(dir.path, "p", "secrets"));
    const run = climax(["token", ...words, "--file", "secrets"], { cwd: join(dir.path, "p") });
    await ends(run, { code: 3, stdout: "", stderr: /a link leads out of the project/ });
    assert.equal(await Deno.readTextFile(join(dir.path, "out")), "");
  }
});
