import assert from "node:assert/strict";
import { join } from "node:path";
import { findProgram, ownProgram } from "../../src/exec/find_program.ts";
import { scratch } from "../e2e/_scratch.ts";
import { unix } from "../_requirements.ts";

async function write(path: string, mode: number): Promise<string> {
  await Deno.writeTextFile(path, "#!/bin/sh\n");
  await Deno.chmod(path, mode);
  return path;
}

unix.test("findProgram() takes the first executable file on PATH", async () => {
  await using dir = await scratch();
  const [first, second, third] = ["first", "second", "third"].map((name) => join(dir.path, name));
  for (const folder of [first!, second!, third!]) await Deno.mkdir(folder);
  await write(join(first!, "tool"), 0o644);
  await Deno.mkdir(join(first!, "folder"));
  await write(join(second!, "folder"), 0o755);
  const expected = await write(join(second!, "tool"), 0o755);
  await write(join(third!, "tool"), 0o755);
  const env = { PATH: ["/no/such/folder", "", first, second, third].join(":") };
  assert.equal(findProgram("tool", { env }), expected);
  assert.equal(findProgram("folder", { env }), join(second!, "folder"));
  assert.equal(findProgram("other", { env }), undefined);
});

unix.test("findProgram() uses the process's PATH where the command has none of its own", () => {
  assert.match((findProgram("sh", { env: {} })) ?? "", /\/sh$/);
  assert.equal(ownProgram("sh"), findProgram("sh", { env: {} }));
  assert.equal(findProgram("climax-no-such-program", { env: {} }), undefined);
  assert.equal(findProgram("sh", { env: { PATH: "" } }), undefined);
});

unix.test("findProgram() looks for a name with a slash in it from the working directory", async () => {
  await using dir = await scratch();
  const path = await write(join(dir.path, "tool"), 0o755);
  const env = { PATH: dir.path };
  assert.equal(findProgram("./tool", { env, workingDir: dir.path }), path);
  assert.equal(findProgram("./tool", { env, workingDir: "/" }), undefined);
  assert.equal(findProgram(path, { env: {}, workingDir: "/usr" }), path);
  assert.equal(findProgram("./climax-none", { env: {} }), undefined);
  assert.equal(findProgram(dir.path, { env }), undefined);
});
