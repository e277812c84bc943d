/** Returns the code of the running program, in any form of the program. */

import { fileURLToPath } from "node:url";
import { buildForm, partsFolder } from "../process/build_info.ts";
import { FileError, messageOf } from "../errors.ts";
import { runDeno } from "./deno.ts";
import { moduleCodeOf } from "./script.ts";

/** This program's code as one module, sources by `build/program.ts`. @throws {ClimaxError} */
export async function programCode(): Promise<string> {
  if (buildForm() === "source") return await collectSources();
  const parts = partsFolder();
  return parts === undefined
    ? moduleCodeOf(await readOwn(new URL(import.meta.url), Deno.readTextFile))
    : await codeOfParts(parts);
}

/** The file of the parts with the program as one module, compressed. */
export const packedCodeFile = "program.mjs.br";

/** A compressed text in a bundle. */
export const packedText = /\bfromBase64\("[A-Za-z0-9+/=]{100000,}"\)/g;

/** Removes compressed texts from `code`: a sealed server asks no model. */
export function withoutPacked(code: string): string {
  return code.replace(packedText, 'fromBase64("")');
}

async function collectSources(): Promise<string> {
  const root = new URL("../../", import.meta.url);
  const output = await Deno.makeTempFile({ prefix: "climax-", suffix: ".mjs" });
  try {
    const permissions = ["--allow-read", "--allow-write", "--allow-env", "--allow-run"];
    await runDeno(["run", "--quiet", ...permissions, "build/program.ts", output], {
      cwd: fileURLToPath(root),
      hint: "A build from source takes all packages of the project and the bundler (npm:esbuild)",
    });
    return await Deno.readTextFile(output);
  } finally {
    await Deno.remove(output);
  }
}

async function codeOfParts(parts: URL): Promise<string> {
  const { brotliDecompressSync } = await import("node:zlib");
  return brotliDecompressSync(await readOwn(new URL(packedCodeFile, parts), Deno.readFile))
    .toString();
}

async function readOwn<T>(url: URL, read: (path: string) => Promise<T>): Promise<T> {
  try {
    return await read(fileURLToPath(url));
  } catch (error) {
    const message = `The program cannot read its own code: ${messageOf(error)}`;
    const hint = "Use the portable form (climax.mjs) or the source to build a server";
    throw new FileError("Nothing was built", { message, hint });
  }
}
