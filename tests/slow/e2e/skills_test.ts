/** Skills over MCP through the program, read by the SDK's own client, which verifies every file. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { SkillsClient } from "@modelcontextprotocol/client/ext/skills";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { configText, skilled } from "../../_upstream.ts";
import { scratch } from "../../e2e/_scratch.ts";
import { climax, environment } from "../../e2e/_server.ts";
import { unix } from "../../_requirements.ts";

const skill = "---\nname: deploy\ndescription: How we deploy\nlicense: MIT\n---\n\nRead steps.md\n";
const config = `name: own\ncommand: echo\ntools: [{ name: say, args: [{ name: text }] }]\n`;

interface Peer extends AsyncDisposable {
  readonly client: Client;
  readonly skills: SkillsClient;
}

async function connected(
  words: readonly string[],
  dir: string,
  mode: "auto" | "legacy" = "auto",
  cwd?: string,
): Promise<Peer> {
  const [command, ...args] = climax("run", ...words);
  const env = environment({ CLIMAX_CACHE_DIR: join(dir, "cache") });
  const client = new Client({ name: "climax-tests", version: "1.0.0" }, {
    versionNegotiation: { mode },
  });
  const process = { command, args, env, stderr: "ignore", ...(cwd && { cwd }) } as const;
  await client.connect(new StdioClientTransport(process));
  return { client, skills: new SkillsClient(client), [Symbol.asyncDispose]: () => client.close() };
}

/** A config with a folder of skills beside it. */
async function writeSkills(dir: string): Promise<string> {
  const folder = join(dir, "skills", "deploy");
  await Deno.mkdir(join(folder, "parts"), { recursive: true });
  await Deno.writeTextFile(join(folder, "SKILL.md"), skill);
  await Deno.writeTextFile(join(folder, "steps.md"), "ein Schritt für dich\n".repeat(20_000));
  await Deno.writeFile(join(folder, "parts", "logo.png"), new Uint8Array([137, 80, 0, 255]));
  const file = join(dir, "own.yaml");
  await Deno.writeTextFile(file, config);
  return file;
}

Deno.test("skills beside a config are listed, read and verified", async () => {
  await using dir = await scratch();
  const file = await writeSkills(dir.path);
  await using peer = await connected([file], dir.path);
  const { skills, client } = peer;
  assert.equal(skills.supported, true);
  const { skills: [entry, ...others] } = await skills.list();
  assert.deepEqual(others, []);
  assert.equal(entry!.uri, "skill://climax/deploy/SKILL.md");
  assert.deepEqual(entry!.frontmatter, {
    name: "deploy",
    description: "How we deploy",
    license: "MIT",
  });
  const read = await skills.read(entry!);
  assert.equal(read.verified, true);
  assert.equal(read.body?.trim(), "Read steps.md");
  assert.equal((await skills.read(entry!, "steps.md")).bytes.length, 22 * 20_000);
  assert.equal((await skills.read(entry!, "parts/logo.png")).bytes.length, 4);
  const { resources } = await client.listResources();
  assert.deepEqual(resources.map(({ uri, name, mimeType }) => [uri, name, mimeType]), [
    [entry!.uri, "deploy", "text/markdown"],
  ]);
  await assert.rejects(client.readResource({ uri: "skill://climax/deploy/../../own.yaml" }));
  await assert.rejects(client.readResource({ uri: "skill://climax/deploy/%2e%2e/own.yaml" }));

  // A file changes: the digest does not fit, and the host asks for the entry again
  await Deno.writeTextFile(join(dir.path, "skills", "deploy", "steps.md"), "less\n");
  await assert.rejects(skills.read(entry!, "steps.md"), { reason: "size" });
  const { skill: current } = await skills.get(entry!.uri);
  assert.equal((await skills.read(current, "steps.md")).text, "less\n");
  await assert.rejects(skills.get("skill://climax/other/SKILL.md"), { code: -32602 });
});

unix.test("a link in a skill leads nowhere", async () => {
  await using dir = await scratch();
  const file = await writeSkills(dir.path);
  const steps = join(dir.path, "skills", "deploy", "steps.md");
  await using peer = await connected([file], dir.path);
  const { skills: [entry] } = await peer.skills.list();
  // After the list: the manifest names the file still
  await Deno.remove(steps);
  await Deno.symlink(file, steps);
  await assert.rejects(peer.client.readResource({ uri: "skill://climax/deploy/steps.md" }));
  await assert.rejects(peer.skills.get(entry!.uri));
  await using later = await connected([file], dir.path);
  assert.deepEqual((await later.skills.list()).skills, []);
});

Deno.test("a folder that the project's file names is served, and skills of servers pass", async () => {
  const servers = [skilled("one"), skilled("two")];
  await using dir = await scratch({
    "ours/deploy/SKILL.md": skill,
    "tamamo-x.config.json": configText(servers, { skills: ["./ours"] }),
  });
  const file = join(dir.path, "tamamo-x.config.json");
  await using peer = await connected(["--mcp", file], dir.path);
  const { skills: entries } = await peer.skills.list();
  assert.deepEqual(entries.map(({ uri }) => uri), [
    "skill://climax/deploy/SKILL.md",
    "one+skill://refunds/SKILL.md",
    "two+skill://refunds/SKILL.md",
  ]);
  for (const [at, who] of ["one", "two"].entries()) {
    const entry = entries[at + 1]!;
    assert.equal(entry.frontmatter.description, `Refunds of ${who}`);
    assert.equal((await peer.skills.read(entry)).verified, true);
    const form = await peer.skills.read(entry, "forms/a.md");
    assert.equal(form.text!.startsWith(`\u001b[31m${who}`), true);
    assert.equal((await peer.skills.read(entry, "logo.png")).bytes.length, 6);
    assert.deepEqual((await peer.skills.get(entry.uri)).skill, entry);
  }
  await assert.rejects(peer.skills.get("one+skill://nothing/SKILL.md"), { code: -32602 });
});
