/** The page that writes a config from nothing: its commands print what it says. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { programs } from "../_requirements.ts";
import { climax } from "../cli/commands/_climax.ts";
import { scratch } from "../e2e/_scratch.ts";
import { root } from "../_fixtures.ts";

const page = await Deno.readTextFile(join(root, "docs", "first-config.md"));

/** A block of the page, in order. */
interface Block {
  readonly language: string;
  readonly text: string;
}

const blocks: readonly Block[] = [...page.matchAll(/^```(\w+)\n([^]*?)^```$/gm)]
  .map(([, language, text]) => ({ language: language!, text: text! }));

/** A command line with what it prints, or how that begins. */
function* commandsOf(text: string): Generator<{ line: string; printed: string }> {
  for (const part of text.split(/^(?=\$ climax )/m)) {
    const [line, ...rest] = part.split("\n");
    yield { line: line!.slice(2), printed: rest.join("\n") };
  }
}

/** As a shell takes words with single and double quotes. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/((?:[^\s'"]|'[^']*'|"[^"]*")+)/g)]
    .map(([word]) => word.replace(/'([^']*)'|"([^"]*)"/g, (_, a, b) => a ?? b));
}

Deno.test("docs/first-config.md: every command prints what the page says", {
  ...await programs({ unzip: ["-v"] }),
}, async () => {
  await using dir = await scratch();
  const file = join(dir.path, "unzip.yaml");
  let tried = 0;
  for (const { language, text } of blocks) {
    if (language === "yaml") await Deno.writeTextFile(file, text);
    if (language !== "console") continue;
    for (const { line, printed } of commandsOf(text)) {
      const [program, ...args] = wordsOf(line);
      assert.equal(program, "climax");
      const { stdout, stderr } = await climax(args, { cwd: dir.path });
      const shown = stdout.replaceAll(await Deno.realPath(dir.path), "/home/me/notes");
      assert.ok(shown.startsWith(printed), `${line}\n${stdout}${stderr}`);
      tried++;
    }
  }
  assert.ok(tried >= 6);
});
