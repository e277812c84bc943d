import assert from "node:assert/strict";
import { join } from "node:path";
import { load } from "js-yaml";
import { programHelp } from "../../src/setup/help_source.ts";
import { generate, type Generated, type GenerateOptions } from "../../src/setup/generate.ts";
import { ClimaxError } from "../../src/errors.ts";
import { capturedHelp, readCorpus } from "../help/_corpus.ts";
import { scratch } from "../e2e/_scratch.ts";
import { type Farm, farm, writeFarm } from "./_farm.ts";
import { unix } from "../_requirements.ts";

/** What is written for `farm`, really asked. */
async function ofFarm(
  program: Farm,
  options: Partial<GenerateOptions> = {},
): Promise<Generated & { readonly asked: readonly string[] }> {
  await using dir = await scratch();
  const path = writeFarm(dir.path, program);
  await using source = await programHelp({ path });
  const written = await generate(["farm"], { source, ...options });
  const log = await Deno.readTextFile(join(dir.path, "farm.log"));
  const asked = log.trim().split("\n").map((words) => `farm ${words}`);
  return { ...written, asked };
}

interface Written {
  readonly tools: readonly Record<string, unknown>[];
  readonly [key: string]: unknown;
}

function toolNamed(text: string, name: string): Record<string, unknown> {
  return (load(text) as Written).tools.find((tool) => tool["name"] === name)!;
}

