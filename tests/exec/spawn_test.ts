/** The length of command lines of Windows, and what a killed process leaves. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { isLineTooLong, spawn } from "../../src/exec/spawn.ts";
import { linux, unix } from "../_requirements.ts";
import { scratch } from "../e2e/_scratch.ts";
import { untilGone } from "../_wait.ts";

linux.test("programs of a process end with it, even when it is killed; those of ended calls stay", async () => {
  const [runs, marks] = ["run", "processes"].map((name) => {
    return JSON.stringify(new URL(`../../src/exec/${name}.ts`, import.meta.url).href);
  });
  // The shell that watches reads the marks in parts
  const code = `import { run } from ${runs};
import { watchMark } from ${marks};
const options = { onOutput: (it) => Deno.stdout.writeSync(it) };
const start = (script) => run({ argv: ["sh", "-c", script], env: {}, timeoutMs: 3_600_000 }, options);
await start("sleep 3600 >/dev/null 2>&1 & echo $!");
for (let count = 1000; count < 1330; count++) (await watchMark("1.1." + String(count).repeat(6)))();
await start("echo $$; exec sleep 3600");`;
  const args = ["eval", "--no-check", code];
  const options = { args, stdout: "piped", detached: true } as const;
  const child = new Deno.Command(Deno.execPath(), options).spawn();
  const reader = child.stdout.getReader();
  let text = "";
  // Where this process is late, both are in one read
  while (text.split("\n").length < 3) {
    text += new TextDecoder().decode((await reader.read()).value ?? assert.fail(text));
  }
  const [background, pid] = text.split("\n").map(Number) as [number, number];
  // With its group
  Deno.kill(-child.pid, "SIGKILL");
  await reader.cancel();
  await child.status;
  await untilGone(pid);
  Deno.kill(background, "SIGKILL");
});

unix.test("spawn() tells whether the program has ended, which inherits variables", async () => {
  const invocation = { argv: ["sh", "-c", 'read -r _; echo "$PATH"'], env: {}, stdin: "" } as const;
  const started = await spawn("/bin/sh", { ...invocation, timeoutMs: 1 });
  assert.ok("child" in started);
  const { child, hasEnded } = started;
  assert.equal(hasEnded(), false);
  await child.stdin.close();
  assert.equal(await new Response(child.stdout).text(), `${Deno.env.get("PATH")}\n`);
  await child.stderr.cancel();
  await child.status;
  assert.equal(hasEnded(), true);
});

unix.test("spawn() says what Deno forbids, and which directory is gone where it may not look", async () => {
  const module = JSON.stringify(new URL("../../src/exec/run.ts", import.meta.url).href);
  const code = `import { run } from ${module};
for (const [name, cwd] of [["/bin/false", "/"], ["/bin/true", "/climax-none"], ["/bin/none", "/"]]) {
  const { ending } = await run({ argv: [name], cwd, env: {}, timeoutMs: 60_000 });
  console.log(ending.failure);
}`;
  await using dir = await scratch({ "program.ts": code });
  const rights = ["--no-prompt", "--no-check", "--allow-env", "--allow-run=/bin/true,/bin/none"];
  const args = ["run", ...rights, join(dir.path, "program.ts")];
  const { stdout } = await new Deno.Command(Deno.execPath(), { args }).output();
  const said = "not permitted\nworking directory not found\ncommand not found\n";
  assert.equal(new TextDecoder().decode(stdout), said);
});

const units = 32_766 - "x.exe".length - 3 - 3;

for (
  const [what, program, arg, expected] of [
    ["a line as long as Windows takes", "x.exe", "a".repeat(units), false],
    ["one unit more", "x.exe", "a".repeat(units + 1), true],
    ["quotes, which are escaped", "x.exe", '"'.repeat(units / 2 + 1), true],
    ["a short line of a batch file", "x.cmd", "a".repeat(8_000), false],
    ["quotes that just fit", "x.exe", `a${'"'.repeat((units - 1) / 2)}`, false],
    ["a line as long as cmd.exe takes", "x.cmd", "a".repeat(8_127 - 5 - 6), false],
    ["one unit more for cmd.exe", "x.cmd", "a".repeat(8_127 - 5 - 5), true],
    ["a line that cmd.exe would cut", "X.BAT", "a".repeat(8_192), true],
    ["the same for a program", "x.exe", "a".repeat(8_192), false],
  ] as const
) {
  Deno.test(`isLineTooLong() decides on ${what}`, () => {
    assert.equal(isLineTooLong(program, [arg]), expected);
  });
}
