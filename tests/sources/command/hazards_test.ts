/** What a config hands over beyond what it says, and the data that knows it. */

import assert from "node:assert/strict";
import { load } from "js-yaml";
import flagsText from "../../../configs/hazards/flags.yaml" with { type: "text" };
import launchersText from "../../../configs/hazards/launchers.yaml" with { type: "text" };
import { hazardsOf } from "../../../src/sources/command/hazards.ts";
import type { Arg } from "../../../src/tool/tool.ts";
import { argOf, sourceOf, toolOf } from "../../_tools.ts";

/** The doubts about a tool `x` of `command`, whose arguments are `flags`. */
function hazards(command: string, flags: readonly string[] = [], more: readonly Arg[] = []) {
  const words = command.split(" ") as [string, ...string[]];
  const args = flags.map((flag, index) => argOf(`a${index}`, { role: { kind: "flag", flag } }));
  return hazardsOf([toolOf("x", { source: sourceOf(words), args: [...args, ...more] })]);
}

const rows: readonly [command: string, flags: readonly string[], said: readonly string[]][] = [
  // Launchers, by whatever path
  ["/bin/fish script.fish", [], ["The base command '/bin/fish' runs any shell command"]],
  ["cmd.exe /c", [], ["The base command 'cmd.exe' runs any shell command"]],
  // Interpreters, only where they are given code in words
  ["/usr/bin/python3.12 -I -c", [], [
    "The command '/usr/bin/python3.12 -c' runs any code it is given",
  ]],
  ["python3 -Ic", [], ["The command 'python3 -Ic' runs any code it is given"]],
  ["node -pe", [], ["The command 'node -pe' runs any code it is given"]],
  ["awk", [], ["The base command 'awk' runs any code it is given"]],
  ["python3", ["-c"], ["Tool 'x': '-c' runs any code it is given"]],
  ["node", ["--eval="], ["Tool 'x': '--eval=' runs any code it is given"]],
  ["python3 tool.py", ["--config"], []],
  ["node server.js", ["--port="], []],
  // Options that an argument sets
  ["git log", ["--output="], ["Tool 'x': '--output=' writes a file of the caller's choice"]],
  ["git", ["-c"], ["Tool 'x': '-c' sets any configuration, and some of it names programs to run"]],
  ["curl -s", ["--output", "-o"], [
    "Tool 'x': '--output' writes a file of the caller's choice",
    "Tool 'x': '-o' writes a file of the caller's choice",
  ]],
  // The last word takes what follows; a word with its value is the config's own doing
  ["git -c", [], ["Tool 'x': '-c' sets any configuration, and some of it names programs to run"]],
  ["git -c core.pager=cat log", [], []],
  // What is harmless
  ["git log", ["-n", "--format="], []],
  ["curl", ["--silent"], []],
  ["cat", ["--output"], []],
  ["constructor", ["toString"], []],
  ["git", ["constructor", "__proto__"], []],
];

for (const [command, flags, said] of rows) {
  const title = `hazardsOf() has ${said.length || "nothing"} to say about ${command} ${flags}`;
  Deno.test(title.trimEnd(), () => assert.deepEqual(hazards(command, flags), said));
}

Deno.test("hazardsOf() sees that an argument chooses where a program is looked for", () => {
  const dir = argOf("dir", { role: { kind: "cwd" } });
  const said = "Tool 'x': 'dir' chooses the directory that './tool' is run from";
  assert.deepEqual(hazards("./tool", [], [dir]), [said]);
  assert.deepEqual(hazards("bin/tool", [], [dir]).length, 1);
  assert.deepEqual(hazards("./tool"), []);
  assert.deepEqual(hazards("/bin/tool", [], [dir]), []);
  assert.deepEqual(hazards("tool", [], [dir]), []);
});

const flags = load(flagsText) as Record<string, Record<string, string>>;
const launchers = load(launchersText) as {
  programs: Record<string, string>;
  interpreters: Record<string, string[]>;
};

/** What goes on from `'--flag' …` or `The base command 'x' …`. */
const continuation = /^(?:may |can |could |[a-z]+s,? )[^\n]*[^.\s]$/;

for (const [program, options] of Object.entries(flags)) {
  Deno.test(`hazards: each option of ${program} has its reason`, () => {
    assert.notEqual(Object.keys(options).length, 0);
    for (const [option, reason] of Object.entries(options)) {
      assert.match(option, /^--?[A-Za-z0-9][\w-]*$/);
      assert.match(reason, continuation);
      const said = `Tool 'x': '${option}' ${reason}`;
      assert.equal(hazards(`${program} sub`, [option]).includes(said), true, said);
      const joined = `Tool 'x': '${option}=' ${reason}`;
      assert.equal(hazards(`${program} sub`, [`${option}=`]).includes(joined), true, joined);
    }
  });
}

