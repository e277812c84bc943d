/**
 * Prints the bill of materials of a release as CycloneDX JSON: Deno, the bases of binaries, and the packages that the
 * program imports, with the versions and hashes in `deno.lock`.
 */

import lockText from "../deno.lock" with { type: "text" };
import manifest from "../deno.json" with { type: "json" };
import { type Base } from "./base_hash.ts";

/** The part of a lock file that is read; ids are `name@version`, with `_` in front of peer packages. */
export interface Lock {
  readonly npm: Readonly<Record<string, LockedPackage>>;
}

interface LockedPackage {
  readonly integrity: string;
  /** Names, with a version where the lock file has several. */
  readonly dependencies?: readonly string[];
}

/** One package of a bill of materials. */
export interface Component {
  readonly type: "library" | "platform";
  readonly "bom-ref": string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly hashes?: readonly { readonly alg: "SHA-256" | "SHA-512"; readonly content: string }[];
}

/**
 * Returns the bill of materials of the packages `imported`, named as in `lock`, and their dependencies, and of the
 * `bases` that binaries were made of.
 */
export function sbomOf(
  lock: Lock,
  imported: readonly string[],
  bases: readonly Base[] = [],
): object {
  const { name, version } = manifest;
  const root = `pkg:npm/${name}@${version}`;
  const deno: Component = {
    type: "platform",
    "bom-ref": `pkg:github/denoland/deno@v${Deno.version.deno}`,
    name: "deno",
    version: Deno.version.deno,
    purl: `pkg:github/denoland/deno@v${Deno.version.deno}`,
  };
  const found = new Set(imported);
  // A set also yields the items that are added during the loop
  for (const id of found) neededBy(id, lock).forEach((needed) => found.add(needed));
  const ids = [...found].toSorted();
  const components = ids.map((id) => componentOf(id, lock));
  const component = { type: "application", "bom-ref": root, name, version, purl: root };
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component },
    components: [deno, ...bases.map(componentOfBase), ...components],
    dependencies: [
      { ref: root, dependsOn: [deno["bom-ref"], ...imported.toSorted().map(purlOf)] },
      { ref: deno["bom-ref"], dependsOn: [] },
      ...ids.map((id) => ({ ref: purlOf(id), dependsOn: neededBy(id, lock).map(purlOf) })),
    ],
  };
}

function componentOfBase({ file, version, sha256, checksum }: Base): Component {
  const address = encodeURIComponent(checksum.replace(/\.sha256sum$/, ""));
  const purl = `pkg:generic/${file}@${version}?download_url=${address}`;
  return {
    type: "platform",
    "bom-ref": purl,
    name: file,
    version,
    purl,
    hashes: [{ alg: "SHA-256", content: sha256 }],
  };
}

function componentOf(id: string, lock: Lock): Component {
  const [name, version] = nameAndVersion(id);
  const base64 = lock.npm[id]!.integrity.replace(/^sha512-/, "");
  const content = Uint8Array.fromBase64(base64).toHex();
  const purl = purlOf(id);
  return {
    type: "library",
    "bom-ref": purl,
    name,
    version,
    purl,
    hashes: [{ alg: "SHA-512", content }],
  };
}

function neededBy(id: string, lock: Lock): string[] {
  const all = Object.keys(lock.npm);
  return (lock.npm[id]!.dependencies ?? []).map((needed) => {
    return all.find((other) => other === needed || other.startsWith(`${needed}@`))!;
  });
}

function nameAndVersion(id: string): [name: string, version: string] {
  const [, name, version] = /^(@?[^@]+)@([^_]+)/.exec(id)!;
  return [name!, version!];
}

function purlOf(id: string): string {
  const [name, version] = nameAndVersion(id);
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}

/** Lists the packages that `main.ts` and its imports use, by their names in the lock file. */
export async function importedPackages(): Promise<string[]> {
  const command = new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", "main.ts"],
    cwd: new URL("../", import.meta.url),
  });
  const { modules } = JSON.parse(new TextDecoder().decode((await command.output()).stdout)) as {
    readonly modules: readonly { readonly npmPackage?: string }[];
  };
  return [...new Set(modules.flatMap(({ npmPackage }) => npmPackage ?? []))];
}

if (import.meta.main) {
  const sbom = sbomOf(JSON.parse(lockText), await importedPackages());
  Deno.stdout.writeSync(new TextEncoder().encode(`${JSON.stringify(sbom, null, 2)}\n`));
}
