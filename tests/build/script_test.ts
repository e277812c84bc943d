/** The portable form: its first line, and how its code is written. */

import assert from "node:assert/strict";
import { dirname } from "node:path";
import fc from "../_properties.ts";
import { asciiOf, portableScript } from "../../build/_script.ts";
import { ClimaxError, ExitCode } from "../../src/errors.ts";
import { unix } from "../_requirements.ts";
import { writeProgram } from "../e2e/_scratch.ts";

function firstLine(...flags: string[]): string {
  return portableScript("", flags).split("\n")[0]!;
}

Deno.test("portableScript() starts Deno with exactly the flags it is given", () => {
  const start = "#!/usr/bin/env -S deno run --no-config --no-prompt --no-remote --no-npm";
  assert.equal(firstLine(), start);
  const flags = ["--allow-run=git,kill", "--allow-read=/a/b.yaml"];
  assert.equal(firstLine(...flags), `${start} ${flags.join(" ")}`);
});

Deno.test("portableScript() refuses what env -S would split or read, and what Linux would cut", () => {
  const room = "x".repeat(255 - firstLine("--x=").length);
  assert.equal(firstLine(`--x=${room}`).length, 255);
  const characters = [" ", "\t", "'", `"`, "\\", "$", "#", "\n", "\r", "\0", "\u2028", "ü"];
  for (const flag of ["", `--x=${room}y`, ...characters.map((each) => `--x=a${each}b`)]) {
    assert.throws(
      () => firstLine(flag),
      (error: unknown) => error instanceof ClimaxError && error.exitCode === ExitCode.file,
    );
  }
});

unix.test("no thread of a script asks a registry for a package", async () => {
  const directory = await Deno.makeTempDir({ prefix: "climax-test-" });
  const asked: string[] = [];
  const registry = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    ({ url }) => {
      asked.push(url);
      return new Response("", { status: 404 });
    },
  );
  try {
    const thread = `import { parentPort } from "node:worker_threads";
const said = ({ message }) => parentPort.postMessage(message);
import(${JSON.stringify("npm:name-that-tells-something")}).then(said, said);`;
    const code = `import { Worker } from "node:worker_threads";
const thread = new Worker(new URL(${
      JSON.stringify(`data:text/javascript,${encodeURIComponent(thread)}`)
    }));
thread.once("message", (message) => { console.log(message); thread.terminate(); });`;
    const path = `${directory}/script.mjs`;
    writeProgram(path, portableScript(code, []));
    const env = {
      PATH: `${dirname(Deno.execPath())}:${Deno.env.get("PATH")}`,
      NPM_CONFIG_REGISTRY: `http://127.0.0.1:${registry.addr.port}/`,
    };
    const { stdout, stderr } = await new Deno.Command(path, { env }).output();
    const said = new TextDecoder().decode(stdout);
    assert.match(said, /--no-npm is specified/, new TextDecoder().decode(stderr));
    assert.deepEqual(asked, []);
  } finally {
    await registry.shutdown();
    await Deno.remove(directory, { recursive: true });
  }
});

/** The value of an expression. */
function evaluate(code: string): unknown {
  return new Function(`return ${code}`)();
}

Deno.test("asciiOf() keeps the value of strings and templates", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => {
    const string = asciiOf(JSON.stringify(text));
    assert.equal(/^[\0-\x7f]*$/.test(string), true);
    assert.equal(evaluate(string), text);
    const template = "`" + text.replace(/[\\`$\r]/g, "\\$&") + "`";
    assert.equal(evaluate(asciiOf(template)), evaluate(template));
  }));
});

Deno.test("asciiOf() keeps what regular expressions match and what names mean", () => {
  assert.equal(evaluate(asciiOf("/[。！😀]/u.test('😀')")), true);
  assert.equal(evaluate(asciiOf("/^[é-ü]+$/.test('éü')")), true);
  assert.equal(evaluate(asciiOf("(grün => grün + 1)(1)")), 2);
});
