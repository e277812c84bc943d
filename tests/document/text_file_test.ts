/** Files that are written whole, and what is said where they cannot be. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { createFile, readTextFile, replaceFile, writeWhole } from "../../src/document/text_file.ts";
import { ClimaxError, ExitCode } from "../../src/errors.ts";
import { scratch } from "../e2e/_scratch.ts";

Deno.test("writeWhole() makes the folder, and leaves nothing else behind", async () => {
  await using dir = await scratch();
  const path = join(dir.path, "a", "b.txt");
  for (const text of ["one", "two"]) {
    await writeWhole(path, text);
    assert.equal(await Deno.readTextFile(path), text);
  }
  assert.deepEqual([...Deno.readDirSync(join(dir.path, "a"))].map(({ name }) => name), ["b.txt"]);
});

Deno.test("writeWhole() says which file it cannot write", async () => {
  await using dir = await scratch();
  await Deno.writeTextFile(join(dir.path, "file"), "");
  const path = join(dir.path, "file", "below.txt");
  await assert.rejects(writeWhole(path, "text"), (error) => {
    assert.ok(error instanceof ClimaxError);
    assert.equal(error.exitCode, ExitCode.file);
    assert.equal(error.problems[0]?.file, path);
    assert.match(error.problems[0].message, /^File cannot be written: (?!.*os error)/);
    return true;
  });
});

Deno.test("readTextFile() tells a file that is not there from one that cannot be read", async () => {
  await using dir = await scratch();
  const missing = await readTextFile(join(dir.path, "none.txt"));
  assert.ok(!missing.ok);
  assert.equal(missing.isMissing, true);
  const directory = await readTextFile(dir.path);
  assert.ok(!directory.ok);
  assert.equal(directory.isMissing, false);
});

Deno.test("createFile() writes over nothing", async () => {
  await using dir = await scratch();
  const path = join(dir.path, "a.txt");
  await createFile(path, "one");
  await assert.rejects(createFile(path, "two"), Deno.errors.AlreadyExists);
  assert.equal(await Deno.readTextFile(path), "one");
});

Deno.test({
  name: "replaceFile() keeps a link and a mode, writes to what is no file, and gives a mode",
  ignore: Deno.build.os === "windows",
}, async () => {
  await using dir = await scratch();
  const [file, link] = [join(dir.path, "file"), join(dir.path, "link")];
  await Deno.writeTextFile(file, "one");
  await Deno.symlink("file", link);
  await replaceFile(link, "two", 0o700);
  assert.ok((await Deno.lstat(link)).isSymlink);
  assert.equal(await Deno.readTextFile(file), "two");
  assert.equal((await Deno.stat(file)).mode! & 0o777, 0o700);
  // Nobody else comes to read what was kept from them
  await Deno.chmod(file, 0o600);
  await replaceFile(link, "three");
  assert.equal((await Deno.stat(file)).mode! & 0o777, 0o600);
  await replaceFile("/dev/null", "four");
  assert.ok((await Deno.stat("/dev/null")).isCharDevice);
});
