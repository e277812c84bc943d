/**
 * Start and size of what is released, the portable form and the binary, beside a bare server of the
 * SDK bundled and started the same way.
 */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compileBinary } from "../build/_deno.ts";
import { buildPortable } from "../build/_portable.ts";
import { portableScript } from "../build/_script.ts";
import { ClimaxError } from "../src/errors.ts";
import { permissions } from "./_servers.ts";
import { interleave, type Measurement } from "./_stats.ts";
import { start } from "./start.ts";

type Form = "portable" | "binary";

/** Builds climax and the bare server in `directory` and starts both in turn, in each form. */
export async function measureArtefacts(
  directory: string,
  oneToolPath: string,
  { rounds }: { rounds: number },
): Promise<Measurement[]> {
  const { climax, bare } = await buildForms(directory);
  const portable = await measureForm("portable", [climax, bare], { oneToolPath, rounds });
  const binaries = [join(directory, "climax.bin"), join(directory, "bare.bin")] as const;
  try {
    await compileBinary(climax, { output: binaries[0], flags: permissions });
    await compileBinary(bare, { output: binaries[1], flags: permissions });
  } catch (error) {
    if (!(error instanceof ClimaxError)) throw error;
    const said = `no binary: ${error.problems[0]?.message}\n`;
    Deno.stderr.writeSync(new TextEncoder().encode(said));
    return portable;
  }
  return [...portable, ...await measureForm("binary", binaries, { oneToolPath, rounds })];
}

/** Builds the portable form of climax and of the bare server in `directory`. */
export async function buildForms(
  directory: string,
): Promise<{ readonly climax: string; readonly bare: string }> {
  const [climax, bare] = [join(directory, "climax.mjs"), join(directory, "bare.mjs")];
  await buildPortable(climax, permissions);
  const cwd = fileURLToPath(new URL("../", import.meta.url));
  const args = ["bundle", "--quiet", "--minify", "--output", bare, "bench/bare_server.ts"];
  await new Deno.Command(Deno.execPath(), { args, cwd }).output();
  const script = portableScript(await Deno.readTextFile(bare), permissions);
  await Deno.writeTextFile(bare, script, { mode: 0o755 });
  return { climax, bare };
}

async function measureForm(
  form: Form,
  [climax, bare]: readonly [string, string],
  { oneToolPath, rounds }: { oneToolPath: string; rounds: number },
): Promise<Measurement[]> {
  const samples = await interleave({
    bare: () => start([bare]),
    again: () => start([bare]),
    one: () => start([climax, "run", oneToolPath]),
    git: () => start([climax, "run", "git"]),
  }, { rounds, warmUp: 3 });
  const floor = `bare server, ${form}`;
  const common = { unit: "ms", floor, floorSamples: samples.bare } as const;
  const mebibytes = async (path: string) => [(await Deno.stat(path)).size / 1024 / 1024];
  return [
    { ...common, name: `start, one tool, ${form}`, samples: samples.one, aim: 1.15 },
    { ...common, name: `start, git, ${form}`, samples: samples.git, aim: 1.2 },
    { ...common, name: `noise: start, bare server again, ${form}`, samples: samples.again },
    {
      name: `size, ${form}`,
      unit: "MiB",
      floor,
      samples: await mebibytes(climax),
      floorSamples: await mebibytes(bare),
    },
  ];
}
