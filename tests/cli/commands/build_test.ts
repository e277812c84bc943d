/** `climax build` without a model: what it makes, and what it leaves alone. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { exists, scratch } from "../../e2e/_scratch.ts";
import { climax, ends } from "./_climax.ts";

/** Runs in a project without any key, whose groups are those of `groups`. */
async function withProject(
  use: (
    run: (...args: string[]) => ReturnType<typeof climax>,
    groups: { read: () => Promise<string>; write: (text: string) => Promise<void> },
  ) => Promise<void>,
): Promise<void> {
  const config = { version: "1.0.0", mcpServers: [], cliConfigs: ["./own.yaml"] };
  const llmProvider = { type: "anthropic", credentialSource: "env-var" };
  const groupingConstraints = { minToolsPerGroup: 1, minGroups: 1 };
  await using dir = await scratch({
    "tamamo-x.config.json": { ...config, llmProvider, groupingConstraints },
    "own.yaml": "name: own\ncommand: echo\ntools:\n" +
      "  - { name: say, description: Says something }\n  - { name: silent, description: '' }\n",
  });
  const groups = join(dir.path, ".tamamo-x", "groups.json");
  const env = { HOME: dir.path, USERPROFILE: dir.path, ANTHROPIC_API_KEY: "" };
  await climax(["trust", "--all", "--yes"], { cwd: dir.path, env });
  await use((...args) => climax(["build", ...args], { cwd: dir.path, env }), {
    read: () => Deno.readTextFile(groups),
    write: (text) => Deno.writeTextFile(groups, text),
  });
}

Deno.test("climax build without a key makes groups, but replaces none that a model made", async () => {
  await withProject(async (run, { read, write }) => {
    await ends(run(), {
      code: 0,
      stderr: [
        /No credential for 'anthropic'.*[^]*grouped without a language model/,
        /1 tool of 'own' without a description, grouped by name alone: silent/,
      ],
    });
    const offline = await read();
    assert.equal(JSON.parse(offline).proposedBy, "offline");
    assert.equal((await run()).code, 0);

    const proposed = offline.replace('"offline"', '"anthropic/claude"').replace("Own", "Mine");
    await write(proposed);
    const refused = await ends(run(), {
      code: 1,
      stderr:
        /groups\.json: The groups were made by 'anthropic\/claude', and no model can be asked now\n\s+hint: --offline replaces/,
    });
    assert.doesNotMatch(refused.stderr, /as with --offline/);
    assert.equal(await read(), proposed);
    assert.equal((await run("--keep")).code, 0);
    assert.equal(JSON.parse(await read()).proposedBy, "anthropic/claude");
    assert.equal((await run("--offline")).code, 0);
    assert.equal(JSON.parse(await read()).proposedBy, "offline");
  });
});

Deno.test("climax build and mcp start no server of a file that was neither named nor accepted", async () => {
  await using dir = await scratch();
  const server = { name: "p", transport: "stdio", command: Deno.execPath() };
  const code = "Deno.writeTextFileSync('ran', '')";
  const config = { version: "1.0.0", mcpServers: [{ ...server, args: ["eval", code] }] };
  await Deno.writeTextFile(join(dir.path, "climax.json"), JSON.stringify(config));
  const groups = {
    version: "1.0.0",
    groups: [{ id: "g", name: "g", description: "d", tools: [] }],
  };
  await Deno.mkdir(join(dir.path, ".tamamo-x"));
  await Deno.writeTextFile(join(dir.path, ".tamamo-x", "groups.json"), JSON.stringify(groups));
  const options = { cwd: dir.path, env: { HOME: dir.path, USERPROFILE: dir.path } };
  for (const words of [["build", "--offline"], ["build", "--offline", "--dry-run"], ["mcp"]]) {
    const { stderr } = await climax(words, options);
    assert.match(stderr, /not accepted what it starts or reaches: p|groups/, words.join(" "));
  }
  assert.equal(await exists(join(dir.path, "ran")), false);
});
