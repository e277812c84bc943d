/** Kept scripts of a running server follow their files. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { climaxProcess, ends } from "../../cli/commands/_climax.ts";
import { startReady } from "../../e2e/_raw.ts";
import { scratch } from "../../e2e/_scratch.ts";
import { unix } from "../../_requirements.ts";

const config = `name: own
command: ""
tools:
  - { name: say, command: echo, effect: read, args: [{ name: word, positional: true }] }
`;

function script(body: string): string {
  return `/* climax script
description: Repeats a word for a test
effect: read
args: [{ name: word, required: true }]
*/
${body}`;
}

const says = script('return (await call("say", { word: input.word })).text.trim()');

async function project() {
  const dir = await scratch();
  const cwd = join(dir.path, "work");
  const scripts = join(cwd, ".climax", "scripts");
  await Deno.mkdir(scripts, { recursive: true });
  await Deno.writeTextFile(join(cwd, "own.yaml"), config);
  const env = {
    XDG_CONFIG_HOME: join(dir.path, "settings"),
    CLIMAX_STATE_DIR: join(dir.path, "state"),
  };
  return {
    cwd,
    env,
    scripts,
    accept: async (name: string) => {
      const words = ["trust", "--yes", `${name}.js`];
      await ends(climaxProcess(words, { cwd, env }), { code: 0 });
    },
    put: async (name: string, text: string) => {
      await Deno.writeTextFile(join(scripts, `${name}.new`), text);
      await Deno.rename(join(scripts, `${name}.new`), join(scripts, name));
    },
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

unix.test("a running server follows its scripts, and serves none that is not accepted", async () => {
  await using place = await project();
  const { cwd, env, put, accept, scripts } = place;
  await using server = await startReady(["./own.yaml", "--classic"], { cwd, env });
  const names = async () => {
    const { result } = await server.request("tools/list");
    return result.tools.map(({ name }: { name: string }) => name);
  };
  assert.deepEqual(await names(), ["say"]);
  await put("repeat.js", says);
  // Any call looks at the files first
  await server.call("say", { word: "x" });
  assert.deepEqual(await names(), ["say"]);
  await server.logged("The script 'repeat' is not served: it is new or has changed");
  await accept("repeat");
  assert.equal((await server.call("repeat", { word: "a" })).text, "a");
  assert.deepEqual(await names(), ["say", "repeat"]);
  await put("repeat.js", says.replace("input.word", '"other"'));
  assert.match((await server.call("repeat", { word: "a" })).text, /^Tool 'repeat' is withheld/);
  await put("repeat.js", says);
  assert.equal((await server.call("repeat", { word: "a" })).text, "a");
  await Deno.remove(join(scripts, "repeat.js"));
  assert.match((await server.call("repeat", { word: "a" })).text, /^Unknown tool: repeat/);
});
