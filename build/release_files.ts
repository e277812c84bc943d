/**
 * Makes every file of a release in `dist/release/` (or the directory of `--output`) from `deno.json` and the
 * checkout, and lists them. What this machine cannot make is named and left out: archives need the binaries
 * below `--binaries DIR` (`DIR/TARGET/climax`) or archives that are already in the directory, installers need
 * all of those, and some files need the repository's address. `_repository.ts` finds it. With `--whole`, a file
 * that is left out is a failure, but for a bundle whose Deno is not on npm: the others are released without it.
 */

import { join } from "node:path";
import manifest from "../deno.json" with { type: "json" };
import { buildArguments } from "./_arguments.ts";
import { bundleSystems, writeBundle } from "./_mcpb.ts";
import { say } from "./_problems.ts";
import { claudePlugin, texts } from "./_release_texts.ts";
import { repository } from "./_repository.ts";
import { runTool, writeArchive } from "./_zip.ts";
import { baseFileOf } from "./base_hash.ts";
import { targets } from "./installers.ts";

const { options, flags } = buildArguments(Deno.args, [
  "output",
  "binaries",
  "repository",
  "script",
], ["--whole"]);
const output = options.get("output") ?? join("dist", "release");
const script = options.get("script") ?? join("dist", "climax.mjs");
const address = repository(options);
const name = `climax-${manifest.version}`;
const permissions = flags.filter((flag) => flag !== "--whole");
const leftOut: string[] = [];
const absent: string[] = [];

await Deno.mkdir(output, { recursive: true });
refuseOtherVersions();
await packProgram();
await packNpm();
for (const [file, text] of Object.entries(texts)) {
  if (address === undefined) leftOut.push(`${file}: needs --repository URL`);
  else await Deno.writeTextFile(join(output, file), text(address));
}
await writeArchive(join(output, `${name}-claude-plugin.zip`), claudePlugin);
for (const [system, each] of Object.entries(bundleSystems)) {
  const file = `${name}-${system}.mcpb`;
  const why = await writeBundle(join(output, file), each, { script, repository: address });
  if (why !== undefined) (why.isAbsent ? absent : leftOut).push(`${file}: ${why.text}`);
}
await packInstallers();
await writeSums();
await list();
if (leftOut.length > 0 && flags.includes("--whole")) Deno.exitCode = 1;

/** Runs a script of this folder, with the repository's address and `args`. */
async function build(file: string, args: readonly string[]): Promise<void> {
  const where = address === undefined ? [] : ["--repository", address];
  const own = ["--allow-read", "--allow-write", "--allow-env", "--allow-run"];
  await runTool([Deno.execPath(), "run", ...own, join("build", file), ...where, ...args]);
}

async function packProgram(): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "climax-release-" });
  try {
    await Deno.copyFile(script, join(folder, "climax.mjs"));
    await build("archive.ts", ["--from", folder, "--output", output]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
  const binaries = options.get("binaries");
  if (binaries === undefined) return;
  for (const target of targets.filter((target) => isThere(join(binaries, target)))) {
    await build("archive.ts", ["--from", join(binaries, target), "--output", output, target]);
  }
}

async function packNpm(): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "climax-npm-" });
  try {
    await build("npm.ts", ["--output", folder, "--script", script, ...permissions]);
    const npm = Deno.build.os === "windows" ? "npm.cmd" : "npm";
    await runTool([npm, "pack", "--silent", "--pack-destination", output, folder]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function packInstallers(): Promise<void> {
  const missing = targets.filter((target) => !isThere(join(output, `${name}-${target}.tar.gz`)));
  leftOut.push(...missing.map((target) => `${name}-${target}.tar.gz: needs --binaries DIR`));
  const unknown = targets.map(baseFileOf).filter((file) => !isThere(join(output, file)));
  if (unknown.length > 0) leftOut.push(`${unknown.join(", ")}: 'release base' writes them`);
  if (missing.length === 0 && address !== undefined) {
    await build("installers.ts", ["--release", output]);
    return;
  }
  const why = missing.length > 0 ? "need all archives" : "need --repository URL";
  leftOut.push(`install.sh, install.ps1, climax.rb: ${why}`);
}

function isThere(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

function filesThere(): string[] {
  return [...Deno.readDirSync(output)].map(({ name }) => name).toSorted();
}

/** Checks the directory, whose files are all released. @throws for a file of another version */
function refuseOtherVersions(): void {
  const other = filesThere().filter((file) => /-\d/.test(file) && !file.includes(manifest.version));
  if (other.length === 0) return;
  throw new Error(`${output} has files of another version: remove ${other.join(", ")}`);
}

/** Writes `SHA256SUMS` over all other files, as `sha256sum` does. */
async function writeSums(): Promise<void> {
  const lines: string[] = [];
  for (const file of filesThere().filter((file) => file !== "SHA256SUMS")) {
    const bytes = await Deno.readFile(join(output, file));
    const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
    lines.push(`${sum}  ${file}\n`);
  }
  await Deno.writeTextFile(join(output, "SHA256SUMS"), lines.join(""));
}

async function list(): Promise<void> {
  for (const file of filesThere()) {
    const { size } = await Deno.stat(join(output, file));
    say(`${String(Math.ceil(size / 1024)).padStart(8)} KiB  ${file}`);
  }
  for (const each of [...absent, ...leftOut]) say(`left out: ${each}`);
  // A run that succeeds is not read, but for its annotations
  const isWorkflow = Deno.env.get("GITHUB_ACTIONS") === "true";
  for (const each of isWorkflow ? absent : []) say(`::warning::left out: ${each}`);
}
