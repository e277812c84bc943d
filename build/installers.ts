/**
 * Writes the installers of a release, from the archives in `dist/release/` (or the directory of
 * `--release`) and into it: `install.sh`, a formula for Homebrew and a manifest for Scoop, each with the
 * SHA-256 of its download. `_repository.ts` finds the repository, which must be known.
 */

import { join } from "node:path";
import manifest from "../deno.json" with { type: "json" };
import { buildArguments } from "./_arguments.ts";
import template from "./_install.sh" with { type: "text" };
import { repository } from "./_repository.ts";

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
}

/** Homebrew and Scoop show it in their lists. */
const description = "Make command-line programs usable by AI agents, over MCP";

function downloadsOf(repository: string): string {
  return `${repository}/releases/download`;
}

async function readRelease(directory: string, repository: string): Promise<Release> {
  const archives = await Promise.all(targets.map(async (target) => {
    const name = `climax-${version}-${target}.tar.gz`;
    const bytes = await Deno.readFile(join(directory, name));
    const sha256 = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
    return [target, { name, url: `${downloadsOf(repository)}/v${version}/${name}`, sha256 }];
  }));
  return { repository, archives: Object.fromEntries(archives) };
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

function scoopManifest({ repository, archives }: Release): object {
  const { url, sha256 } = archives["x86_64-pc-windows-msvc"];
  return {
    version,
    description,
    homepage: repository,
    license: "MIT",
    architecture: { "64bit": { url, hash: sha256 } },
    bin: "climax.exe",
    checkver: { github: repository },
    autoupdate: {
      architecture: { "64bit": { url: url.replaceAll(version, "$version") } },
      hash: { url: "$baseurl/SHA256SUMS" },
    },
  };
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
  await write("climax.rb", formula(release));
  await write("climax.json", `${JSON.stringify(scoopManifest(release), null, 4)}\n`);
}
