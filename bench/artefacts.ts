/**
 * Start and size of what is released, the portable form and the binary, beside a bare server of the
 * SDK bundled and started the same way.
 */

import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { compileBinary } from "../build/_deno.ts";
import { buildPortable } from "../build/_portable.ts";
import { folderBeside } from "../build/_portable_folder.ts";
import { portableScript } from "../build/_script.ts";
import { ClimaxError } from "../src/errors.ts";
import { permissions } from "./_servers.ts";
import { interleave, type Measurement } from "./_stats.ts";
import { start } from "./start.ts";

type Form = "portable" | "portable file" | "binary";

/** Builds climax and the bare server in `directory` and starts both in turn, in each form. */
export async function measureArtefacts(
  directory: string,
  oneToolPath: string,
  { rounds }: { rounds: number },
): Promise<Measurement[]> {
  const { climax, file, bare } = await buildForms(directory);
  const portable = [
    ...await measureForm("portable", [climax, bare], { oneToolPath, rounds }),
    ...await measureForm("portable file", [file, bare], { oneToolPath, rounds }),
  ];
  const binaries = [join(directory, "climax.bin"), join(directory, "bare.bin")] as const;
  try {
    await compileBinary(file, { output: binaries[0], flags: permissions });
    await compileBinary(bare, { output: binaries[1], flags: permissions });
  } catch (error) {
    if (!(error instanceof ClimaxError)) throw error;
    const said = `no binary: ${error.problems[0]?.message}\n`;
    Deno.stderr.writeSync(new TextEncoder().encode(said));
    return portable;
  }
  return [...portable, ...await measureForm("binary", binaries, { oneToolPath, rounds })];
}

/** Builds both portable forms of climax and the bare server in `directory`. */
export async function buildForms(
  directory: string,
): Promise<{ readonly climax: string; readonly file: string; readonly bare: string }> {
  const file = join(directory, "climax.mjs");
  const bare = join(directory, "bare.mjs");
  await buildPortable({ file, folder: folderBeside(file), flags: permissions });
  await writeScript(bare, await bareCode(join(directory, "bare_code.mjs")));
  return { climax: join(folderBeside(file), "climax.mjs"), file, bare };
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
  // Of the folder, what a start loads
  const loaded = (path: string) =>
    form === "portable" ? join(dirname(path), "parts/core.mjs") : path;
  const mebibytes = async (path: string) => [(await Deno.stat(path)).size / 1024 / 1024];
  return [
    { ...common, name: `start, one tool, ${form}`, samples: samples.one, aim: 1.15 },
    { ...common, name: `start, git, ${form}`, samples: samples.git, aim: 1.2 },
    { ...common, name: `noise: start, bare server again, ${form}`, samples: samples.again },
    {
      name: `size, ${form}`,
      unit: "MiB",
      floor,
      samples: await mebibytes(loaded(climax)),
      floorSamples: await mebibytes(bare),
    },
  ];
}

async function writeScript(path: string, code: string): Promise<void> {
  const script = portableScript(code, permissions);
  await Deno.writeTextFile(path, script, { mode: 0o755 });
}

async function bareCode(output: string): Promise<string> {
  const cwd = fileURLToPath(new URL("../", import.meta.url));
  const args = ["bundle", "--quiet", "--minify", "--output", output, "bench/bare_server.ts"];
  await new Deno.Command(Deno.execPath(), { args, cwd }).output();
  return await Deno.readTextFile(output);
}
