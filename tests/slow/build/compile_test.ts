/**
 * The binary. The deno executable stands in for the base runtime of another system, which shows what goes
 * into the file. Where there is a real base runtime, the binary is built and started; `deno task
 * test-binary` runs the end-to-end tests against it.
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { smoke } from "../../../build/smoke.ts";
import { recordMissing } from "../../_requirements.ts";
import { type Scratch, scratch } from "../../e2e/_scratch.ts";
import { build, buildPortable, manifest, permissionsOf, run } from "../../build/_build.ts";
import { ends } from "../../cli/commands/_climax.ts";

const binaryName = Deno.build.os === "windows" ? "climax.exe" : "climax";

let dir: Scratch;
let script: string;
Deno.test.beforeAll(async () => {
  dir = await scratch();
  script = await buildPortable(dir.path);
});
Deno.test.afterAll(async () => await dir[Symbol.asyncDispose]());

/** A system whose programs do not start here, so Deno itself can stand for the base. */
const [arch, ...system] = Deno.build.target.split("-");
const target = [arch === "x86_64" ? "aarch64" : "x86_64", ...system].join("-");

/** Variables with which Deno's site cannot be reached. */
const offline = { DENORT_BIN: "", HTTPS_PROXY: "http://127.0.0.1:9", DENO_DIR: "" };

Deno.test("build/compile.ts puts program, data and exactly its flags into the binary", async () => {
  const output = join(dir.path, `stand-in-${binaryName}`);
  const env = { DENORT_BIN: Deno.execPath(), OTEL_DENO: "true", OTEL_SERVICE_NAME: "builder" };
  const options = ["--script", script, "--output", output, "--target", target];
  await ends(build("compile", options, env), { code: 0, stderr: /: \d+ MiB\n$/ });
  const base = (await Deno.stat(Deno.execPath())).size;
  const text = new TextDecoder().decode((await Deno.readFile(output)).subarray(base));
  // The whole code and the bundled configs, as in the portable form
  const portable = new TextDecoder("latin1").decode(await Deno.readFile(script));
  assert.equal(text.includes(portable.slice(portable.indexOf("\n") + 1)), true);
  for (const part of ["git_log", "docker_ps", `"${manifest.version}"`]) {
    assert.equal(text.includes(part), true, part);
  }
  // `[]` is all of a kind, `null` none of it
  const { permissions, argv, code_cache_key, otel_config } = metadataOf(text);
  // The build's collector of traces is not in the binary
  assert.equal(otel_config.tracing_enabled, false);
  assert.deepEqual(permissionsOf("compile"), permissionsOf("portable"));
  assert.deepEqual(allowed(permissions), {
    allow_env: [],
    allow_net: [],
    allow_read: [],
    allow_run: [],
    allow_write: [],
  });
  assert.deepEqual(permissions["deny_import"], []);
  assert.deepEqual(argv, []);
  // V8's code cache would be a file that anybody may write (`deno compile`, `--no-code-cache`)
  assert.equal(code_cache_key, null);
});

Deno.test("without a base runtime nothing is built: exit code 3 and the two ways out", async () => {
  const output = join(dir.path, `none-${binaryName}`);
  const env = { ...offline, DENO_DIR: await Deno.makeTempDir({ dir: dir.path }) };
  const { code, stderr } = await build("compile", ["--script", script, "--output", output], env);
  assert.equal(code, 3, stderr);
  // With an empty cache, Deno downloads what this task imports
  const lines = stderr.trimEnd().split("\n").filter((line) => !line.startsWith("Download "));
  const [said, hint, ...rest] = lines;
  assert.match(said!, /^deno compile failed: .*denort/);
  assert.match(hint!, /^ {2}hint: .*DENORT_BIN.*portable/);
  assert.deepEqual(rest, []);
  await assert.rejects(Deno.stat(output), Deno.errors.NotFound);
});

Deno.test("a base runtime that does not start as climax makes no binary: exit code 3", async () => {
  const output = join(dir.path, `wrong-${binaryName}`);
  // A base of another version makes a file that does not start, and deno itself makes a copy of deno
  const env = { DENORT_BIN: Deno.execPath() };
  const { code, stderr } = await build("compile", ["--script", script, "--output", output], env);
  assert.equal(code, 3, stderr);
  assert.match(stderr, /: What was built does not start as climax \d+\.\d+\.\d+: deno \d/);
  assert.ok(stderr.includes(`it must be the denort of Deno ${Deno.version.deno}\n`), stderr);
  await assert.rejects(Deno.stat(output), Deno.errors.NotFound);
});

Deno.test("the real binary works, and leaves no code in the folder for temporary files", async () => {
  const output = join(dir.path, binaryName);
  const { code } = await build("compile", ["--script", script, "--output", output]);
  if (code !== 0) return recordMissing("denort, Deno's base of binaries");
  const temporary = await Deno.makeTempDir({ dir: dir.path });
  const env = { TMPDIR: temporary, TEMP: temporary, TMP: temporary };
  await ends(run([output, "--version"], { env }), { stdout: /^built as binary$/m });
  await run([output, "list", "git"], { env });
  assert.deepEqual([...Deno.readDirSync(temporary)], []);
  await smoke([output]);
});

interface Metadata {
  readonly argv: readonly string[];
  readonly code_cache_key: number | null;
  readonly otel_config: { readonly tracing_enabled: boolean };
  readonly permissions: Readonly<Record<string, unknown>>;
}

/** Reads the JSON object with the command line that Deno keeps in a binary. */
function metadataOf(text: string): Metadata {
  const start = text.indexOf(`{"argv":`);
  assert.notEqual(start, -1);
  for (let end = start; end < text.length; end = text.indexOf("}", end + 1)) {
    try {
      return JSON.parse(text.slice(start, end + 1));
    } catch {
      // It goes on
    }
  }
  throw new Error("the metadata does not end");
}

function allowed(permissions: Metadata["permissions"]): Record<string, string[]> {
  const entries = Object.entries(permissions).filter(([name, value]) => {
    // Its default is a list of hosts, all of which `deny_import` takes away
    return name.startsWith("allow_") && name !== "allow_import" && Array.isArray(value);
  });
  return Object.fromEntries(entries) as Record<string, string[]>;
}
