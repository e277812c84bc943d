/** Which commands `climax generate` says to read, and which print credentials and are left out. */

import assert from "node:assert/strict";
import { load } from "js-yaml";
import type { ClimaxError } from "../../src/errors.ts";
import { generate } from "../../src/setup/generate.ts";
import { capturedHelp } from "../help/_corpus.ts";

/** What is written for the command `x WORDS`. */
async function draftOf(words: string, help: string, include: readonly string[] = []) {
  const all = ["x", ...words.split(" ")] as [string, ...string[]];
  const source = capturedHelp([{ words: all, text: help.replace("WORDS", words) }]);
  const { text } = await generate(all, { source, include });
  const [tool] = (load(text) as { tools: { effect?: string }[] }).tools;
  return { text, effect: tool!.effect };
}

/** A help, in which WORDS are those of the command. */
const help = (description: string, more = "[options]") => {
  return `${description}\n\nUsage: x WORDS ${more}\n`;
};

/** The words of a command behind its program, what its help says, and the effect. */
const effects: readonly [words: string, help: string, effect: string | undefined][] = [
  [
    "show",
    `${help("Print or control the ring buffer.")}\n  -C, --clear  Clear it\n`,
    undefined,
  ],
  // Without the option, which is left out, it only reads
  ["show", `${help("Print the ring buffer.")}\n  --read-clear  Print and clear\n`, "read"],
  ["show", `${help("Print messages.")}\n  --console-off  None to the console\n`, undefined],
  ["list", `${help("List the jobs of this machine.")}\n  --force  Whatever runs\n`, undefined],
  ["list", `${help("List the jobs of this machine.")}\n  --force-color  In colour\n`, "read"],
  ["list", `${help("List the jobs of this machine.")}\n  --all  All\n`, "read"],
  ["list", `${help("List packages.")}\n  --disable-pip-version-check  No check\n`, "read"],
  // A text that every call needs is not left out, and may be an address
  ["list", `${help("List the jobs.")}\n  --bus VALUE  The bus  [required]\n`, undefined],
  ["copy", help("Copy input to each FILE.", "[FILE]..."), undefined],
  // The program asks an interpreter for its version, whatever file it is
  ["find", help("Find an installation.", "[PYTHON]"), undefined],
  ["find", help("Find an installation.", "[PLACE]"), "read"],
  // The last word reads, and so does what stands above it
  ["stash list", help("List the stash entries that you have."), "read"],
  ["run list", help("List recent workflow runs"), "read"],
  ["rollout history", help("View previous rollout revisions and configurations."), "read"],
  ["get", help("Display one or many resources.", "RESOURCE"), "read"],
  ["list-units", help("List units currently in memory"), "read"],
  ["describe", help("Show details of a specific resource or group of resources."), "read"],
  // Another word, or the description, says otherwise
  ["list add", help("Add an item", "ITEM"), "write"],
  ["logs off", help("Turn off logging for good"), undefined],
  ["logs clear", help("Clear the logs"), "destructive"],
  ["create-view", help("Create a view", "NAME"), "write"],
  ["find-and-replace", help("Find and replace a text"), undefined],
  ["freeze", help("Suspend the processes of a unit", "UNIT"), undefined],
  ["get", help("Download packages and change the manifest", "[PACKAGE]"), undefined],
  ["describe", help("Update the description of a change"), undefined],
  ["show", help("Display and rotate the root key"), undefined],
  ["show", help("Show the version or bumps it by a rule"), undefined],
  ["log-level", help("Get/set the logging threshold", "[LEVEL]"), undefined],
  ["status", help("Get/set the state", "[STATE]"), undefined],
  ["show", help("Show or set the default model"), undefined],
  ["show", help("Show the state. It can also set another one."), undefined],
  ["show", `${help("Show the root key.")}\n  --roll  Make a new key\n`, "read"],
  ["check", `${help("Check the repository.")}\n  --repair  Mend what is found\n`, "read"],
  ["models default", help("Show the default model", "[MODEL]"), undefined],
  ["version", help("Show the version of the project", "[VERSION]"), undefined],
  ["version", help("Show the version of the program"), "read"],
  ["env put", help("Set a variable for good"), undefined],
  ["item put", help("Add an item, or replace one"), undefined],
  // The description is enough if it can mean nothing else
  ["dialects", help("Show the dialects that there are"), "read"],
  ["page-meta", help("Give details of a page", "FILE"), "read"],
  ["mark", help("List the messages, clearing the marks"), undefined],
  ["level", help("Show the level", "[LEVEL]"), undefined],
  [
    "diff",
    `${help("Show what differs", "FILE OTHER")}\n  --expires TIME  For public diffs\n`,
    undefined,
  ],
  ["show", help("Show a page", "FILE OUTPUT"), undefined],
  ["show", `${help("Show a page")}\n  --config FILE  Settings  [required]\n`, undefined],
  ["check perf", help("Check the performance of the cluster"), undefined],
  // What is evaluated may do anything
  ["query", help("Execute SQL and return the results as JSON", "PATH SQL"), undefined],
  ["search", help("Search a table", "TABLE SQL"), undefined],
  ["show", `${help("Show rows.")}\n  --sql SQL  The rows\n`, undefined],
  ["dump", `${help("Output the schema.")}\n  --load-extension PATH  Path to it\n`, "read"],
  ["find", help("Search for files in a directory", "[PATH] [EXPRESSION]"), undefined],
  ["list", `${help("List issues.")}\n  --jq EXPRESSION  Filter JSON output by it\n`, "read"],
];

