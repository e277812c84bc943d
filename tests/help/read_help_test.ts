/** Small helps, one for each layout, and what is read in them. */

import assert from "node:assert/strict";
import { readHelp } from "../../src/help/read_help.ts";
import { shapeOf } from "./_shape.ts";
import { assertLinear } from "../_growth.ts";

interface Case {
  readonly layout: string;
  readonly words: readonly string[];
  readonly text: string;
  readonly options: readonly string[];
  /** `name!` must be there, `name...` is a list. */
  readonly positionals?: readonly string[];
  readonly subcommands?: readonly string[];
  readonly description?: string;
}

const cases: readonly Case[] = [
  {
    layout: "argparse",
    words: ["feed"],
    text:
      `usage: feed [-h] [--amount N] --kind {hay,oats} [--log LOG [LOG ...]] [-q] stall [stall ...]

Feed what lives in the stalls.

positional arguments:
  stall                 where to feed

options:
  -h, --help            show this help message and exit
  -a N, --amount N      how many pounds (default: 2)
  --kind {hay,oats}     what to feed
  --log LOG [LOG ...]   where to write; --quiet does not
                        keep it from being written
  -q, --quiet           say nothing
`,
    options: [
      "-h,--help boolean",
      "-a,--amount integer =2",
      "--kind string hay|oats required",
      "--log string spread",
      "-q,--quiet boolean",
    ],
    positionals: ["stall!..."],
    description: "Feed what lives in the stalls.",
  },
  {
    layout: "argparse",
    words: ["farm"],
    text: `usage: farm [-h] {feed,sell} ...

positional arguments:
  {feed,sell}
    feed         Feed the animals.
    sell         Sell one.

options:
  -h, --help  show this help message and exit
`,
    options: ["-h,--help boolean"],
    subcommands: ["feed", "sell"],
  },
  {
    layout: "click",
    words: ["feed"],
    text: `Usage: feed [OPTIONS] [STALLS]...

  Feed what lives in the stalls.

Options:
  -n, --amount INTEGER RANGE  Pounds  [default: 2; x>=1]
  --kind [hay|oats]           What to feed  [required]
  --wet / --dry               Whether to add water
  --help                      Show this message and exit.
`,
    options: [
      "-n,--amount integer =2",
      "--kind string hay|oats required",
      "--wet,!--dry boolean",
      "--help boolean",
    ],
    positionals: ["STALLS..."],
  },
  {
    layout: "click",
    words: ["feed"],
    text: `
 Usage: feed [OPTIONS] STALL

 Feed what lives in one stall.

╭─ Arguments ───────────────────────────────╮
│ *    stall      TEXT  [required]          │
╰───────────────────────────────────────────╯
╭─ Options ─────────────────────────────────╮
│ *  --kind    -k      TEXT     What to feed│
│    --amount          INTEGER  Pounds      │
│    --wet                      With water  │
│    --help                     Show this…  │
╰───────────────────────────────────────────╯
`,
    options: ["--kind,-k string required", "--amount integer", "--wet boolean", "--help boolean"],
    positionals: ["STALL!"],
  },
  {
    layout: "clap",
    words: ["feed"],
    text: `Feed what lives in the stalls

Usage: feed [OPTIONS] <STALL> [-- [REST]...]

Arguments:
  <STALL>  Where to feed

Options:
  -a, --amount <AMOUNT>
          Pounds
          
          [default: 2]

      --kind <KIND>
          What to feed

          Possible values:
          - hay:  dry grass
          - oats: with \`--amount\` only

  -t, --tag <TAG>...  Marks
  -v, --verbose...    Say more
  -h, --help          Print help
`,
    options: [
      "-a,--amount integer =2",
      "--kind string hay|oats",
      "-t,--tag string repeated",
      "-v,--verbose boolean",
      "-h,--help boolean",
    ],
    positionals: ["STALL!"],
  },
  {
    layout: "cobra",
    words: ["farm", "feed"],
    text: `Feed what lives in the stalls

Usage:
  farm feed STALL [flags]

Flags:
  -n, --amount int           pounds (default 2)
      --dry-run string[="client"]   only say so
  -h, --help                 help for feed
      --tag strings          marks
  -w, --wet                  with water

Global Flags:
      --farm string   which farm
`,
    options: [
      "-n,--amount integer =2",
      "--dry-run string optional",
      "-h,--help boolean",
      "--tag string repeated",
      "-w,--wet boolean",
      "--farm string",
    ],
    positionals: ["STALL!"],
  },
  {
    layout: "yargs",
    words: ["feed"],
    text: `feed <stall>

Feed what lives in one stall

Options:
      --version  Show version number                                   [boolean]
      --help     Show help                                             [boolean]
  -a, --amount   Pounds                                    [number] [default: 2]
      --kind     What to feed                  [string] [choices: "hay", "oats"]
      --tag      Marks                                                   [array]
`,
    options: [
      "--version boolean",
      "--help boolean",
      "-a,--amount number =2",
      "--kind string hay|oats",
      "--tag string repeated",
    ],
    positionals: ["stall!"],
  },
  {
    layout: "commander",
    words: ["feed"],
    text: `Usage: feed [options] <stall> [more...]

Feed what lives in the stalls

Options:
  -a, --amount <number>  pounds (default: "2")
  --kind <kind>          what to feed (choices: "hay", "oats")
  --log [file]           write a log
  -t, --tag <tags...>    marks
  -h, --help             display help for command
`,
    options: [
      "-a,--amount integer =2",
      "--kind string hay|oats",
      "--log string optional",
      "-t,--tag string repeated",
      "-h,--help boolean",
    ],
    positionals: ["stall!", "more..."],
  },
  {
    layout: "oclif",
    words: ["farm", "feed"],
    text: `Feed what lives in one stall

USAGE
  $ farm feed STALL --kind hay|oats [-a <value>] [--[no-]wet]

ARGUMENTS
  STALL  where to feed

FLAGS
  -a, --amount=<value>  [default: 2] pounds
      --kind=<option>   (required) what to feed
                        <options: hay|oats>
      --[no-]wet        with water

DESCRIPTION
  Feed what lives in one stall
`,
    options: [
      "-a,--amount integer =2",
      "--kind string hay|oats required",
      "--wet,!--no-wet boolean",
    ],
    positionals: ["STALL!"],
  },
  {
    layout: "go flag",
    words: ["feed"],
    text: `usage: feed [flags] [stall ...]
  -amount int
    \tpounds (default 2)
  -kind string
    \twhat to feed
  -w\twith water
`,
    options: ["-amount integer =2", "-kind string", "-w boolean"],
    positionals: ["stall..."],
  },
  {
    layout: "dotnet",
    words: ["feed"],
    text: `Description:
  Feed what lives in one stall

Usage:
  feed <stall> [options]

Arguments:
  <stall>  Where to feed

Options:
  --kind <Hay|Oats> (REQUIRED)  What to feed
  --amount <amount>             Pounds [default: 2]
  -?, -h, --help                Show help and usage information
`,
    options: ["--kind string Hay|Oats required", "--amount integer =2", "-?,-h,--help boolean"],
    positionals: ["stall!"],
  },
  {
    layout: "git",
    words: ["git", "feed"],
    text: `usage: git feed [<options>] [--] <stall>...
   or: git feed remove <stall>

    -q, --[no-]quiet      say nothing
    -n, --amount <n>      pounds
    --[no-]log[=(all|some)]
                          write a log

`,
    options: [
      "-q,--quiet,!--no-quiet boolean",
      "-n,--amount integer",
      "--log,!--no-log string all|some optional",
    ],
    positionals: ["stall!..."],
    subcommands: ["remove"],
  },
  {
    layout: "man",
    words: ["feed"],
    text: `NAME
    feed - give to eat

SYNOPSIS
    feed STALL [--amount=AMOUNT; default=2] [--tags=TAG,[TAG,...]]

DESCRIPTION
    Feeds what lives in one stall. See
    --tags, --amount for more.

FLAGS
     --amount=AMOUNT; default=2
        Pounds.

     --tags=TAG,[TAG,...]
        Marks.
`,
    options: ["--amount integer =2", "--tags string joined"],
    positionals: ["STALL!"],
  },
  {
    layout: "npm",
    words: ["npm", "feed"],
    text: `Feed a package

Usage:
npm feed [<stall> ...]

Options:
[-q|--quiet] [--kind <hay|oats>]
[--tag <tag> [--tag <tag> ...]]

  -q|--quiet
    Say nothing

  --kind
    What to feed

  --tag
    Marks
`,
    options: ["-q,--quiet boolean", "--kind string hay|oats", "--tag string repeated"],
    positionals: ["stall..."],
  },
  {
    layout: "gnu",
    words: ["feed"],
    text: `Usage: feed [OPTION]... STALL [HELPER]
Feed what lives in one stall.

  -a, --amount=NUM      pounds
      --color[=WHEN]    when to use colors; -q takes them away,
                        --quiet too
  -q, --quiet           say nothing
`,
    options: ["-a,--amount integer", "--color string optional", "-q,--quiet boolean"],
    positionals: ["STALL!", "HELPER"],
    description: "Feed what lives in one stall.",
  },
  {
    layout: "gnu",
    words: ["feed"],
    text: `
  Feed animals. By name or stall.

  Usage
    $ feed [<name|stall> …]

  Options
    --amount <N>, -a <N>  Pounds
    --quiet -q            Say nothing

  Examples
    $ feed cow
`,
    options: ["--amount,-a integer", "--quiet,-q boolean"],
    positionals: ["name_or_stall..."],
    description: "Feed animals. By name or stall.",
  },
  {
    layout: "gnu",
    words: ["feed", "all"],
    text: `Feeds all animals.

Usage: feed all [--dry] [--kind=
<COW|HEN>]... [
--since=DAY] [--quiet] [STALL]...

Options that change what is fed.
    --kind=<COW|HEN>  Only these
    --since=DAY       Only those that came since then

Available positional items:
    STALL             Where to feed

Available options:
    --dry             Only say what would be done
    --quiet           Say nothing
`,
    options: ["--kind string repeated", "--since string", "--dry boolean", "--quiet boolean"],
    positionals: ["STALL..."],
  },
  {
    layout: "clap",
    words: ["feed"],
    text: `feed 1.2.3
Ada Farmer <ada@farm.example>
Feed all animals from:

- the barn.
- the field.

USAGE:
    feed [OPTIONS]

OPTIONS:
    -h, --help    Print help
`,
    options: ["-h,--help boolean"],
    description: "Feed all animals from: the barn; the field",
  },
];

