/**
 * The manifests of `deploy/` as Kustomize builds them, against the API: types that others generate from the API's own
 * description. They know each field, its type, and which must be there; Deno's compiler compares.
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { loadAll } from "js-yaml";
import { isHere, needs, programs } from "../../_requirements.ts";
import { root } from "../../_fixtures.ts";
import { scratch } from "../../e2e/_scratch.ts";

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
}

const packages = ["npm:kubernetes-types@1.30.0", "npm:@kubernetes/client-node@2.0.1"];

/** The oldest Kubernetes that `deploy/README.md` names, and a recent one: a manifest with its type in each. */
const apis: Readonly<Record<string, (manifest: Manifest) => string>> = {
  "1.30": (manifest) => {
    const { apiVersion, kind } = manifest;
    const path = apiVersion.includes("/")
      ? apiVersion.replace(".k8s.io", "")
      : `core/${apiVersion}`;
    const from = `${packages[0]}/${path}.d.ts`;
    return `(${JSON.stringify(manifest)}) satisfies import("${from}").${kind};`;
  },
  "1.36": (manifest) => {
    const { apiVersion, kind } = manifest;
    // The client has names that JavaScript does not reserve
    const text = JSON.stringify(manifest).replaceAll('"from":', '"_from":');
    const type = `V${apiVersion.split("/").at(-1)!.slice(1)}${kind}`;
    return `(${text}) satisfies import("${packages[1]}").${type};`;
  },
};

const pod: Manifest & Record<string, unknown> = {
  apiVersion: "v1",
  kind: "Pod",
  spec: { containers: [{ name: "a", lifecycle: { preStop: { sleep: { seconds: 5 } } } }] },
};

/** What the compiler says of `manifests`, by the API of `version`; empty if they fit. */
async function faultsOf(manifests: readonly Manifest[], version: string): Promise<string> {
  await using dir = await scratch({ "manifests.ts": manifests.map(apis[version]!).join("\n") });
  const file = join(dir.path, "manifests.ts");
  const args = ["check", "--quiet", "--no-config", "--no-lock", file];
  const options = { args, cwd: dir.path, env: { NO_COLOR: "1" }, stdin: "null" } as const;
  const { success, stderr } = await new Deno.Command(Deno.execPath(), options).output();
  return success ? "" : new TextDecoder().decode(stderr);
}

const fetch = ["cache", "--quiet", "--no-config", "--no-lock", ...packages];
const known = needs("the types of Kubernetes on npm", await isHere(Deno.execPath(), fetch));
const kubectl = await programs({ kubectl: ["version", "--client"] });

async function build(folder: string): Promise<Manifest[]> {
  const args = ["kustomize", folder];
  const { stdout, stderr } = await new Deno.Command("kubectl", { args }).output();
  const all = loadAll(new TextDecoder().decode(stdout)) as Manifest[];
  assert.notEqual(all.length, 0, new TextDecoder().decode(stderr));
  return all;
}

/** `deploy/kubernetes` with the component of calls that wait. */
async function buildWithQueue(): Promise<Manifest[]> {
  await using dir = await scratch();
  const { success } = await new Deno.Command("cp", {
    args: ["-r", join(root, "deploy", "kubernetes"), dir.path],
  }).output();
  assert.equal(success, true);
  const file = join(dir.path, "kubernetes", "kustomization.yaml");
  await Deno.writeTextFile(file, "components: [queue]\n", { append: true });
  return await build(join(dir.path, "kubernetes"));
}

const folders: [name: string, kinds: number, manifests: () => Promise<Manifest[]>][] = [
  ["kubernetes", 7, () => build(join(root, "deploy", "kubernetes"))],
  ["kubernetes with queue/", 7, buildWithQueue],
  ["kubernetes-state", 10, () => build(join(root, "deploy", "kubernetes-state"))],
];

for (const version of Object.keys(apis)) {
  for (const [name, count, manifests] of folders) {
    Deno.test(`deploy/${name} is what the API of Kubernetes ${version} takes`, {
      ignore: known.ignore || kubectl.ignore,
    }, async () => {
      const all = await manifests();
      assert.equal(all.length, count);
      assert.equal(await faultsOf(all, version), "");
    });
  }
}

const wrong: [what: string, manifest: object, said: RegExp][] = [
  [
    "an unknown field",
    { spec: { containers: [{ name: "a", imagee: "b" }] } },
    /imagee\W+ does not exist/,
  ],
  ["a field that is missing", { spec: {} }, /containers'+ is missing/],
  [
    "a field of another type",
    { spec: { containers: [{ name: 1 }] } },
    /'number' is not assignable to type 'string'/,
  ],
];

for (const [what, manifest, said] of wrong) {
  known.test(`the API of Kubernetes refuses ${what}`, async () => {
    for (const version of Object.keys(apis)) {
      assert.match(await faultsOf([{ ...pod, ...manifest }], version), said);
    }
  });
}
