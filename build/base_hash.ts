/**
 * Compares the base runtime that `deno compile` downloaded with the checksum that Deno publishes on its page of
 * releases, since Deno compares it with none: `deno run -A build/base_hash.ts [TARGET]`, after `deno task compile`. The checksum
 * comes from another host than the base. Writes both into `dist/release/` (or the directory of `--output`), from where
 * they go into the bill of materials. `--from URL` names a mirror of the releases.
 */

import { join } from "node:path";
import manifest from "../deno.json" with { type: "json" };
import { buildArguments } from "./_arguments.ts";
import { denoVersion } from "./_facts.ts";
import { say } from "./_problems.ts";

/** A base runtime that was compared. */
export interface Base {
  readonly file: string;
  /** The version of Deno. */
  readonly version: string;
  readonly sha256: string;
  /** The address of its published checksum. */
  readonly checksum: string;
}

/** The name of the file about the base of the binary for `target`. */
export function baseFileOf(target: string): string {
  return `climax-${manifest.version}-${target}.base.json`;
}

/** Reads a checksum as `shasum` and `Get-FileHash` print it. */
export function checksumIn(text: string): string | undefined {
  return /\b[0-9a-f]{64}\b/i.exec(text)?.[0].toLowerCase();
}

/** The folder of downloads of the Deno that runs this. */
async function downloads(): Promise<string> {
  const command = new Deno.Command(Deno.execPath(), { args: ["info", "--json"] });
  const { denoDir } = JSON.parse(new TextDecoder().decode((await command.output()).stdout));
  return join(denoDir, "dl", "release", `v${denoVersion}`);
}

/** @throws when the download for `target` is missing, or is not what Deno published */
async function compareBase(target: string, releases: string): Promise<Base> {
  if (Deno.env.get("DENORT_BIN")) {
    throw new Error(
      "DENORT_BIN is set, so the binary has another base than Deno's download: unset it, and build again",
    );
  }
  const file = `denort-${target}.zip`;
  const path = join(await downloads(), file);
  const bytes = await Deno.readFile(path).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new Error(`${path} is not there: build the binary first (deno task compile)`);
  });
  const sha256 = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
  const checksum = `${releases}/v${denoVersion}/${file}.sha256sum`;
  const response = await fetch(checksum);
  const published = checksumIn(await response.text());
  if (!response.ok || published === undefined) {
    throw new Error(`${checksum} has no checksum: status ${response.status}`);
  }
  if (published !== sha256) {
    throw new Error(
      `${path} is not what Deno published: its SHA-256 is ${sha256}, expected ${published}`,
    );
  }
  return { file, version: denoVersion, sha256, checksum };
}

if (import.meta.main) {
  const { options, flags: [target = Deno.build.target] } = buildArguments(Deno.args, [
    "from",
    "output",
  ]);
  const releases = options.get("from") ?? "https://github.com/denoland/deno/releases/download";
  const output = options.get("output") ?? join("dist", "release");
  try {
    const base = await compareBase(target, releases);
    await Deno.mkdir(output, { recursive: true });
    await Deno.writeTextFile(
      join(output, baseFileOf(target)),
      `${JSON.stringify(base, null, 2)}\n`,
    );
    say(`${base.file} is what Deno published: ${base.sha256}`);
  } catch (error) {
    say((error as Error).message);
    Deno.exitCode = 1;
  }
}