/** What prints credentials, and beside it what is like it and stays. */
const credentials: readonly [words: string, description: string, isLeftOut: boolean][] = [
  ["auth token", "Print the authentication token", true],
  ["auth print-access-token", "Print an access token", true],
  ["secrets get", "Get a value", true],
  ["keys get", "Return the value of a stored key", true],
  ["secrets versions access", "Access a version's data", true],
  ["config dump", "Dump the config file as JSON", true],
  ["config show", "Print (decrypted) config file", true],
  ["swarm unlock-key", "Manage the unlock key", true],
  ["credential fill", "Fill what is given", true],
  ["secret list", "List the secrets of a repository", false],
  ["secret set", "Create or update secrets", false],
  ["token revoke", "Revoke a token", false],
  ["auth status", "Display the active account", false],
  ["get", "Display one or many resources", false],
];

for (const [words, text, effect] of effects) {
  const [description] = text.split("\n");
  const options = /^ {2}-.*/m.exec(text)?.[0] ?? "";
  Deno.test(`generate() says '${effect ?? "nothing"}' of ${words}: ${description}${options}`, async () => {
    const draft = await draftOf(words, text);
    assert.equal(draft.effect, effect, draft.text);
    const isUnknown = /# effect: unknown, .*; clients expect the worst/.test(draft.text);
    assert.equal(isUnknown, effect === undefined);
  });
}

for (const [words, description, isLeftOut] of credentials) {
  Deno.test(`generate() ${isLeftOut ? "leaves out" : "keeps"} ${words}: ${description}`, async () => {
    const text = help(description);
    if (!isLeftOut) return void await draftOf(words, text);
    await assert.rejects(draftOf(words, text), (error: ClimaxError) => {
      return error.problems[0]!.message === `'x ${words}' prints credentials, by its help`;
    });
    // A person may want it, and then it is still nothing that only reads
    assert.equal((await draftOf(words, text, [words])).effect, undefined);
  });
}

for (
  const [words, description, reason] of [
    ["completion", "Generate the completion script for a shell", "completes commands in a shell"],
    ["up", "Dev server with live reload", "does not end"],
    ["preview", "Locally preview the production build", "does not end"],
    ["connect", "Log in via browser", "waits for a person"],
    ["login", "Log in.\n\n  --no-browser  Print the address", "waits for a person"],
  ] as const
) {
  Deno.test(`generate() makes no tool of ${words}: ${description}`, async () => {
    const text = `${help(description.split(".")[0]!)}${description.replace(/^[^.]*\.?/, "")}\n`;
    await assert.rejects(draftOf(words, text), (error: ClimaxError) => {
      return error.problems[0]!.message === `'x ${words}' ${reason}, by its help`;
    });
  });
}

