/** The command line as such: help, version, and what is said about words it does not know. */

import assert from "node:assert/strict";
import { fixture, root } from "../../e2e/_server.ts";
import { climax } from "./_climax.ts";

Deno.test("climax --version prints the version of deno.json first", async () => {
  const { version } = JSON.parse(await Deno.readTextFile(`${root}/deno.json`));
  const { code, stdout, stderr } = await climax(["--version"]);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.equal(stdout.split("\n")[0], `climax ${version}`);
  assert.equal((await climax(["-V"])).stdout, stdout);
});

Deno.test("climax --help prints the commands, the bundled configs and the exit codes", async () => {
  const { code, stdout, stderr } = await climax(["--help"]);
  assert.equal(code, 0);
  assert.equal(stderr, "");
  for (const word of ["run", "validate", "list", "search", "call"]) {
    assert.match(stdout, new RegExp(`^  ${word} `, "m"));
  }
  assert.match(stdout, /claude, coreutils, docker, git/);
  assert.match(stdout.replaceAll(/\s+/g, " "), /0 done, 1 .*, 2 .*, 3 .*, 4 /);
  assert.deepEqual(stdout.split("\n").filter((line) => line.length > 80), []);
  assert.match(stdout, /CLIMAX_LOG_FILE/);
});

for (const command of ["run", "validate", "list", "search", "call"]) {
  Deno.test(`climax ${command} --help prints the help of the command on stdout`, async () => {
    const { code, stdout, stderr } = await climax([command, "--help"]);
    assert.equal(code, 0);
    assert.equal(stderr, "");
    assert.ok(stdout.startsWith(`Usage: climax ${command} `), stdout);
    for (
      const asked of [["help", command], ["-h", command], ["--help", command], [command, "-h"]]
    ) {
      assert.deepEqual(await climax(asked), { code, stdout, stderr }, asked.join(" "));
    }
  });
}

for (
  const [args, said] of [
    [[], "Usage: climax CONFIG... [options]"],
    [["run"], "error: Missing required argument 'config'\n  hint: climax"],
    [["validate"], "error: Missing required argument 'config'\n  hint: climax"],
    [["call"], "error: Missing required argument 'tool'"],
    [["serach", "commit"], "error: Unknown command 'serach'\n  hint: Did you mean: search"],
    [["validat"], "error: Unknown command 'validat'\n  hint: Did you mean: validate"],
    [
      ["run", "git", "--clasic"],
      "error: Unknown option '--clasic'\n  hint: Did you mean: --classic\n",
    ],
    [["git", "--clasic"], "error: Unknown option '--clasic'\n  hint: Did you mean: --classic\n"],
    [["list", "--jsno"], "error: Unknown option '--jsno'\n  hint: Did you mean: --json\n"],
    [["--nope"], "error: Unknown option '--nope'"],
    [
      ["run", "git", "--log-level", "loud"],
      "error: --log-level takes one of debug, info, warning, error, not 'loud'",
    ],
    [["run", "git", "--log-level"], "error: Option '--log-level <level>' argument missing"],
    [["search", "--limit", "-1"], "error: --limit takes a whole number from 0, not '-1'"],
    [["search", "--limit", "2.5"], "--limit"],
    [["search", "--limit", "many"], "--limit"],
    [["completions", "bash", "zsh"], "error: Too many arguments"],
    [["completions", "csh"], "error: The shell takes one of bash, zsh"],
    [["version", "x"], "error: Too many arguments"],
    [["list", "--policy", "p.yaml"], "error: --policy needs the configs it is about\n  hint:"],
    [["git", "--policy", "a", "--policy", "b"], "error: --policy may be given once"],
    [["git", "--grace", "soon"], "error: --grace takes seconds, such as 2 or 0.5, not 'soon'"],
    [["--classic", "list", "git"], "error: Unknown config 'list'\n  hint: A command comes first"],
    [["help", "nosuch"], "error: Unknown command 'nosuch'\n  hint: climax --help"],
    [["help", "valdate"], "error: Unknown command 'valdate'\n  hint: Did you mean: validate"],
    [["-h", "git"], "error: Unknown command 'git'\n  hint:"],
  ] as [string[], string][]
) {
  Deno.test(`wrong usage is exit code 2, on stderr: climax ${args.join(" ")}`, async () => {
    const { code, stdout, stderr } = await climax(args);
    assert.equal(code, 2);
    assert.equal(stdout, "");
    assert.ok(stderr.includes(said), stderr);
  });
}

for (
  const [args, said] of [
    [["gitt"], "Unknown config 'gitt'\n  hint: Did you mean: git"],
    [["run", "dockr"], "Unknown config 'dockr'\n  hint: Did you mean: docker"],
    [["run", "zzz"], "Unknown config 'zzz'\n  hint: Bundled configs: claude, coreutils"],
    [["list", "coreutil"], "Unknown config 'coreutil'\n  hint: Did you mean: coreutils"],
    [["search", "--config", "gitt"], "Unknown config 'gitt'\n  hint: Did you mean: git"],
    [["call", "git_log", "--config", "gitt"], "Unknown config 'gitt'\n  hint: Did you mean: git"],
    [["run", "./none.yaml"], "./none.yaml: File not found"],
    [["run", "none.yaml"], "none.yaml: File not found"],
    [["run", fixture("")], "Expected a file, found a directory"],
  ] as [string[], string][]
) {
  Deno.test(`a config that is not there is exit code 3: climax ${args.join(" ")}`, async () => {
    const { code, stdout, stderr } = await climax(args);
    assert.equal(code, 3, stderr);
    assert.equal(stdout, "");
    assert.ok(stderr.includes(said), stderr);
  });
}