unix.test("generate() writes a tool for each command, with nothing run but help", async () => {
  const { text, asked, tools } = await ofFarm(farm);
  assert.deepEqual(asked.toSorted(), ["farm --help", "farm list --help", "farm sell --help"]);
  assert.equal(tools, 2);
  assert.deepEqual(toolNamed(text, "farm_list"), {
    name: "farm_list",
    description: "List the animals",
    command: "list",
    effect: "read",
    args: [
      { name: "kind", description: "only these", enum: ["cow", "hen"], flag: "--kind=" },
      {
        name: "limit",
        description: "at most so many; default is 20",
        type: "integer",
        flag: "--limit=",
      },
      {
        name: "tag",
        description: "only with these tags",
        type: "array",
        items: { type: "string" },
        pattern: "(?s)-?|[^-].*",
        flag: "--tag=",
      },
    ],
  });
  assert.match(text, /effect: read # guess: 'list'/);
  assert.match(text, /type: integer # guess/);
  assert.match(text, /# left out, waits for a person, or does not end: --watch/);
  assert.match(text, /# left out, may run what it is given: --hook/);
});

unix.test("generate() refuses to put an option back that it did not find", async () => {
  await assert.rejects(ofFarm(farm, { include: ["--hok"] }), (error: ClimaxError) => {
    assert.deepEqual([error.exitCode, error.problems], [2, [
      {
        message: "No option '--hok' was found in the help of 'farm'",
        hint: "Did you mean: --hook",
      },
    ]]);
    return true;
  });
});

unix.test("generate() asks only for what is included and not too deep", async () => {
  const one = await ofFarm(farm, { include: ["li*"] });
  assert.deepEqual(one.asked, ["farm --help", "farm list --help"]);
  assert.equal(one.tools, 1);
  assert.match(
    (await ofFarm(farm, { maxCommands: 2 })).losses.join(),
    /farm sell \(too deep, or too many\)/,
  );
  await assert.rejects(ofFarm(farm, { depth: 0 }), /Nothing was written/);
});

unix.test("generate() tells the commands before it asks for them", async () => {
  const told: string[][] = [];
  await ofFarm(farm, { onPlan: (commands) => told.push(commands.map((each) => each.join(" "))) });
  assert.deepEqual(told, [["farm"], ["farm list", "farm sell"]]);
});

unix.test("generate() says so when there is no help", async () => {
  await using dir = await scratch();
  const path = writeFarm(dir.path, { helps: {} });
  await using source = await programHelp({ path });
  await assert.rejects(generate(["farm"], { source }), (error) => {
    assert.equal(error instanceof ClimaxError, true);
    const [problem] = (error as ClimaxError).problems;
    assert.equal(
      problem?.message,
      "'farm' prints no help: it ended with exit code 2: farm: unknown command",
    );
    return true;
  });
});

unix.test("generate() writes again what it wrote before", async () =>
  assert.equal((await ofFarm(farm)).text, (await ofFarm(farm)).text));

/** The config for one captured help, or one that is given. */
async function ofText(program: string, text?: string, options: Partial<GenerateOptions> = {}) {
  const parts = text === undefined ? await readCorpus(program) : [{ words: [program], text }];
  return await generate([program], { source: capturedHelp(parts), ...options });
}

Deno.test("generate() finds the positional arguments of a usage over several lines", async () => {
  const { text, losses } = await ofText("biome");
  assert.doesNotMatch(losses.join(), /Positional/);
  const [path] = toolNamed(text, "biome_lint")["args"] as Record<string, unknown>[];
  assert.equal(path!["name"], "path");
  assert.deepEqual([path!["positional"], path!["type"]], [true, "array"]);
});

Deno.test("generate() leaves out what does not end, unless it is asked for", async () => {
  const { text, losses } = await ofText("biome");
  assert.equal(toolNamed(text, "biome_lsp_proxy"), undefined);
  assert.match(losses.join(), /biome lsp-proxy \(does not end\)/);
  const kept = await ofText("biome", undefined, { include: ["lsp-proxy"] });
  assert.equal(kept.tools, 1);
});

Deno.test("generate() requires what keeps a program from waiting for a person", async () => {
  const tool = toolNamed((await ofText("fkill")).text, "fkill");
  assert.equal(tool["effect"], "destructive");
  const [target] = tool["args"] as Record<string, unknown>[];
  assert.deepEqual([target!["required"], target!["positional"], target!["type"]], [
    true,
    true,
    "array",
  ]);
  const alone = "Talks.\n\nUsage: talk [--loud]\n\n  --loud  Speak up\n\n" +
    "Run without arguments to use the interactive mode.\n";
  await assert.rejects(ofText("talk", alone), (error: ClimaxError) => {
    return error.problems[0]!.message === "'talk' waits for a person, by its help";
  });
});

Deno.test("generate() refuses a help that says nothing of the program", async () => {
  await assert.rejects(ofText("tmux"), (error: ClimaxError) => {
    assert.deepEqual(error.problems.map(({ message }) => message), [
      "'tmux' needs 'command', of which nothing could be read, by its help",
    ]);
    return error.exitCode === 1;
  });
});

Deno.test("generate() says whose help does not say what it is for", async () => {
  const { text, losses } = await ofText("prettier");
  assert.ok(losses.includes("No description found (1): prettier"), losses.join("\n"));
  assert.match(text, /# its help does not say what it is for: write that\n/);
  assert.doesNotMatch(text, /By default, output is written/);
});

Deno.test("generate() keeps the names of folders and cuts at sentences", async () => {
  const listed = (await ofText("ls")).text;
  assert.match(listed, /description: do not ignore entries starting with \.\n/);
  assert.match(listed, /description: do not list implied \. and \.\.\n/);
  assert.match(listed, /effect: read # guess: 'ls'\n/);
  for (const program of ["http", "biome", "prettier", "git", "docker"]) {
    const { text } = await ofText(program);
    assert.doesNotMatch(text, /description: .*:"?\n/, program);
    assert.doesNotMatch(text, /Layout:|needs not/);
  }
});

for (const program of ["gh", "git", "docker", "kubectl", "jq", "rg", "rsync", "psql"]) {
  Deno.test(`generate() writes a config that loads for ${program}`, async () => {
    const source = capturedHelp(await readCorpus(program));
    const { tools, text } = await generate([program], { source });
    assert.ok(tools > 0);
    assert.equal(text.includes("undefined"), false);
  });
}

for (const program of ["dd", "mkfs.ext4", "/usr/bin/tee", "mv", "bash", "python3", "xargs"]) {
  Deno.test(`generate() says that ${program} is destructive, whatever its help says`, async () => {
    const { text } = await ofText(program, "Print what it does.\n\nUsage: x [OPERAND]...\n");
    assert.match(text, /effect: destructive # guess: '\w+'\n/);
  });
}

/** Helps, and lines of what is written for them. */
const lines: readonly [help: string, expected: readonly string[]][] = [
  ["x version 1.0 of it\n\nUsage: x PATH\nDeletes all files at a path.\n", [
    "    effect: destructive # guess: its description",
  ]],
  // The usage has the options first, and the parser may read none behind a file
  [
    "Usage: x [options] [action] FILE\n\nWorks on files of a kind.\n\n  -a VALUE  Some text\n",
    [
      '    argv: ["{...}", ',
      "        within: .",
      '        pattern: "(?s)-?|[^-@].*"',
    ],
  ],
  // What begins with `@` is a file of options unless the parser is known to have none
  [
    "Usage: x [OPTION]...\n\nSpeaks.\n\n  --to=REF  A text\n",
    ['A text\n        pattern: "(?s)-?|[^-].*"'],
  ],
  [
    "Usage: x\n\nSpeaks.\n\n  --flagfile VAL  More of them\n  --extra VAL  A file with command-line options\n  --to VAL  A text\n",
    ["left out, may hold other options: --flagfile --extra"],
  ],
  // Programs of npm load such packages
  [
    "Usage: x [options]\n\nSpeaks.\n\nOptions:\n  -V, --version  output the version number\n  --reporters <a>  Which to use\n" +
    "  --store <a>  Another one\n  --resolver <ip>  A custom DNS server\n  -h, --help  display help for command\n",
    ["settings or code: --reporters --store\n", 'flag: "--resolver="'],
  ],
  [
    `Usage: x [flags]\n\nSpeaks.\n\nGlobal Flags:\n${
      Array.from({ length: 150 }, (_, at) => `  --b${at} string  A text (default 1)\n`).join("")
    }` +
    "  --needed string  required\n\nAvailable Commands:\n  run  Sign it now\n",
    ["Options left out; --include=--NAME puts one back (76): --b74", 'flag: "--needed="'],
  ],
  // Options of a group stand in front of its commands
  [
    "Usage: x [OPTIONS] COMMAND [ARGS]...\n\n  Signs what you own.\n\nOptions:\n  --file PATH  A place\n  --pair TEXT...  Two\n" +
    "  --loud / --quiet  Speak\n  --install-completion  Install it\n  --help  Show this message and exit.\n\nCommands:\n  run  Sign it now\n",
    [
      '    argv: ["{file?}", ',
      '"{loud?}", "{quiet?}", "run", "{...}"]',
      "itself: --install-completion --help",
    ],
  ],
  [
    "Usage: x PATHS\n\nSpeaks.\n\n  PATHS  The paths where to find modules\n\n  --output VAL  Generated OpenApi v3 path and name\n" +
    "  --map VAL  A map will be output to the specified path\n  --from=F  Read input from the files named in F\n" +
    "  --kind-of-files=TYPE  Assume that files are TYPE\n  --list VAL  File containing patterns\n",
    [
      "in F\n        within",
      "patterns\n        within",
      "are TYPE\n        pattern",
      "required: true\n        within",
      "name\n        within",
      "specified path\n        within",
    ],
  ],
  [
    "Usage: x NUMBER [@args-file] TEXT\n\nWorks on texts.\n\n  --shift=N  Lines, -1 for all\n  --to=REF  A text\n",
    ["        min: 0", '        pattern: "(?s)|[^@].*"', '        pattern: "(?s)-?|[^-@].*"'],
  ],
  [
    "Usage: x FILE\n\nWorks on texts.\n\n  --list-kinds  List the kinds\n",
    ["      - name: file\n        within: ."],
  ],
  [
    "Usage: x [-n N] [cmd [arg [arg ...]]]\n\nSpeaks.\n\nOptions:\n  -n N  Times\n\nlist commands with help\n",
    ["      - name: cmd\n"],
  ],
  // Values without a fixed number stand behind the files
  [
    "Usage: x FILE [--skip <code> [<code>] ...]\n\nWorks on files.\n\n  --skip <code> [<code>] ...  Codes\n",
    ['    argv: ["{...}", ["--skip", "{skip?}"]]'],
  ],
  [
    "Usage: x SOURCE DESTINATION\n\nWorks on files.\n\n  --out VALUE  Output file path\n",
    [
      "- name: source\n        required: true\n        within: .",
      "Output file path\n        within: .",
    ],
  ],
  [
    "Usage: x\n\nSpeaks to an API.\n\n  --path VALUE  Paths to reduce by\n",
    ['by\n        pattern: "(?s)-?|[^-@].*"'],
  ],
  // The first word would be letters of options
  [
    "Usage: x [OPTION...] [FILE]...\n\nKeeps files in an archive.\n\n  -f, --file=ARCHIVE  Use it\n",
    ['    argv: ["{...}", "--", "{file?}"]', '        flag: "--file="'],
  ],
  [
    "Usage: x PATTERN\n\nPrint the lines that match.\n\nExit status is 0 if any line matches, 1 otherwise.\n",
    ["    effect: read # guess: 'x'", '    exit_codes: { 1: "not: any line matches" } # guess'],
  ],
  [
    "Usage: x\n\nDisplay a live stream of numbers.\n\n  --no-stream  Only the first\n  --until TIME  End\n",
    ['        flag: "--no-stream"', "        value: true"],
  ],
  [
    "Usage: x\n\nMakes something of a file.\n\n  --map [FORM]  A map\n  --watch [PATH]  Again and again\n",
    [
      "  # left out, waits for a person, or does not end: --watch",
      '        flag: "--map"',
      '        flag: "--map="',
    ],
  ],
  [
    "Usage: x --cache-clear FILE\n\nMakes something of a file.\n\n  --cache-clear  Remove the cache\n",
    ["        effect: destructive # guess"],
  ],
  [
    "Usage: x [global options] command\n\nSigns what you own.\n\nCommands:\n  run  Sign it now\n\n" +
    "Global options:\n  --domain value  A domain\n  --email value  An address\n  --path value  A folder\n",
    ['    argv: ["{domain?}", "{email?}", "{path?}", "run", "{...}"]'],
  ],
  [
    "Usage: x\n\nSpeaks to a service.\n\n  --token TEXT  Token [default: abcdefgh]\n",
    ["        description: Token"],
  ],
];

for (const [help, expected] of lines) {
  Deno.test(`generate() writes ${expected[0]!.trim()}`, async () => {
    const below = "Usage: x run\n\nSign it now.\n\n  --must  What must be\n";
    const parts = [{ words: ["x"], text: help }, { words: ["x", "run"], text: below }];
    const { text } = await generate(["x"], { source: capturedHelp(parts) });
    for (const line of expected) assert.ok(text.includes(`${line}`), `${line}\n\n${text}`);
    assert.doesNotMatch(text, /abcdefgh/);
  });
}

/** The helps of a program and its command, and lines of what is written for the command alone. */
const ofCommand: readonly [above: string, own: string, expected: readonly string[]][] = [
  // Options of the program stand in front of the command
  [
    "usage: x [-h] [--db DB]\n         {list} ...\n\nKeeps your secrets safe.\n\npositional arguments:\n  {list}\n    list  Show all\n\n" +
    "options:\n  -h, --help  show this help message and exit\n  --db DB  A place\n",
    "usage: x list [-h] [-o O]\n\nThe list is long.\n\noptions:\n  -h, --help  show this help message and exit\n  -o O  An o\n",
    [
      "description: Keeps your secrets safe.\n",
      "description: Show all. The list is long.\n",
      "# effect: unknown, it may print credentials",
      'argv: ["{db?}", "list", "{...}"]',
    ],
  ],
  // One that makes an effect doubtful decides none, and a tool that only reads lacks it
  [
    "Usage: x [global options] command\n\nSigns what you own.\n\nCommands:\n  list  List the signs\n\n" +
    "Global options:\n  -f, --force  Overwrites existing files\n",
    "Usage: x list\n\nList the signs.\n\n  --all  All of them\n",
    ["only reads: --force\n", "    effect: read # guess: 'list'"],
  ],
];

for (const [above, own, expected] of ofCommand) {
  Deno.test(`generate() of one command writes ${expected[0]!.trim()}`, async () => {
    const source = capturedHelp([{ words: ["x"], text: above }, {
      words: ["x", "list"],
      text: own,
    }]);
    const { text } = await generate(["x", "list"], { source });
    for (const line of expected) assert.ok(text.includes(line), `${line}\n\n${text}`);
  });
}

Deno.test("generate() knows servers and groups, and what all commands have", async () => {
  const row = (name: string, usage: string, text: string) => ({
    words: ["x", ...name.split(" ")],
    text: `Usage: x ${name} ${usage}\n\n${text}\n\nOptions:\n  --disable  Disable this command\n`,
  });
  const helps = [
    {
      words: ["x"],
      text:
        "Usage: x COMMAND\n\nCommands:\n  start  Start a mock API\n  mcp  Start an (MCP) server\n  show  Show it\n  run  Do it\n",
    },
    row("start", "", "Start a mock API").text + "  --port N  Listen there\n",
    row("mcp", "", "Start an (MCP) server"),
    row(
      "show",
      "[OPTION]",
      "Show it\n\nSubcommands:\n  index  Dump the index\n  log  List what was done\n",
    ),
    row("show index", "", "Dump the index"),
    row("show log", "", "List what was done"),
    row("run", "COMMAND", "Run a command"),
  ].map((each) => typeof each === "string" ? { words: ["x", "start"], text: each } : each);
  helps[0]!.text += "\nSee all commands with --list\n";
  const { text, losses, tools } = await generate(["x"], { source: capturedHelp(helps) });
  assert.match(losses.join(), /More than its help has \(1\): See all commands with --list/);
  assert.match(losses.join(), /x start \(does not end\), x mcp \(does not end\)/);
  assert.equal(tools, 3);
  assert.deepEqual(text.match(/effect: .*/g), [
    "effect: read # guess: 'index'",
    "effect: read # guess: 'log'",
    "effect: destructive # guess: it runs 'COMMAND'",
  ]);
  const kept = await generate(["x"], {
    source: capturedHelp(helps),
    include: ["sh*", "run", "--disable"],
  });
  assert.match(kept.text, /effect: write # guess\n {8}flag: "--disable"/);
});

unix.test("generate() knows what starts Java, whose parsers read options from a file", async () => {
  await using dir = await scratch();
  const path = join(dir.path, "x");
  const help =
    "usage: x [-h] [--to TO]\n\nSpeaks.\n\noptions:\n  -h, --help  show this help message and exit\n  --to TO  A text\n";
  for (const [line, expected] of [["exec java -jar x.jar", "[^-@]"], ["exec x", "[^-]"]] as const) {
    const script = `#!/bin/sh\ncat <<'END'\n${help}END\nexit\n${line}\n`;
    await Deno.writeTextFile(path, script, { mode: 0o755 });
    await using source = await programHelp({ path });
    const { text } = await generate(["x"], { source });
    assert.ok(text.includes(`pattern: "(?s)-?|${expected}.*"`), text);
  }
});

Deno.test("generate() names the commands of a help that says nothing of them", async () => {
  const text =
    "Usage: x command\n\nStandard commands\nasn1       ca         dgst\nenc        req\n";
  await assert.rejects(ofText("x", text), (error: ClimaxError) => {
    return /'x asn1', 'x ca', 'x dgst'/.test(error.problems[0]!.hint ?? "");
  });
});

Deno.test("generate() drafts a command that also runs without its own commands", async () => {
  const form = (words: string) =>
    `Signs.\n\nUsage:\n  ${words} [flags]\n  ${words} [command]\n\nAvailable Commands:\n` +
    "  run         Sign\n\nFlags:\n  -s, --source string   a place\n  -h, --help   help for it\n";
  const parts = [["x"], ["x", "run"]].map((words) => ({ words, text: form(words.join(" ")) }));
  assert.match((await generate(["x"], { source: capturedHelp(parts) })).text, /name: x_run\n/);
});

Deno.test("generate() reads the manual page if the help is too thin", async () => {
  const page = "NAME\n  x - sign\n\nSYNOPSIS\n  x [--all] FILE\n\nOPTIONS\n  --all\n    Sign all\n";
  const thin = capturedHelp([{
    words: ["x"],
    text: "Usage: x command\n\nCommands:\n  a - list it\n",
  }]);
  const source = { ...thin, page: () => Promise.resolve(page) };
  assert.match((await generate(["x"], { source })).text, /description: Sign all\n/);
});

for (
  const text of [
    "Usage: x [options]\n\nMakes something of a file.\n",
    "Some text that is long, no more",
    `Usage: x\n\nSigns what you own.\n\n  --help  Print it\n\n${
      " [ sign ] ( -key <file> )\n".repeat(12)
    }`,
    "x [CMD] [OPTIONS]\n  Makes something of a file. Lists available commands.\n\nFlags:\n  --all  Make all\n",
  ]
) {
  Deno.test(`generate() refuses what can do nothing: ${JSON.stringify(text)}`, async () => {
    await assert.rejects(ofText("x", text), /Nothing was written/);
  });
}
