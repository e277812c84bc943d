/** Text files that are read, and what is said where they cannot be. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { readTextFile } from "../../src/files/text_file.ts";
import { scratch } from "../e2e/_scratch.ts";
import { unix } from "../_requirements.ts";

unix.test("readTextFile() does not wait for what is no regular file, unless it is of /dev", async () => {
  await using dir = await scratch();
  await new Deno.Command("mkfifo", { args: [join(dir.path, ".mcp.json")] }).output();
  await Deno.symlink("/dev/zero", join(dir.path, "endless"));
  for (const name of [".mcp.json", "endless"]) {
    const read = await readTextFile(join(dir.path, name));
    const message = "File cannot be read: it is not a regular file";
    assert.equal(read.ok ? undefined : read.problem.message, message);
  }
  assert.deepEqual(await readTextFile("/dev/null"), { ok: true, text: "" });
});

unix.test("readTextFile() reads no file without an end", async () => {
  const read = await readTextFile("/dev/zero");
  assert.equal(
    read.ok ? undefined : read.problem.message,
    "File cannot be read: it has over 64 MiB",
  );
});
