/** Commands that a person types, with all bundled configs, beside one that loads none. */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { interleave, type Measurement, time } from "./_stats.ts";

/** Measures them from source, and in the portable form that {@linkcode measureArtefacts} built in `directory`. */
export async function measureByHand(
  directory: string,
  { rounds }: { rounds: number },
): Promise<Measurement[]> {
  const main = fileURLToPath(new URL("../main.ts", import.meta.url));
  const source = ["deno", "run", "-qP", "--unstable-lazy-dynamic-imports", main];
  return [
    ...await measureForm("source", source, { rounds, aim: 2 }),
    ...await measureForm("portable", [join(directory, "portable", "climax.mjs")], {
      rounds,
      aim: 1.5,
    }),
  ];
}

async function measureForm(
  form: string,
  program: readonly string[],
  { rounds, aim }: { rounds: number; aim: number },
): Promise<Measurement[]> {
  const timed = (...words: string[]) => () => time(() => run([...program, ...words]));
  const samples = await interleave({
    version: timed("version"),
    list: timed("list"),
    search: timed("search", "undo", "a", "commit"),
    call: timed("call", "git_log", "max_count=1"),
  }, { rounds, warmUp: 2 });
  const { version: floorSamples, ...commands } = samples;
  return Object.entries(commands).map(([name, own]) => {
    const floor = `climax version, ${form}`;
    return { name: `climax ${name}, ${form}`, unit: "ms", floor, floorSamples, samples: own, aim };
  });
}

async function run([program, ...args]: readonly string[]): Promise<void> {
  const { code } = await new Deno.Command(program!, { args, stdout: "piped", stderr: "inherit" })
    .output();
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}`);
}
