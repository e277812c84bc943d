/**
 * Builds the binary and runs the end-to-end tests against it: `deno task test-binary [TEST…]`. Where Deno's
 * site cannot be reached, `--base FILE --deno FILE` name a base runtime and the Deno of its version. The
 * base may be an executable for Linux that `deno compile` made: it is the base with data behind it. Such a
 * binary is for tests on one machine, never for a release. `dist/climax.mjs` must be there.
 */

import { join, resolve } from "node:path";
import { buildArguments } from "./_arguments.ts";
import { programPermissions } from "./_facts.ts";
import { say } from "./_problems.ts";
import { permissions } from "./test.ts";

/**
 * Returns the base runtime in an executable that `deno compile` made for Linux: its ELF part, which ends
 * with the section headers. @throws when it is no such file
 */
export function baseOf(executable: Uint8Array): Uint8Array {
  const view = new DataView(executable.buffer, executable.byteOffset, executable.byteLength);
  // 64 bits and little-endian, as all our targets
  if (executable.length < 64 || view.getUint32(0) !== 0x7f454c46 || view.getUint16(4) !== 0x0201) {
    throw new Error("The base must be an executable for Linux: it is no 64-bit ELF file");
  }
  // e_shoff, e_shentsize and e_shnum
  const end = Number(view.getBigUint64(40, true)) +
    view.getUint16(58, true) * view.getUint16(60, true);
  if (end > executable.length) throw new Error("The base is cut off");
  return executable.subarray(0, end);
}

/** Runs a program with what it prints passed on. @returns its exit code */
async function run(
  [program, ...args]: readonly [string, ...string[]],
  env: Readonly<Record<string, string>> = {},
): Promise<number> {
  const command = new Deno.Command(program, { args, env, stdin: "null" });
  return (await command.spawn().status).code;
}

async function testBinary(args: readonly string[]): Promise<number> {
  const { options, flags: tests } = buildArguments(args, ["base", "deno", "output"]);
  const folder = await Deno.makeTempDir({ prefix: "climax-binary-" });
  try {
    const env: Record<string, string> = {};
    const base = options.get("base");
    if (base !== undefined) {
      env["DENORT_BIN"] = join(folder, "denort");
      await Deno.writeFile(env["DENORT_BIN"], baseOf(await Deno.readFile(base)), { mode: 0o755 });
    }
    const output = options.get("output") ?? join("dist", "climax");
    const binary = resolve(Deno.build.os === "windows" ? `${output}.exe` : output);
    const compile = ["build/compile.ts", "--output", binary, ...programPermissions];
    const deno = resolve(options.get("deno") ?? Deno.execPath());
    const built = await run([deno, "run", ...ownPermissions, ...compile], env);
    if (built !== 0) return built;
    const files = tests.length > 0 ? tests : ["tests/e2e", "tests/slow/e2e"];
    const words = ["test", "--no-check", "--parallel", ...permissions, ...files] as const;
    return await run([Deno.execPath(), ...words], { CLIMAX_UNDER_TEST: binary });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const ownPermissions = ["--allow-read", "--allow-write", "--allow-env", "--allow-run"] as const;

if (import.meta.main) {
  Deno.exitCode = await testBinary(Deno.args);
  if (Deno.exitCode !== 0) say("The binary was not built, or failed tests");
}