/** Rows of options, and the reason to leave them out of a tool that reads; undefined for those that stay. */
const options: readonly [row: string, reason: RegExp | undefined][] = [
  ['--output  where to output results, a name or "output.<format>"  [string]', /can write/],
  ["--log VALUE  Write a log to the given file", /can write/],
  ["--ruleset VALUE  Path of a ruleset", /may load settings or code/],
  ["--default-config VALUE  Set path to a configuration file", /may load settings or code/],
  [
    "--standard VALUE  The name of, or the path to, the coding standard to use",
    /may load settings or code/,
  ],
  ["-C SETTINGS_PATH  It is read first", /may load settings or code/],
  ["--look VALUE  Directory with custom templates", /may load settings or code/],
  ["--printer VALUE  TestListener implementation to use", /may load settings or code/],
  ["--follow  Follow new output", /waits for a person/],
  ["--follow  Follow symlinks", undefined],
  ["--start-server  Look at it there", /waits for a person/],
  ["--heading  Headings (default: on when used interactively)", undefined],
  ["--try-run  Runs the command without creating anything", undefined],
  ["--version TEXT  Render the news using given version", /can write/],
  ["--resolver VALUE  Path to a custom resolver instance", /may run/],
  ["--syntax VALUE  A module name or path to a JS file", /may run/],
  ["--vcs VALUE  May be any system command that lists files", /may run/],
  ["--renew-hook VALUE  A hook. The hook is executed at the end", /may run/],
  ["--require LIBRARY  Require the specified library", /may run/],
  ["--load-path DIR  Look for libraries to load in it", /may run/],
  ["--settings VALUE  Read command line switches from <file>", /may hold other options/],
  ["--delete-format FORMAT  Format of the deletions", /can write/],
  ["--commit  Make it last", /can write/],
  ["--sink VALUE  Destination of the listing", /can write/],
  ["--pick <cmd>  Select rows", /may run/],
  ["--inline VALUE  Inline python", /may run/],
  ["--output VALUE  Output format", undefined],
  ["--no-input  Do not prompt for parameters", undefined],
  ["--batch  Run in non-interactive mode", undefined],
  ["--yes  Accept all defaults without interactive input", undefined],
  ["--defaults  Skip the interactive prompts", undefined],
  ["--pick  Interactively choose, never twice", /waits for a person/],
  ["--external  Enable the execution of external commands", /can run or write/],
  ["--anywhere  Allow paths outside, at any path", /can run or write/],
  ["--quick  Much faster (UNSAFE)", /can run or write/],
  ["--free  Disables the safety checks", /can run or write/],
  ["--no-sandbox  Less of it", /can run or write/],
  ["--no-hooks  Do not run hooks", undefined],
  ["--plain  Disables plugins and the hooks that run scripts", undefined],
  ["--profile-dump VALUE  Saves the profile to a .prof file", /can write/],
  ["--plugin LIST  Names, separated by commas", /may load settings or code/],
  ["--rule-file VALUE  File with rules to ignore", /may load settings or code/],
  ["--template VALUE  Template string, or path to a template file", /may load settings or code/],
  ["--links  Only unsafe links are shown", undefined],
  ["--tokens  Output lexer tokens", undefined],
  ["--target VALUE  Assume the version of the interpreter that runs it", /can write/],
  ["--width VALUE  Width of the table", undefined],
  ["--modify CMD  Command line for the modify action", /can write/],
  // The words are about something else than the value
  ["--wrapper VALUE  An output wrapper for a JavaScript module", /can write/],
  ["--prefix VALUE  Path prefix to be removed from CommonJS module names", undefined],
  ["--level VALUE  The level for the JavaScript code under compilation", /can write/],
  ["--app VALUE  App to run command against", /can write/],
  ["--abi VALUE  Use it. It is known by the running interpreter", /can write/],
  ["--set-scripts-executable  Make scripts executable", undefined],
  ["--no-run-if-empty  If there are no arguments, then do not run COMMAND", undefined],
  ["--all  Write counts for all files, not just directories", undefined],
  ["--tag  Create a BSD-style checksum", undefined],
  ["--relative-to DIR  Print the resolved path relative to DIR", undefined],
  ["--address VALUE  Connect to the bus at it", /can write/],
  ["--author NAME  Limit what is shown to one author", undefined],
  ["--first [-]NUM  Print the first NUM of them", undefined],
  ["--look VALUE  Change the output format to JSON or a Go template", undefined],
  ["--dump  Write the table to a file", /can write/],
  ["--defs TEXT  Python code block or file path defining functions", /can write/],
  ["--again  Rerun it when the last level is reached", /can write/],
  ["--meta VALUE  Take it; if a path is given, write it there", /can write/],
  ["--map  Create a source map", /can write/],
  ["--cache  Use it to only check what changed", /can write/],
  ["--print0  Terminate filenames with ASCII NUL", undefined],
  ["--truncate-set1  First truncate ARRAY1 to length of ARRAY2", undefined],
  ["--no-interaction  Do not ask any interactive question", undefined],
  ["--template TEMPLATE  Display with it", /can write/],
  ["--python PYTHON  The Python interpreter for which packages are listed", /may run/],
  ["--run-posthook  Run the posthook command without prompting", /can write/],
  ["--diff-opts VALUE  Options to pass to diff", /can write/],
  ["--browser VALUE  The browser that is called to open websites", /may run/],
  ["--code TEXT  Python code defining a function", /may run/],
  ["--sign-with PROG_NAME  GPG program used to sign uploads", /may run/],
  ["--watch SECONDS  Watch the output on an interval", /does not end/],
];

