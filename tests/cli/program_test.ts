/** What is said about words that the command line does not take, and about configs that are not there. */

import assert from "node:assert/strict";
import { runProgram } from "../../src/cli/run_program.ts";
import { ClimaxError, ExitCode, formatProblem } from "../../src/errors.ts";
import { fixture } from "../e2e/_server.ts";

/** The text and the exit code of what `climax` with `args` throws. */
async function refusal(args: readonly string[]): Promise<[text: string, code: ExitCode]> {
  try {
    await runProgram(args);
  } catch (error) {
    assert.ok(error instanceof ClimaxError, String(error));
    return [`${error.problems.map(formatProblem).join("\n")}\n`, error.exitCode];
  }
  assert.fail(`climax ${args.join(" ")} was taken`);
}

for (
  const [args, said] of [
    [
      ["run"],
      "Missing required argument 'config'\n  hint: Name a config, such as @code, or servers with",
    ],
    [["call"], "Missing required argument 'tool'"],
    [["serach", "commit"], "Unknown command 'serach'\n  hint: Did you mean: search"],
    [["polcy", "explain"], "Unknown command 'polcy'\n  hint: Did you mean: policy explain"],
    [["validat"], "Unknown command 'validat'\n  hint: Did you mean: validate\n"],
    [["run", "git", "--clasic"], "Unknown option '--clasic'\n  hint: Did you mean: --classic\n"],
    [["--nope"], "Unknown option '--nope'"],
    [
      ["run", "git", "--log-level", "loud"],
      "--log-level takes one of debug, info, warning, error, not 'loud'",
    ],
    [["run", "git", "--log-level"], "Option '--log-level <level>' argument missing"],
    [["search", "--limit", "0"], "--limit takes a whole number from 1 to 999999999, not '0'"],
    [
      ["search", "--limit", "12345678901"],
      "--limit takes a whole number from 1 to 999999999, not '12345678901'",
    ],
    [
      ["call", "--max-result-tokens", "9", "t"],
      "--max-result-tokens takes a whole number from 200 to 999999999, not '9'\n  hint: 0 for no limit",
    ],
    [["connect", "cursr", "git"], "\n  hint: Did you mean: cursor\n"],
    [["connect", "claude", "git"], "not 'claude'\n  hint: Did you mean: claude-code\n"],
    [["completions", "bash", "zsh"], "Too many arguments"],
    [["completions", "csh"], "The shell takes one of bash, zsh"],
    [["version", "x"], "Too many arguments"],
    [["git", "--policy", "a", "--policy", "b"], "--policy may be given once"],
    [["git", "--background-after", "x"], "--background-after takes seconds, such as 2 or 0.5, not"],
    [["--classic", "list", "git"], "Unknown config 'list'\n  hint: A command comes first"],
    [["help", "nosuch"], "No command or tool is called 'nosuch'\n  hint: climax search nosuch"],
    [["help", "git"], "No command or tool is called 'git'\n  hint: climax search git"],
    [["serve", "git"], "No command or config is called 'serve'\n  hint: climax run git\n"],
    [["find", "a b"], "No command or config is called 'find'\n  hint: climax search 'a b'\n"],
    [["exec", "git_log"], "'exec'\n  hint: climax call git_log\n"],
    [["config"], "'config'\n  hint: climax list\n"],
    [["install", "cursor", "git"], "'install'\n  hint: climax connect cursor git\n"],
    [["why", "git_push"], "'why'\n  hint: climax policy explain git_push\n"],
    [["--verison"], "Unknown option '--verison'\n  hint: Did you mean: --version\n"],
    [["eval"], "Missing required argument 'queries'\n  hint: See 'climax eval --help'"],
    [["call", "x", "--args", "{a"], "The arguments are not JSON: "],
    [["-h", "git"], "No command or tool is called 'git'\n  hint:"],
    [["policy", "x"], "Unknown command 'policy x'\n  hint: Did you mean: policy explain, policy"],
    [["version", "x", "y"], "Too many arguments: 'x', 'y'\n  hint:"],
    [["call", "git", "--", "git_log", "--dry-run"], "found '--dry-run'\n  hint: Options come"],
    [
      ["policy", "explain", "git", "--", "git_log", "--policy", "y"],
      "hint: Options come before --",
    ],
    [["eval", "a.jsonl", "b.jsonl"], "Only one file of queries is taken, not 'b.jsonl' too\n"],
    [["generate", "./none"], "There is no program at './none'\n  hint: It must be executable"],
    [["new", "run"], "A config cannot be called 'run'\n  hint: It is a command of climax"],
    [["token", "new", "a", "--scope", "a b"], "Not a scope: 'a b'\n  hint:"],
  ] as [string[], string][]
) {
  Deno.test(`runProgram() refuses climax ${args.join(" ")}`, async () => {
    const [text, code] = await refusal(args);
    assert.equal(code, ExitCode.usage);
    assert.ok(text.includes(said), text);
  });
}

for (
  const [args, said] of [
    [["gitt"], "Unknown config 'gitt'\n  hint: Did you mean: git"],
    [
      ["run", "zzz"],
      "Unknown config 'zzz'\n  hint: climax list names them all",
    ],
    [["connect", "cursor", "git,jq"], "'git,jq'\n  hint: Name them one by one: git jq\n"],
    [["list", "--policy", "p.yaml"], "p.yaml: File not found"],
    [["run", "sh"], "; to make one: climax generate sh\n"],
    [["show", "@dev"], "Unknown config '@dev'\n  hint: Name them one by one: git gh "],
    [["call", "git_log", "--config", "gitt"], "Unknown config 'gitt'\n  hint: Did you mean: git"],
    [["run", "./none.yaml"], "./none.yaml: File not found"],
    [["run", fixture("")], "Expected a file, found a directory"],
    [
      ["list", "git", "--policy", "gitreadonly"],
      "gitreadonly: File not found\n  hint: Did you mean:",
    ],
    [["call", "git_log", `@${fixture("probe.yaml")}`], "probe.yaml:1:1: The file is not JSON: exp"],
    [["eval", fixture("probe.yaml")], "probe.yaml:1:1: The line is not JSON: expected a value"],
  ] as [string[], string][]
) {
  Deno.test(`runProgram() finds no config for climax ${args.join(" ")}`, async () => {
    const [text, code] = await refusal(args);
    assert.equal(code, ExitCode.file);
    assert.ok(text.includes(said), text);
  });
}
