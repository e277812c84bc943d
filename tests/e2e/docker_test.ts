/** Containers through a real program in docker's place, which shows what docker would be given. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { climax, ends } from "../cli/commands/_climax.ts";
import { fixturePath } from "../_fixtures.ts";
import { processTools, testsUnless } from "../_requirements.ts";
import { type RawServer, startReady } from "./_raw.ts";
import { isAlive, scaledSeconds, textIn, until, untilGone } from "../_wait.ts";
import { type Scratch, scratch } from "./_scratch.ts";

// The stand-in needs setsid
const here = testsUnless(Deno.build.os !== "linux" || processTools.ignore);

const tools = `name: contained
command: ""
env: { TOKEN: "s3cret value", GREETING: "a'b\\"c" }
working_dir: /no/such/directory/on/this/machine
tools:
  - { name: print, command: "printf <%s>", args: [{ name: text, positional: true }] }
  - { name: cat, args: [{ name: text, stdin: true }], command: cat }
  - { name: variables, command: env }
  - { name: place, command: pwd, args: [{ name: dir, cwd: true }] }
  - { name: rest, command: sleep 3600, timeout: ${scaledSeconds(1)} }
  - { name: long, command: sleep 3600, timeout: 3600 }
`;

const policy = `executor:
  type: docker
  image: alpine:3
  volumes: ["$VOLUME:/work:ro"]
  network: none
  working_dir: /
default: enabled
`;

/** A folder with the two files, and the environment in which `docker` is the stand-in. */
async function prepare(dir: Scratch) {
  await Deno.writeTextFile(join(dir.path, "tools.yaml"), tools);
  await Deno.writeTextFile(join(dir.path, "policy.yaml"), policy);
  const env = {
    PATH: `${fixturePath("docker")}:${Deno.env.get("PATH")}`,
    FAKE_DOCKER: dir.path,
    VOLUME: "/srv/a b",
  };
  const file = async (name: string) => await Deno.readTextFile(join(dir.path, name));
  const callTool = (...words: string[]) => {
    const files = ["--config", "tools.yaml", "--policy", "policy.yaml"];
    return climax(["call", ...words, ...files], { cwd: dir.path, env });
  };
  return { env, file, callTool };
}

/** The process that the stand-in runs as the container `name`. */
function pidOf(dir: Scratch, name: string): number {
  return Number(Deno.readTextFileSync(join(dir.path, `${name}.pid`)));
}

async function startedName(dir: Scratch): Promise<string> {
  return await until(() => textIn(join(dir.path, "started")), "a container");
}

async function isRemoved(dir: Scratch, name: string): Promise<void> {
  await untilGone(pidOf(dir, name));
  const removed = await until(() => textIn(join(dir.path, "removed")), "the removal");
  assert.equal(removed, `rm --force ${name}`);
}

/** A server to which a call of a long tool was sent, with the id `x`. */
async function callingLong(dir: Scratch): Promise<RawServer> {
  const { env } = await prepare(dir);
  const words = ["tools.yaml", "--policy", "policy.yaml", "--classic"];
  const server = await startReady(words, { cwd: dir.path, env });
  await server.send({ id: "x", method: "tools/call", params: { name: "long", arguments: {} } });
  return server;
}

here.test("a cancellation removes the container by its name", async () => {
  await using dir = await scratch();
  await using server = await callingLong(dir);
  const name = await startedName(dir);
  assert.equal(isAlive(pidOf(dir, name)), true);
  await server.cancel("x");
  await isRemoved(dir, name);
});

here.test("a server that ends removes its containers first", async () => {
  await using dir = await scratch();
  await using server = await callingLong(dir);
  const name = await startedName(dir);
  server.kill("SIGTERM");
  assert.equal((await server.ended()).code, 0);
  assert.equal(await Deno.readTextFile(join(dir.path, "removed")), `rm --force ${name}\n`);
  // The signal was sent before the server ended; the kernel may take a moment to act on it
  await isRemoved(dir, name);
});

here.test("climax validate says whether docker answers", async () => {
  await using dir = await scratch();
  const { env } = await prepare(dir);
  const validate = () => {
    return climax(["validate", "tools.yaml", "--policy", "policy.yaml"], { cwd: dir.path, env });
  };
  const up = await validate();
  assert.equal(up.code, 0, up.stdout);
  assert.match(up.stdout, /^docker: answers, version 28\.2\.2\npolicy\.yaml: ok, 6 tools\n$/m);
  await Deno.writeTextFile(join(dir.path, "down"), "");
  const down = await ends(validate(), { code: 1 });
  const said = "policy.yaml: docker does not answer: Cannot connect to the Docker daemon\n";
  assert.equal(down.stdout.includes(said), true, down.stdout);
  // The portable form is started by a Deno that is on PATH
  await Deno.symlink(Deno.execPath(), join(dir.path, "deno"));
  const none = { ...env, PATH: dir.path };
  const args = ["validate", "tools.yaml", "--policy", "policy.yaml"];
  const missing = await climax(args, { cwd: dir.path, env: none });
  assert.equal(missing.code, 1);
  assert.match(missing.stdout, /^policy\.yaml: docker does not answer: /m);
});
