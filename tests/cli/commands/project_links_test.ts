/** What commands write below a project: somebody else may have put links there that lead out of it. */

import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { type Files, scratch, writeFiles } from "../../e2e/_scratch.ts";
import { configText, odd } from "../../_upstream.ts";
import { climax, ends } from "./_climax.ts";
import { unix } from "../../_requirements.ts";

const { name, ...server } = odd("files", "defined", "definitions.json");
const ofClient = { ".mcp.json": { mcpServers: { [name]: server } } };
const file = "tamamo-x.config.json";
const ofServer = { [file]: configText([{ name, ...server }]) };
const llmProvider = { type: "anthropic" };
const ofGroups = {
  [file]: { version: "1.0.0", mcpServers: [], cliConfigs: ["git"], llmProvider },
};

/** A command, the file it writes, what of its path is the link, and the files that it takes. */
const writers: readonly [command: string, file: string, link: string, files?: Files][] = [
  ["build --offline", ".tamamo-x/groups.json", ".tamamo-x", ofGroups],
  ["build --offline", ".tamamo-x/groups.json", ".tamamo-x/groups.json", ofGroups],
  ["trust --all --yes", ".climax/lock.json", ".climax", ofServer],
  ["init --yes", "climax.json", "climax.json"],
  ["add --yes x -- y", "climax.json", "climax.json"],
  [
    "connect claude-code --adopt --scope project --yes",
    ".climax/clients/claude-code/mcp.json",
    ".climax",
  ],
  [
    "connect claude-code git --scope project --yes",
    ".climax/clients/claude-code/.mcp.json.climax.bak",
    ".climax",
  ],
  ["init --yes --provider anthropic", ".climax/lock.json", ".climax"],
  ["new deploy --project", ".climax/deploy.yaml", ".climax"],
  ["skill --install", ".claude/skills/climax-config/SKILL.md", ".claude"],
];

for (const [command, file, link, files = ofClient] of writers) {
  const args = command.split(" ");
  const what = `climax ${args[0]} writes ${file}`;
  unix.test(`${what}, through no link out of the project: ${link}`, async () => {
    const definitions = [{ name: "read", inputSchema: { type: "object" } }];
    await using dir = await scratch();
    await Deno.mkdir(join(dir.path, "out"));
    const env = { HOME: dir.path, CLIMAX_CACHE_DIR: join(dir.path, "cache") };
    for (const folder of ["p", "q"]) {
      await writeFiles(join(dir.path, folder), { ...files, "definitions.json": definitions });
    }
    const run = (folder: string) => climax(args, { cwd: join(dir.path, folder), env });
    if (files === ofGroups) {
      for (const folder of ["p", "q"]) {
        await climax(["trust", "--all", "--yes"], { cwd: join(dir.path, folder), env });
      }
    }

    const plain = await run("p");
    assert.ok((await Deno.lstat(join(dir.path, "p", file))).isFile, plain.stdout + plain.stderr);

    const from = join(dir.path, "q", link);
    await Deno.mkdir(dirname(from), { recursive: true });
    // A folder is there, a file is not: what it leads to would be made
    const target = link === file ? "new.json" : ".";
    await Deno.symlink(join(dir.path, "out", target), from);
    await ends(run("q"), {
      code: 3,
      stderr:
        /: a link leads out of the project, to '.*\/out\b|: The file is a link that leads to nothing\n/,
    });
    assert.deepEqual([...Deno.readDirSync(join(dir.path, "out"))], []);
  });
}