for (const [index, each] of cases.entries()) {
  Deno.test(`readHelp() reads the layout of ${each.layout} (${index})`, () => {
    const help = readHelp(each.text, each.words);
    assert.equal(help.layout, each.layout);
    assert.deepEqual(help.options.map(shapeOf), each.options);
    const positionals = help.positionals.map(({ name, required, value }) => {
      return `${name}${required ? "!" : ""}${value.list === undefined ? "" : "..."}`;
    });
    assert.deepEqual(positionals, each.positionals ?? []);
    assert.deepEqual(help.subcommands.map(({ name }) => name), each.subcommands ?? []);
    if (each.description !== undefined) assert.equal(help.description, each.description);
    assert.deepEqual(help.unread, []);
  });
}

Deno.test("readHelp() takes letters that are printed twice to be bold once", () => {
  const bold = (text: string) => [...text].map((letter) => `${letter}\b${letter}`).join("");
  const text = `${bold("NAME")}\n    feed\n\n${bold("SYNOPSIS")}\n    feed\n\n${
    bold("OPTIONS")
  }\n    ${bold("--wet")} (boolean)\n        water\n`;
  assert.deepEqual(readHelp(text, ["feed"]).options.map(shapeOf), ["--wet boolean"]);
});

Deno.test("readHelp() takes a paragraph about options for no option", () => {
  const text = `Usage: feed [OPTION]...

GLOBAL FLAGS
    These are available to all commands: --account, --amount,
    --billing, --configuration, --file,
    --trace.
`;
  assert.deepEqual(readHelp(text, ["feed"]).options, []);
});

