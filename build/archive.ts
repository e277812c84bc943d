/**
 * Puts the built files into `dist/release/` (or the directory of `--output`) under names with the version:
 * with a target, the binary in an archive; without one, the portable form, alone and in an archive, and the bill of
 * materials. On a
 * GitHub tag, the version must be the tag's. `_repository.ts` finds the repository.
 */

import { join } from "node:path";
import lockText from "../deno.lock" with { type: "text" };
import manifest from "../deno.json" with { type: "json" };
import { buildArguments } from "./_arguments.ts";
import { repository, withAddresses } from "./_repository.ts";
import { importedPackages, sbomOf } from "./sbom.ts";
import { writeArchive } from "./_zip.ts";

const { options, flags: [target] } = buildArguments(Deno.args, ["output", "from", "repository"]);
const output = options.get("output") ?? join("dist", "release");
const from = options.get("from") ?? "dist";
const name = `climax-${manifest.version}`;

const tag = Deno.env.get("GITHUB_REF_NAME");
if (tag?.startsWith("v") && tag !== `v${manifest.version}`) {
  throw new Error(`The tag is ${tag}, and the version in deno.json is ${manifest.version}`);
}
await Deno.mkdir(output, { recursive: true });
if (target === undefined) {
  const script = join(from, "climax.mjs");
  await Deno.copyFile(script, join(output, `${name}.mjs`));
  const files = {
    [`${name}/climax.mjs`]: { from: script, mode: 0o755 },
    [`${name}/LICENSE`]: { from: "LICENSE" },
  };
  await writeArchive(join(output, `${name}-portable.tar.gz`), files);
  const bases = [...Deno.readDirSync(output)].filter(({ name }) => name.endsWith(".base.json"))
    .map(({ name }) => JSON.parse(Deno.readTextFileSync(join(output, name)))).toSorted((a, b) => {
      return a.file < b.file ? -1 : 1;
    });
  const materials = sbomOf(JSON.parse(lockText), await importedPackages(), bases);
  const sbom = JSON.stringify(materials, null, 2);
  await Deno.writeTextFile(join(output, `${name}.cdx.json`), `${sbom}\n`);
} else {
  const binary = target.includes("windows") ? "climax.exe" : "climax";
  const archive = join(output, `${name}-${target}.tar.gz`);
  const pages = await Deno.makeTempDir({ prefix: "climax-archive-" });
  try {
    await Deno.copyFile("LICENSE", join(pages, "LICENSE"));
    await Deno.writeTextFile(join(pages, "README.md"), await readme());
    const args = ["-czf", archive, "-C", from, binary, "-C", pages, "LICENSE", "README.md"];
    const { success } = await new Deno.Command("tar", { args, stdout: "inherit" }).output();
    if (!success) {
      // It may be there without the binary
      await Deno.remove(archive).catch(() => {});
      throw new Error(`tar could not write ${archive}`);
    }
  } finally {
    await Deno.remove(pages, { recursive: true });
  }
}

/** Returns the README with links into the repository: the archive does not contain their targets. */
async function readme(): Promise<string> {
  const text = await Deno.readTextFile("README.md");
  const address = repository(options);
  return address === undefined ? text : withAddresses(text, "README.md", address);
}
