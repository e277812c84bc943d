/** Programs that complete words, really asked: Deno itself has clap's way. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { completerOf } from "../../src/setup/completions.ts";
import { findProgram } from "../../src/exec/find_program.ts";
import { scratch } from "../e2e/_scratch.ts";
import { unix } from "../_requirements.ts";

const env = { NO_COLOR: "1" };

async function askAll(path: string, words: readonly string[]): Promise<readonly string[][]> {
  await using cwd = await scratch();
  const completer = await completerOf(path, { cwd: cwd.path, env, onRun: () => {} });
  const answers = await Promise.all([completer!.ask(words, ""), completer!.ask(words, "--")]);
  return answers.map((answer) => answer.map(({ word }) => word));
}

Deno.test("completerOf() asks a program of clap", async () => {
  const [commands] = await askAll(Deno.execPath(), ["deno"]);
  for (const command of ["lint", "fmt", "test"]) assert.ok(commands!.includes(command), command);
  const [, options] = await askAll(Deno.execPath(), ["deno", "lint"]);
  assert.ok(options!.includes("--compact"));
});

const kubectl = await findProgram("kubectl", { env: {} });

Deno.test("completerOf() asks a program of cobra", { ignore: kubectl === undefined }, async () => {
  const [commands, options] = await askAll(kubectl!, ["kubectl", "config"]);
  assert.ok(commands!.includes("get-contexts"));
  assert.ok(options!.includes("--kubeconfig"));
});

unix.test("completerOf() asks a program that says it has argcomplete", async () => {
  await using dir = await scratch();
  const path = join(dir.path, "farm");
  // What argcomplete does, without Python
  const script = `#!/bin/sh
# PYTHON_ARGCOMPLETE_OK
test "$_ARGCOMPLETE" = 1 || exit 9
case "$COMP_LINE" in
"farm ") printf 'list\\nsell' > "$_ARGCOMPLETE_STDOUT_FILENAME";;
"farm --") printf '%s\\n' --help --all > "$_ARGCOMPLETE_STDOUT_FILENAME";;
esac
`;
  await Deno.writeTextFile(path, script, { mode: 0o755 });
  const completer = await completerOf(path, { cwd: dir.path, env, onRun: () => {} });
  const words = async (start: "" | "--") => {
    return (await completer!.ask(["farm"], start)).map(({ word }) => word);
  };
  assert.deepEqual(await words(""), ["list", "sell"]);
  assert.deepEqual(await words("--"), ["--help", "--all"]);
});

unix.test("completerOf() starts no program that does not complete words", async () => {
  await using dir = await scratch();
  const path = join(dir.path, "farm");
  await Deno.writeTextFile(path, "#!/bin/sh\ntouch started\n", { mode: 0o755 });
  assert.equal(await completerOf(path, { cwd: dir.path, env, onRun: () => {} }), undefined);
  await assert.rejects(Deno.stat(join(dir.path, "started")));
});