for (const [row, reason] of options) {
  Deno.test(`generate() ${reason ? "leaves out" : "keeps"} ${row}`, async () => {
    const { text, effect } = await draftOf(
      "lint",
      `${help("Lint the documents of a project")}\n  ${row}\n`,
    );
    const [flag] = row.split(" ");
    assert.equal(effect, "read", text);
    assert.equal(text.includes(`flag: "${flag}`), reason === undefined, text);
    const line = text.split("\n").find((each) =>
      /^ {2}# left out/.test(each) && each.includes(flag!)
    );
    if (reason !== undefined) assert.match(line ?? "", reason);
  });
}

/** Rows of options of a tool that may write, and what is written of each: some are put back. */
const values: readonly [row: string, written: RegExp, isPutBack?: true][] = [
  ["--config VALUE  Path of the configuration file", /within: \./, true],
  ["--ruleset VALUE  Rules to use", /within: \./, true],
  ["--settings VALUE  Read command line switches from <file>", /within: \./, true],
  ["--resolver VALUE  Path to a custom resolver module", /within: \./, true],
  // These values are not loaded
  ["--rules LIST  Comma list of rules to exclude, beside those of the config file", /flag: /],
  ["--line-template TEXT  Format string, such as {name}", /flag: /],
  ["--template NAMES  Names of the blocks in the template file", /flag: /],
  ["--config-set KEY=VALUE  Another setting than the config file has", /flag: /],
];

for (const [row, written, isPutBack] of values) {
  Deno.test(`generate() writes ${written} of ${row}`, async () => {
    const text = `${help("Mend the documents of a project")}\n  ${row}\n`;
    const draft = await draftOf("mend", text, isPutBack && [row.split(" ")[0]!]);
    assert.match(draft.text, written);
    assert.equal(draft.text.includes("effect: destructive"), isPutBack === true);
  });
}

Deno.test("generate() takes no place before a colon as a file of a tool that reads", async () => {
  const usage = "Usage: x lint [FILE...]\n\nLint the documents of a project\n";
  const { text } = await draftOf("lint", usage);
  assert.match(text, /within: \.\n[^]*excludes: \[":"\]/);
});

Deno.test("generate() takes the name of a program for no evidence that it only reads", async () => {
  const text = "Usage: find-and-replace [options] TEXT\n\nOptions:\n  --word  Whole words\n";
  const source = capturedHelp([{ words: ["find-and-replace"], text }]);
  assert.doesNotMatch((await generate(["find-and-replace"], { source })).text, /effect: read/);
});

Deno.test("generate() leaves out an option that prints credentials, and says so", async () => {
  const rows = "  --raw  Display raw byte data and sensitive data\n  --all  Display all of it\n";
  const { text, effect } = await draftOf("config view", `${help("Display the settings")}\n${rows}`);
  assert.match(text, /# left out, can print credentials: --raw\n/);
  assert.match(text, /flag: "--all"\n/);
  assert.equal(effect, "read");
});
