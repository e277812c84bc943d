/** Builds the portable form of the program: as a folder, which starts fastest, and as one file. */

import { dirname, join } from "node:path";
import { partsKey } from "../src/process/build_info.ts";
import { v8Flags } from "../src/process/own_command.ts";
import { ExitCode } from "../src/errors.ts";
import { bundleProgram, minifiedProgram, type ProgramBundle, zodSettings } from "./_bundle.ts";
import { requireDisposal } from "./_disposal.ts";
import { partsOf } from "./_parts.ts";
import { portableScript } from "./_script.ts";

/** Where the forms are written. */
export interface PortableOptions {
  /** Path of the file that is the whole program. */
  readonly file: string;
  /** Path of the folder: `climax.mjs`, and `parts/` with what it loads. */
  readonly folder: string;
  /** The permissions of both, as Deno flags. */
  readonly flags: readonly string[];
}

/**
 * Imports the parts beside this file, or beside the file that a symbolic link leads to. The literal has Deno
 * load them at once, and needs no permission.
 */
const startCode = `await import("./parts/start.mjs").catch((error)=>{` +
  `const own=Deno.realPathSync(import.meta.filename);` +
  `if(own!==import.meta.filename)` +
  `return import(process.getBuiltinModule("node:url").pathToFileURL(own).href);` +
  `if(error.code!=="ERR_MODULE_NOT_FOUND")throw error;` +
  `console.error("error: The folder 'parts' is not beside "+own+"\\n  hint: Copy the folder of ` +
  `climax.mjs as a whole, or take the portable form in one file");Deno.exit(${ExitCode.failure})});\n`;

/** Builds both forms. */
export async function buildPortable(
  { file, folder, flags: permissions }: PortableOptions,
): Promise<void> {
  const flags = [v8Flags, ...permissions];
  await bundleProgram(async (bundle) => {
    const whole = await minifiedProgram(bundle);
    const parts = await minifiedParts(bundle);
    await Deno.mkdir(dirname(file), { recursive: true });
    await writeScript(file, portableScript(whole, flags));
    await Deno.remove(folder, { recursive: true }).catch(() => {});
    const own = join(folder, "parts");
    await Deno.mkdir(own, { recursive: true });
    await writeScript(join(folder, "climax.mjs"), portableScript(startCode, flags));
    for (const [name, code] of parts) await Deno.writeTextFile(join(own, name), code);
  });
}

async function minifiedParts({ code, minify }: ProgramBundle): Promise<Map<string, string>> {
  const parts = partsOf(code, (statement) => {
    return zodSettings.startsWith(statement.replace(/\s/g, "").slice(0, 28))
      ? `globalThis[Symbol.for(${JSON.stringify(partsKey)})] = import.meta.url;\n${statement}`
      : statement;
  });
  const others = parts.map(({ name }) => `./${name}`);
  const minified = new Map<string, string>();
  for (const { name, code } of parts) minified.set(name, await minify(code, others));
  requireDisposal(code, [...minified.values()].join("\n"));
  return minified;
}

async function writeScript(path: string, script: string): Promise<void> {
  await Deno.writeTextFile(path, script);
  if (Deno.build.os !== "windows") await Deno.chmod(path, 0o755);
}
