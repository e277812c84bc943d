/** The bill of materials: what the program imports, as the lock file has it. */

import assert from "node:assert/strict";
import { type Component, importedPackages, type Lock, sbomOf } from "../../build/sbom.ts";
import lockText from "../../deno.lock" with { type: "text" };

interface Sbom {
  readonly bomFormat: string;
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: string[] }[];
}

const integrity = `sha512-${new Uint8Array(64).fill(10).toBase64()}`;

const lock: Lock = {
  npm: {
    "@a/b@1.0.0_c@2.0.0": { integrity, dependencies: ["c@2.0.0", "d"] },
    "c@1.0.0": { integrity },
    "c@2.0.0": { integrity },
    "d@3.0.0": { integrity },
  },
};

Deno.test("sbomOf() lists what is imported and what that needs, with hashes", () => {
  const { bomFormat, components, dependencies } = sbomOf(lock, ["@a/b@1.0.0_c@2.0.0"]) as Sbom;
  assert.equal(bomFormat, "CycloneDX");
  assert.deepEqual(components.map(({ purl }) => purl), [
    `pkg:github/denoland/deno@v${Deno.version.deno}`,
    "pkg:npm/%40a/b@1.0.0",
    "pkg:npm/c@2.0.0",
    "pkg:npm/d@3.0.0",
  ]);
  assert.deepEqual(components[1]!.hashes, [{ alg: "SHA-512", content: "0a".repeat(64) }]);
  const [root, , first] = dependencies;
  assert.deepEqual(root!.dependsOn, [components[0]!["bom-ref"], "pkg:npm/%40a/b@1.0.0"]);
  assert.deepEqual(first, {
    ref: "pkg:npm/%40a/b@1.0.0",
    dependsOn: ["pkg:npm/c@2.0.0", "pkg:npm/d@3.0.0"],
  });
});

Deno.test("the program's own bill of materials is complete, without what only tests use", async () => {
  const { components, dependencies } = sbomOf(
    JSON.parse(lockText),
    await importedPackages(),
  ) as Sbom;
  const names = components.map(({ name }) => name);
  for (const name of ["deno", "zod", "commander", "@modelcontextprotocol/server"]) {
    assert.equal(names.includes(name), true, name);
  }
  assert.equal(names.includes("fast-check"), false);
  const refs = new Set(components.map((component) => component["bom-ref"]));
  const unknown = dependencies.flatMap(({ dependsOn }) => dependsOn).filter((ref) =>
    !refs.has(ref)
  );
  assert.deepEqual(unknown, []);
});
