/** What commands write below a project: somebody else may have put links there that lead out of it. */

import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { scratch } from "../../e2e/_scratch.ts";
import { configText, odd } from "../../_upstream.ts";
import { climax, ends } from "./_climax.ts";
import { unix } from "../../_requirements.ts";

const groups = {
  version: "1.0.0",
  mcpServers: [],
  cliConfigs: ["git"],
  llmProvider: { type: "anthropic" },
};
const project = "tamamo-x.config.json";

/** A command, the file it writes, and what of its path is the link. */
const writers: readonly {
  readonly args: readonly string[];
  readonly file: string;
  readonly link: string;
  readonly config?: string;
}[] = [
  {
    args: ["build", "--offline"],
    file: ".tamamo-x/groups.json",
    link: ".tamamo-x",
    config: JSON.stringify(groups),
  },
  {
    args: ["build", "--offline"],
    file: ".tamamo-x/groups.json",
    link: ".tamamo-x/groups.json",
    config: JSON.stringify(groups),
  },
  {
    args: ["trust", "--all", "--yes"],
    file: ".climax/lock.json",
    link: ".climax",
    config: configText([odd("files", "defined", "definitions.json")]),
  },
  { args: ["init", "--yes"], file: "climax.json", link: "climax.json" },
  { args: ["add", "--yes", "x", "--", "y"], file: "climax.json", link: "climax.json" },
  {
    args: ["connect", "claude-code", "--adopt", "--scope", "project", "--yes"],
    file: ".climax/clients/claude-code/mcp.json",
    link: ".climax",
  },
  {
    args: ["init", "--yes", "--provider", "anthropic"],
    file: ".climax/lock.json",
    link: ".climax",
  },
  { args: ["new", "deploy", "--project"], file: ".climax/deploy.yaml", link: ".climax" },
  { args: ["skill", "--install"], file: ".claude/skills/climax-config/SKILL.md", link: ".claude" },
];

for (const { args, file, link, config } of writers) {
  const what = `climax ${args[0]} writes ${file}`;
  unix.test(`${what}, through no link out of the project: ${link}`, async () => {
    await using dir = await scratch();
    for (const folder of ["p", "q", "out"]) await Deno.mkdir(join(dir.path, folder));
    const env = { HOME: dir.path, CLIMAX_CACHE_DIR: join(dir.path, "cache") };
    const definitions = JSON.stringify([{ name: "read", inputSchema: { type: "object" } }]);
    const mcp = configText([odd("files", "defined", "definitions.json")]);
    for (const folder of ["p", "q"]) {
      const at = (name: string) => join(dir.path, folder, name);
      await Deno.writeTextFile(at("definitions.json"), definitions);
      if (config !== undefined) await Deno.writeTextFile(at(project), config);
      else {
        const servers = Object.fromEntries(
          (JSON.parse(mcp).mcpServers as { name: string }[]).map((
            { name, ...server },
          ) => [name, server]),
        );
        await Deno.writeTextFile(at(".mcp.json"), JSON.stringify({ mcpServers: servers }));
      }
    }
    const run = (folder: string) => climax(args, { cwd: join(dir.path, folder), env });

    const plain = await run("p");
    assert.ok((await Deno.lstat(join(dir.path, "p", file))).isFile, plain.stdout + plain.stderr);

    const from = join(dir.path, "q", link);
    await Deno.mkdir(dirname(from), { recursive: true });
    // A folder is there, a file is not: what it leads to would be made
    const target = link === file ? "new.json" : ".";
    await Deno.symlink(join(dir.path, "out", target), from);
    await ends(run("q"), { code: 3, stderr: /: a link leads out of the project, to '.*\/out\b/ });
    assert.deepEqual([...Deno.readDirSync(join(dir.path, "out"))], []);
  });
}
