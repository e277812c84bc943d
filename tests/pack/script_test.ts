/** The portable form: its first line, and a line of data that no text in it makes code. */

import assert from "node:assert/strict";
import { dirname } from "node:path";
import fc from "../_properties.ts";
import { type BuildInfo, buildInfoKey } from "../../src/process/build_info.ts";
import { ClimaxError, ExitCode } from "../../src/errors.ts";
import { asciiOf, moduleCodeOf, portableScript } from "../../src/pack/script.ts";
import { unix } from "../_requirements.ts";
import { writeProgram } from "../e2e/_scratch.ts";

const plain: BuildInfo = { built: "portable" };

function firstLine(...flags: string[]): string {
  return portableScript("", plain, flags).split("\n")[0]!;
}

/** What a line that stands between first line and code leaves behind when it is run. */
function ranInfo(script: string): unknown {
  const line = script.split("\n").find((each) => each.startsWith("globalThis["))!;
  const target: Record<symbol, unknown> = {};
  new Function("globalThis", line)(target);
  return target[Symbol.for(buildInfoKey)];
}

function sealed(text: string): BuildInfo {
  const permissions = ["--allow-run=git"];
  return {
    built: "portable",
    sealed: {
      configs: [{ file: "a.yaml", text }],
      keptScripts: { texts: [] },
      classic: false,
      permissions,
    },
  };
}

Deno.test("portableScript() starts Deno with exactly the flags it is given", () => {
  assert.equal(
    firstLine("--allow-run=git,kill", "--allow-read=/a/b.yaml"),
    "#!/usr/bin/env -S deno run --no-config --no-prompt --no-remote --no-npm --allow-run=git,kill --allow-read=/a/b.yaml",
  );
  assert.equal(
    firstLine(),
    "#!/usr/bin/env -S deno run --no-config --no-prompt --no-remote --no-npm",
  );
});

Deno.test("portableScript() quotes what env -S would split or read", () => {
  const quoted: [word: string, inLine: string][] = [
    ["--allow-read=/my files/a.yaml", `"--allow-read=/my files/a.yaml"`],
    ["--allow-read=/a#b", `"--allow-read=/a#b"`],
    ["--allow-read=/it's", `"--allow-read=/it's"`],
    ["--allow-read=/tab\there", `"--allow-read=/tab\there"`],
    ["--allow-read=/grün", `"--allow-read=/grün"`],
    ["--allow-read=/a;b|c&d", `"--allow-read=/a;b|c&d"`],
    ["", `""`],
  ];
  for (const [word, inLine] of quoted) assert.equal(firstLine(word).endsWith(` ${inLine}`), true);
});

Deno.test("portableScript() refuses what cannot be quoted in a first line", () => {
  for (const character of [`"`, "\\", "$", "\n", "\r", "\0", "\u2028"]) {
    assert.throws(
      () => firstLine(`--allow-read=/a${character}b`),
      (error: unknown) => error instanceof ClimaxError && error.exitCode === ExitCode.file,
    );
  }
});

unix.test("env -S gives Deno the words as they were", async () => {
  const words = ["--allow-read=/my files/a.yaml", "--allow-env=A,B", "--x=it's #1; grün"];
  const line = firstLine(...words).replace("#!/usr/bin/env -S deno run", `printf %s\\n`);
  const { stdout, success } = await new Deno.Command("env", { args: ["-S", line] }).output();
  assert.equal(success, true);
  const said = new TextDecoder().decode(stdout).trimEnd().split("\n");
  assert.deepEqual(said, ["--no-config", "--no-prompt", "--no-remote", "--no-npm", ...words]);
});

/** Flags that Linux would cut in a first line. */
const long = ["it's", "a b", "c"].map((name) => `--allow-read=/${name}/${"x".repeat(100)}`);

Deno.test("portableScript() makes no first line that a system would cut", () => {
  const room = 255 - firstLine("--x=").length;
  assert.equal(firstLine(`--x=${"y".repeat(room)}`).length, 255);
  assert.equal(firstLine(`--x=${"y".repeat(room + 1)}`), "#!/bin/sh");
  // Bytes count, not characters
  assert.equal(firstLine(`--x="${"ü".repeat(room - 3)}`.replace('"', " ")), "#!/bin/sh");
  const script = portableScript("code", sealed("a: b"), long);
  assert.equal(moduleCodeOf(script), "code");
});

