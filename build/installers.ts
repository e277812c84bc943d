/**
 * Writes the installers of a release, from the archives in `dist/release/` (or the directory of
 * `--release`) and into it: `install.sh`, `install.ps1` and a formula for Homebrew,
 * each with the SHA-256 of its download, and the ZIP file that Windows unpacks without a program.
 * `_repository.ts` finds the repository, which must be known.
 */

import { join } from "node:path";
import manifest from "../deno.json" with { type: "json" };
import { buildArguments } from "./_arguments.ts";
import { description } from "./_facts.ts";
import powershell from "./_install.ps1" with { type: "text" };
import template from "./_install.sh" with { type: "text" };
import { repository } from "./_repository.ts";
import { runTool, writeArchive } from "./_zip.ts";

const { version } = manifest;

/** The targets of a release. */
export const targets = [
  "x86_64-unknown-linux-gnu",
  "aarch64-unknown-linux-gnu",
  "x86_64-apple-darwin",
  "aarch64-apple-darwin",
  "x86_64-pc-windows-msvc",
] as const;

type Target = typeof targets[number];

/** An archive of a release. */
interface Archive {
  readonly name: string;
  readonly url: string;
  readonly sha256: string;
}

interface Release {
  readonly repository: string;
  readonly archives: Readonly<Record<Target, Archive>>;
  /** The archive that install.ps1 downloads. */
  readonly zip: Archive;
}

const windows = "x86_64-pc-windows-msvc";

function downloadsOf(repository: string): string {
  return `${repository}/releases/download`;
}

async function readRelease(directory: string, repository: string): Promise<Release> {
  const read = async (name: string): Promise<Archive> => {
    const bytes = await Deno.readFile(join(directory, name));
    const sha256 = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
    return { name, url: `${downloadsOf(repository)}/v${version}/${name}`, sha256 };
  };
  const archives = await Promise.all(targets.map(async (target) => {
    return [target, await read(`climax-${version}-${target}.tar.gz`)] as const;
  }));
  await writeZip(directory);
  return {
    repository,
    archives: Object.fromEntries(archives) as Record<Target, Archive>,
    zip: await read(`climax-${version}-${windows}.zip`),
  };
}

/** Writes the archive for Windows as a ZIP file: PowerShell unpacks no other. */
async function writeZip(directory: string): Promise<void> {
  const unpacked = await Deno.makeTempDir({ prefix: "climax-windows-" });
  try {
    const name = `climax-${version}-${windows}`;
    await runTool(["tar", "-xzf", join(directory, `${name}.tar.gz`), "-C", unpacked]);
    const files = [...Deno.readDirSync(unpacked)].map(({ name }) => {
      return [name, { from: join(unpacked, name) }] as const;
    });
    await writeArchive(join(directory, `${name}.zip`), Object.fromEntries(files));
  } finally {
    await Deno.remove(unpacked, { recursive: true });
  }
}

function installScript({ repository, archives }: Release): string {
  // Windows has neither sh nor the same archive
  const sums = targets.filter((target) => !target.includes("windows"))
    .map((target) => `      ${target}) echo ${archives[target].sha256} ;;`);
  const values: Readonly<Record<string, string>> = {
    "# @SUMS@": sums.join("\n").trimStart(),
    "@VERSION@": version,
    "@DOWNLOADS@": downloadsOf(repository),
    // Redirects must stay on HTTPS as well
    "@CURL@": repository.startsWith("https:") ? "--proto '=https' --tlsv1.2" : "--proto '=http'",
  };
  return template.replace(/(?:# )?@[A-Z]+@/g, (name) => values[name]!);
}

function windowsScript({ repository, zip }: Release): string {
  const values: Readonly<Record<string, string>> = {
    "@VERSION@": version,
    "@DOWNLOADS@": downloadsOf(repository),
    "@SUM@": zip.sha256,
  };
  return powershell.replace(/@[A-Z]+@/g, (name) => values[name]!);
}

function formula({ repository, archives }: Release): string {
  const source = (target: Target): string =>
    `url "${archives[target].url}"\n      sha256 "${archives[target].sha256}"`;
  const system = (name: string, arm: Target, intel: Target): string =>
    `  on_${name} do
    on_arm do
      ${source(arm)}
    end
    on_intel do
      ${source(intel)}
    end
  end
`;
  return `class Climax < Formula
  desc "${description}"
  homepage "${repository}"
  version "${version}"
  license "MIT"

${system("macos", "aarch64-apple-darwin", "x86_64-apple-darwin")}
${system("linux", "aarch64-unknown-linux-gnu", "x86_64-unknown-linux-gnu")}
  def install
    bin.install "climax"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/climax --version")
  end
end
`;
}

if (import.meta.main) {
  const { options } = buildArguments(Deno.args, ["release", "repository"]);
  const directory = options.get("release") ?? join("dist", "release");
  const address = repository(options);
  if (address === undefined) {
    throw new Error("Where the release will be is not known: expected --repository URL");
  }
  const release = await readRelease(directory, address);
  const write = (name: string, text: string) => Deno.writeTextFile(join(directory, name), text);
  await write("install.sh", installScript(release));
  await write("install.ps1", windowsScript(release));
  await write("climax.rb", formula(release));
}