Deno.test("readHelp() takes linear time for any text", async () => {
  const texts: readonly ((size: number) => string)[] = [
    (size) => "-".repeat(size),
    (size) => `Options:\n  --a ${"[<{(".repeat(size)}`,
    (size) => `Usage: x ${"[a ".repeat(size)}`,
    (size) => `Options:\n  --kind  one of ${"a, ".repeat(size)}`,
    (size) => `${"  -a  b\n".repeat(size)}`,
    (size) => `  --a ${" ".repeat(size)}x`,
    (size) => `usage: ${"a|".repeat(size)}`,
    (size) => `  --x ${"word ".repeat(size)}`,
    (size) => `${"  -a  one  -b  two\n".repeat(size)}`,
    (size) => `  -a  ${"-b  c  ".repeat(size)}\n`.repeat(2),
    (size) => `  ${"-a FILE ".repeat(size)}\n`.repeat(2),
    (size) => `Usage: x ${"A | ".repeat(size)}B ... ${"N ".repeat(size)}`,
    (size) => `Usage: x (${"a|".repeat(size)}b)`,
    (size) => `Commands:\n  a\n    b* ${"[c] ".repeat(size)}d e`,
    (size) => `Usage:\n${"  x [options] a <b>\n".repeat(size)}`,
    (size) => `Options:\n  --a [b |\n${"  c |\n".repeat(size)}`,
    (size) => `Options:\n  --a  ${"[a [b [c ".repeat(size)}`,
    (size) => `Usage: x ${"[-a b | c ".repeat(size)}`,
    (size) => `x ${"a ".repeat(size)}${"[A ".repeat(size)} b\nCommands: ${"a ".repeat(size)}.`,
  ];
  for (const textOf of texts) {
    await assertLinear((size) => {
      const text = textOf(size);
      return () => readHelp(text, ["x"]);
    }, { size: 1_000, what: textOf(2) });
  }
});

Deno.test("readHelp() accounts for positional arguments", () => {
  const { positionals, lostPositionals } = readHelp(
    "Usage: say [options] <number>\n\nArguments:\n  amount    How much to say\n",
    ["say"],
  );
  assert.deepEqual(lostPositionals, []);
  assert.deepEqual(positionals.map(({ description, value }) => [description, value.type]), [
    ["How much to say", "number"],
  ]);
  assert.deepEqual(
    readHelp("Usage: say ((TYPE) (NAME))\n", ["say"]).lostPositionals,
    [
      "TYPE",
      "NAME",
    ],
  );
});
