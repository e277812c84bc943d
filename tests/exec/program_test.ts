/** Which file is started, what it is called by, and that no shell stands in for the system. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { isStartable, programOf } from "../../src/exec/program.ts";
import { run } from "../../src/exec/run.ts";
import { deadlineMs, until } from "../_wait.ts";
import { scratch, writeProgram } from "../e2e/_scratch.ts";
import { withDirectory } from "../_io.ts";
import { unix } from "../_requirements.ts";

async function write(path: string, content: string | Uint8Array): Promise<string> {
  if (typeof content === "string") writeProgram(path, content);
  else await Deno.writeFile(path, content, { mode: 0o755 });
  return path;
}

unix.test("a name is looked up outside of the directory of the server or profile", async () => {
  await using dir = await scratch();
  const [ours, theirs] = [join(dir.path, "ours"), join(dir.path, "theirs")];
  for (const folder of [ours, theirs]) await Deno.mkdir(join(folder, "bin"), { recursive: true });
  await write(join(ours, "bin", "tool"), "#!/bin/sh\necho ours\n");
  await write(join(theirs, "bin", "tool"), "#!/bin/sh\necho theirs\n");
  const env = { PATH: `bin:${ours}/bin:${theirs}/bin:${Deno.env.get("PATH")}` };
  for (
    const [folder, cwd, said] of [[ours, theirs, "theirs\n"], [theirs, ours, "ours\n"]] as const
  ) {
    using _directory = withDirectory(folder);
    const { stdout } = await run({ argv: ["tool"], cwd, env, timeoutMs: deadlineMs() });
    assert.equal(stdout.text, said);
  }
});

unix.test("a path is seen from the directory of the call", () => {
  assert.equal(programOf({ argv: ["./tool"], cwd: "/work", env: {} }), "/work/tool");
  assert.equal(programOf({ argv: ["/bin/tool"], cwd: "/work", env: {} }), "/bin/tool");
});

const elf = new Uint8Array(64);
elf.set([0x7f, 0x45, 0x4c, 0x46, 2, 1]);
const foreign = elf.with(18, 243);

const files: readonly (readonly [what: string, content: string | Uint8Array, boolean])[] = [
  ["a script with a first line", "#!/bin/sh\n", true],
  ["a script whose first line has a space", "#! /bin/sh -e\n", true],
  ["a script whose interpreter is not there, which the system says", "#!/no/such\n", true],
  ["a script without a first line", "echo hello\n", false],
  ["an empty file", "", false],
  ["a first line without an interpreter", "#!\necho hello\n", false],
  ["a first line of spaces", "#!   \necho hello\n", false],
  ["a first line that is longer than the system reads", `#!/bin/${"x".repeat(300)}\n`, false],
  ["a first line as long as the system reads", `#!/bin/${"x".repeat(248)}\n`, true],
  ["one character more", `#!/bin/${"x".repeat(249)}\n`, false],
  ["a program for another machine", foreign, false],
  ["a 32-bit program", elf.with(18, Deno.build.arch === "x86_64" ? 3 : 40), true],
  ["the beginning of one", elf.slice(0, 6), false],
];

for (const [what, content, expected] of files) {
  unix.test(`isStartable() is ${expected} for ${what}`, async () => {
    await using dir = await scratch();
    const path = await write(join(dir.path, "file"), content);
    assert.equal(isStartable(path), expected);
    const { ending, stdout } = await run({ argv: [path], env: {}, timeoutMs: deadlineMs() });
    assert.equal(stdout.text, "");
    const failure = ending.kind === "not started" ? ending.failure : undefined;
    assert.equal(failure === "no program of this system", !expected);
  });
}

unix.test("isStartable() looks at the interpreter of a script as well", async () => {
  await using dir = await scratch();
  const interpreter = await write(join(dir.path, "interpreter"), "echo hello\n");
  assert.equal(isStartable(await write(join(dir.path, "file"), `#!${interpreter}\n`)), false);
  // As far as the system looks: the last of five is not looked at
  let path = interpreter;
  for (const isKnown of [true, true, true, true, false]) {
    path = await write(`${path}-`, `#!${path}\n`);
    assert.equal(isStartable(path), !isKnown);
  }
  const itself = join(dir.path, "itself");
  assert.equal(isStartable(await write(itself, `#!${itself}\n`)), true);
});

unix.test("isStartable() looks again at a file that has changed", async () => {
  await using dir = await scratch();
  const path = await write(join(dir.path, "file"), "#!/bin/sh\nexit 0\n");
  const { atime, mtime } = await Deno.stat(path);
  // What has just changed is not taken for known yet
  const now = Date.now;
  Date.now = () => now() + 3000;
  try {
    for (let times = 0; times < 2; times++) assert.equal(isStartable(path), true);
  } finally {
    Date.now = now;
  }
  // As long and as old as before, in the same place. Deno has the times of changes in seconds: the
  // next one must begin
  const { ctime } = await Deno.stat(path);
  await until(async () => {
    await write(path, "# /bin/sh\nexit 0\n");
    await Deno.utime(path, atime!, mtime!);
    return (await Deno.stat(path)).ctime!.getTime() !== ctime!.getTime();
  }, "the next second");
  assert.equal(isStartable(path), false);
  await write(path, "#!/bin/sh\nexit 0\n");
  assert.equal(isStartable(path), true);
});

unix.test("isStartable() does not wait for the writer of a pipe", async () => {
  await using dir = await scratch();
  const path = join(dir.path, "pipe");
  await new Deno.Command("mkfifo", { args: ["-m", "755", path] }).output();
  assert.equal(isStartable(path), true);
});

unix.test("isStartable() is true for what runs this test, and leaves it to the system to refuse others", async () => {
  await using dir = await scratch({ file: "echo hello" });
  assert.equal(isStartable(join(dir.path, "file")), true);
  assert.equal(isStartable(Deno.execPath()), true);
});
