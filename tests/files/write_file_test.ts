/** Files that are written whole, and what is said where they cannot be. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { accept } from "../../src/trust/accepted.ts";
import { withVariables } from "../_io.ts";
import { climaxProcess, ends } from "../cli/commands/_climax.ts";
import { createFile, replaceFile, writeWhole } from "../../src/files/write_file.ts";
import { ClimaxError, ExitCode } from "../../src/errors.ts";
import { scratch } from "../e2e/_scratch.ts";
import { unix } from "../_requirements.ts";

Deno.test("writeWhole() says which file it cannot write", async () => {
  await using dir = await scratch({ file: "" });
  const path = join(dir.path, "file", "below.txt");
  await assert.rejects(writeWhole(path, "text"), (error) => {
    assert.ok(error instanceof ClimaxError);
    assert.equal(error.exitCode, ExitCode.file);
    assert.equal(error.problems[0]?.file, path);
    assert.match(error.problems[0].message, /^File cannot be written: (?!.*os error)/);
    return true;
  });
});

Deno.test("createFile() writes over nothing", async () => {
  await using dir = await scratch();
  const path = join(dir.path, "a.txt");
  await createFile(path, "one");
  await assert.rejects(createFile(path, "two"), Deno.errors.AlreadyExists);
  assert.equal(await Deno.readTextFile(path), "one");
});

unix.test("replaceFile() keeps a link and a mode, writes to what is no file, and gives a mode", async () => {
  await using dir = await scratch();
  const [file, link] = [join(dir.path, "file"), join(dir.path, "link")];
  await Deno.writeTextFile(file, "one");
  await Deno.symlink("file", link);
  await replaceFile(link, "two", { mode: 0o700 });
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

const leading: readonly [what: string, link: string, to: string, isOutside: boolean][] = [
  ["a folder outside", "p/d", "../out", true],
  ["a folder outside that is not there", "p/d", "../gone", true],
  ["a folder outside, by two links", "p/d", "e", true],
  ["a folder inside", "p/d", "inside", false],
  ["a file outside", "p/f", "../out/f", true],
  ["a file outside that is not there", "p/f", "../out/new", true],
  ["a file inside", "p/f", "inside/f", false],
];

for (const [what, link, to, isOutside] of leading) {
  const name = `writeWhole() follows a link ${
    isOutside ? "out of no" : "within the"
  } root: ${what}`;
  unix.test(name, async () => {
    await using dir = await scratch();
    const at = (path: string) => join(dir.path, path);
    for (const folder of ["p/inside", "out"]) await Deno.mkdir(at(folder), { recursive: true });
    await Deno.symlink("../out", at("p/e"));
    await Deno.writeTextFile(at("out/f"), "theirs");
    await Deno.symlink(to, at(link));
    const write = writeWhole(at(link.endsWith("d") ? `${link}/f` : link), "ours", {
      root: at("p"),
    });
    if (!isOutside) {
      await write;
      assert.equal(await Deno.readTextFile(at("p/inside/f")), "ours");
    } else {
      await assert.rejects(write, (error) => {
        assert.ok(error instanceof ClimaxError);
        assert.match(
          error.problems[0]!.message,
          /a link leads out of the project, to '.*(?:out|gone)/,
        );
        return true;
      });
    }
    assert.equal(await Deno.readTextFile(at("out/f")), "theirs");
    assert.deepEqual([...Deno.readDirSync(at("out"))].map(({ name }) => name), ["f"]);
    assert.deepEqual([...Deno.readDirSync(dir.path)].map(({ name }) => name).sort(), ["out", "p"]);
  });
}

unix.test("writeWhole() takes a root that is a link itself", async () => {
  await using dir = await scratch();
  await Deno.mkdir(join(dir.path, "real"));
  await Deno.symlink("real", join(dir.path, "root"));
  await writeWhole(join(dir.path, "root", "a", "f"), "text", { root: join(dir.path, "root") });
  assert.equal(await Deno.readTextFile(join(dir.path, "real", "a", "f")), "text");
});

unix.test("of programs that add to one file at once, each finds what the others wrote", async () => {
  await using dir = await scratch();
  const at = (name: string) => join(dir.path, name);
  using _ = withVariables({ HOME: dir.path, XDG_CONFIG_HOME: at("settings") });
  const names = Array.from({ length: 6 }, (_, index) => `n${index}`);
  await Promise.all(names.map(async (name) => {
    await Deno.writeTextFile(at(name), name);
    await Promise.all([
      accept({ kind: "config", path: at(name), sha256: "x" }),
      accept({ kind: "config", path: at(name), sha256: "x" }),
      ends(climaxProcess(["token", "new", name, "--file", "tokens"], { cwd: dir.path }), {
        code: 0,
      }),
    ]);
  }));
  for (const file of ["tokens", "settings/climax/accepted.json"]) {
    const text = await Deno.readTextFile(at(file));
    assert.deepEqual(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(text)), [], file);
  }
});