unix.test("a script with a long beginning gives Deno the words as they were", async () => {
  const directory = await Deno.makeTempDir({ prefix: "climax-test-" });
  try {
    const path = `${directory}/my script.mjs`;
    const deno = `#!/bin/sh\nprintf '%s\\n' "$@"\n`;
    writeProgram(`${directory}/deno`, deno);
    writeProgram(path, portableScript("", plain, long));
    const env = { PATH: `${directory}:${Deno.env.get("PATH")}` };
    const command = new Deno.Command(path, { args: ["a b", "$HOME"], env });
    const said = new TextDecoder().decode((await command.output()).stdout);
    const words = [
      "run",
      "--no-config",
      "--no-prompt",
      "--no-remote",
      "--no-npm",
      ...long,
      path,
      "a b",
      "$HOME",
    ];
    assert.deepEqual(said.trimEnd().split("\n"), words);
    // To Deno itself the same file is a module
    await import(`data:text/javascript,${encodeURIComponent(await Deno.readTextFile(path))}`);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test("portableScript() refuses what would end the comment that its beginning is", () => {
  for (const character of ["\n", "\r", "\0", "\u2028", "\u2029"]) {
    const words = [[`--allow-read=/a${character}b`], "/deno"] as const;
    const paths = [["--allow-read=/a"], `/a${character}b/deno`] as const;
    for (const [flags, otherwise] of [words, paths]) {
      assert.throws(
        () => portableScript("", sealed("a"), flags, otherwise),
        (error: unknown) => error instanceof ClimaxError && error.exitCode === ExitCode.file,
      );
    }
  }
});

unix.test("a sealed script takes the deno on PATH, and the one it was given where there is none", async () => {
  const directory = await Deno.makeTempDir({ prefix: "climax-test-" });
  try {
    const own = `${directory}/it's \`one\` $HOME/deno`;
    const path = `${directory}/server`;
    await Deno.mkdir(dirname(own));
    await Deno.mkdir(`${directory}/bin`);
    const says = (what: string) => `#!/bin/sh\nprintf '%s\\n' ${what} "$1" "$6"\n`;
    writeProgram(own, says("own"));
    const script = portableScript("", sealed("a"), ["--allow-read=/a b"], own);
    writeProgram(path, script);
    const command = new Deno.Command(path, { env: { PATH: `${directory}/bin` } });
    const said = async () => new TextDecoder().decode((await command.output()).stdout);
    assert.equal(await said(), "own\nrun\n--allow-read=/a b\n");
    writeProgram(`${directory}/bin/deno`, says("path"));
    assert.equal(await said(), "path\nrun\n--allow-read=/a b\n");
    // To Deno itself the same file is a module
    await import(`data:text/javascript,${encodeURIComponent(script)}`);
  } finally {
    await Deno.remove(directory, { recursive: true });
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
    writeProgram(path, portableScript(code, plain, []));
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

const nasty = [
  "\u2028",
  "\u2029",
  "</script>",
  "`${Deno.exit(1)}`",
  `");Deno.exit(1);//`,
  "');//",
  "*/",
  "\\",
  "\\\\u0022",
  "\r\n",
  "\0",
  "\ud800",
  "#!/bin/sh",
  "__proto__",
];

Deno.test("the line of data comes back as it was, whatever is in it", () => {
  const text = fc.array(fc.oneof(fc.constantFrom(...nasty), fc.string({ unit: "binary" })))
    .map((parts) => parts.join(""));
  fc.assert(fc.property(text, text, (config, code) => {
    const info = sealed(config);
    const script = portableScript(code, info, []);
    assert.deepEqual(ranInfo(script), info);
    assert.equal(moduleCodeOf(script), code);
    // Whoever reads lines sees one
    const [, , line] = script.slice(0, script.length - code.length - 1).split("\n");
    assert.equal(line!.startsWith("globalThis["), true);
    assert.equal(/[\n\r\u2028\u2029]/.test(line!), false);
  }));
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
