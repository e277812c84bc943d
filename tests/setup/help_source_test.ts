/** What is taken for the help of a program that is really asked, and what is said of one that prints none. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { generate } from "../../src/setup/generate.ts";
import { type HelpSource, programHelp } from "../../src/setup/help_source.ts";
import { findProgram } from "../../src/exec/find_program.ts";
import { unix } from "../_requirements.ts";
import { scratch, writeProgram } from "../e2e/_scratch.ts";

const usage = "Usage: x [options] FILE\\n\\nLooks at files of a kind\\n\\n  --all  All of it\\n";

/** Scripts, and the beginning of their help; undefined if it is none, with what is said instead. */
const programs: readonly [script: string, help: RegExp | undefined, reason?: RegExp][] = [
  [`#!/bin/sh\nprintf '${usage}'\n`, /^Usage: x/],
  ["#!/opt/gone/bin/python\n", undefined, /first line names '\/opt\/gone\/bin\/python'/],
  [
    "#!/bin/sh\nprintf 'Traceback of a program, in many lines\\nLibraryError: gone\\n' >&2; exit 1\n",
    undefined,
    /exit code 1: LibraryError: gone/,
  ],
  [
    "#!/bin/sh\nprintf 'Platform package x-linux is not installed\nRun it another way, or build it\n' >&2; exit 1\n",
    undefined,
    /exit code 1: Platform package/,
  ],
  // It did its work, and failed at it
  [
    "#!/bin/sh\nprintf 'ERROR  Failed: --tags\n    at run (/x.mjs:1:2)\n  --all\n'\n",
    undefined,
    /it ended with exit code 0: ERROR/,
  ],
  [`#!/bin/sh\nprintf '${usage}' | sed 's/x/'$EDITOR$BROWSER/\n`, /^Usage: falsefalse/],
  [
    `#!/bin/sh\nprintf '${usage}' | tr '\\n' '~' | sed 's/./&_/g' | tr '~_' '\\n\\0'\n`,
    /^Usage: x/,
  ],
  [
    `#!/bin/sh\n[ $1 = list ] && printf '${usage}' || printf 'Usage:\\n  list [options] [<namespace>]\\n'\n`,
    /^Usage: x/,
  ],
  [
    `#!/bin/sh\nprintf '${usage}'\n[ "$2" = all ] && echo "  --rest  All that is left of it" || echo 'For more, "--help all"'\n`,
    /--rest /,
  ],
  [
    `#!/bin/sh\n[ "$1" = --list ] && echo "Other commands:; fix  Mend it all" | tr ";" "\\n" || printf '${usage}See all commands with --list\n'\n`,
    /--all.*[^]*fix {2}Mend it/,
  ],
];

for (const [script, help, reason] of programs) {
  unix.test(`programHelp() ${help ? "reads" : "refuses"} ${JSON.stringify(script)}`, async () => {
    await using dir = await scratch();
    const path = join(dir.path, "x");
    writeProgram(path, script);
    await using source = await programHelp({ path });
    const text = await source.ask(["x"]);
    if (help === undefined) assert.equal(text, undefined);
    else assert.match(text ?? "", help);
    assert.match(source.whyNot?.() ?? "", reason ?? /^$/);
  });
}

unix.test("programHelp() asks for the help of a command as the help of the program says", async () => {
  await using dir = await scratch();
  const path = join(dir.path, "x");
  const root = "Commands:\\n  x find [PATH]\\n  x help [COMMAND]  # Describe it\\n";
  writeProgram(
    path,
    `#!/bin/sh\n[ "$1" = help ] && printf '${usage}' && exit\n[ "$1" = find ]\nprintf '${root}'\n`,
  );
  await using source = await programHelp({ path });
  await source.ask(["x"]);
  assert.match(await source.ask(["x", "find"]) ?? "", /Looks at files/);
});

unix.test("programHelp() asks git in an empty repository", async () => {
  const path = findProgram("git", { env: {} })!;
  await using source = await programHelp({ path });
  assert.match(await source.ask(["git", "diff"]) ?? "", /--cached/);
});

unix.test("generate() knows the help of the program where a command prints it, too", async () => {
  const text = `${usage.replaceAll("\\n", "\n")}\nCommands:\n  list  List the files\n`;
  const source: HelpSource = {
    ask: (words) =>
      Promise.resolve(words.length === 1 ? `${text}\nEXIT STATUS\n  0 is right\n` : text),
  };
  const { tools, text: config } = await generate(["x"], { source });
  assert.equal(tools, 2, config);
  assert.match(config, /name: x_list\n/);
});