Deno.test("hazards: each launcher has its reason, each interpreter its options", () => {
  for (const [program, reason] of Object.entries(launchers.programs)) {
    assert.match(reason, continuation);
    assert.deepEqual(hazards(program), [`The base command '${program}' ${reason}`]);
  }
  for (const [program, options] of Object.entries(launchers.interpreters)) {
    for (const option of options) {
      const said = `The command '${program} ${option}' runs any code it is given`;
      assert.deepEqual(hazards(`${program} ${option}`), [said]);
    }
    if (options.length > 0) assert.deepEqual(hazards(program), []);
  }
});

const sql = argOf("sql", { role: { kind: "positional" }, required: true });
const valueRows: readonly [command: string, args: readonly Arg[], said: string[]][] = [
  ["sqlite3 -readonly", [sql], [
    "Tool 'x': 'sql' is SQL or a command, and .shell runs programs; add -safe to the command",
  ]],
  ["sqlite3 -safe", [sql], []],
  ["sqlite3", [argOf("sql", { role: { kind: "stdin" } })], [
    "Tool 'x': 'sql' is SQL or a command, and .shell runs programs; add -safe to the command",
  ]],
  ["sqlite3", [{ ...sql, enum: ["SELECT 1"] }], []],
  ["sqlite3", [{ ...sql, limits: { pattern: "SELECT .*" } }], []],
  ["sqlite3", [{ ...sql, fixed: "SELECT 1" }], []],
  ["sqlite3", [{ ...sql, type: "integer" }], []],
  ["docker exec", [argOf("container", { role: { kind: "positional" } }), sql], [
    "Tool 'x': 'container' or 'sql' is run in a container, or with what it mounts; " +
    "list the commands in an enum, or leave the tool out",
  ]],
  ["docker ps", [sql], []],
  ["docker -H tcp://x exec", [sql], []],
  ["kubectl exec", [sql], [
    "Tool 'x': 'sql' is run in a container, or copied out of one; list the commands in an enum, " +
    "or leave the tool out",
  ]],
  ["kubectl get", [sql], []],
  ["npm run", [sql], [
    "Tool 'x': 'sql' is a script or a package, whose code is run; list the scripts in an enum",
  ]],
  ["make", [sql], [
    "Tool 'x': 'sql' is a target or a variable, and a variable can hold a command; " +
    "list the targets in an enum",
  ]],
  ["sed -n", [sql], [
    "Tool 'x': 'sql' is a script, and a script can run programs and write files; " +
    "add --sandbox to the command, which GNU sed has",
  ]],
  ["sed --sandbox -n", [sql], []],
  ["curl -s", [sql], [
    "Tool 'x': 'sql' may be an address such as file:///etc/passwd, or one of the local network; " +
    "add '--proto =https' to the command, and a pattern for the host",
  ]],
  ["git clone", [sql], [
    "Tool 'x': 'sql' may be an address that runs a program, such as ext::sh; " +
    "set GIT_ALLOW_PROTOCOL in 'env'",
  ]],
  ["git log", [sql], []],
  ["tee -a", [argOf("file", { role: { kind: "positional" } })], [
    "Tool 'x': 'file' may be a file that is overwritten; " +
    "give it 'within', and 'never' for what programs obey",
  ]],
  ["tee", [argOf("file", { role: { kind: "positional" }, limits: { within: "." } })], []],
  ["dd", [argOf("operand", { role: { kind: "positional" } })], [
    "Tool 'x': 'operand' may be of=, and any file is overwritten; give it a pattern",
  ]],
  // An interpreter without a script takes it from its input, or from its first value
  ["python3", [argOf("input", { role: { kind: "stdin" } })], [
    "Tool 'x': 'input' is code that 'python3' runs, or its file",
  ]],
  ["node --no-warnings", [argOf("file", { role: { kind: "positional" } })], [
    "Tool 'x': 'file' is code that 'node' runs, or its file",
  ]],
  ["python3 tool.py", [argOf("input", { role: { kind: "stdin" } })], []],
  ["python3 -m json.tool", [argOf("input", { role: { kind: "stdin" } })], []],
];

for (const [command, args, said] of valueRows) {
  Deno.test(`hazardsOf() says what values of '${command}' may do: ${said.length}`, () => {
    assert.deepEqual(hazards(command, [], args), said);
  });
}

Deno.test("hazardsOf() takes a variable of the config for a remedy", () => {
  const source = sourceOf(["git", "clone"], { env: { GIT_ALLOW_PROTOCOL: "https" } });
  assert.deepEqual(hazardsOf([toolOf("x", { source, args: [sql] })]), []);
});
