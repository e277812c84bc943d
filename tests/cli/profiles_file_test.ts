/** What a file of profiles says, and what is wrong with one. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { ClimaxError, formatProblem } from "../../src/errors.ts";
import { scratch } from "../e2e/_scratch.ts";
import { readProfiles } from "../../src/cli/served_profiles.ts";
import { unix } from "../_requirements.ts";

Deno.test("readProfiles() sees paths from the file, and who may use which profile", async () => {
  await using dir = await scratch({
    "profiles.yaml": `profiles:
  shop: { directory: shop, configs: [git, ./own.yaml], mcp: [s.json], policy: p.yaml, clients: [ada] }
  open: { directory: ./shop-2, configs: [git], policy: readonly }
`,
  });
  const path = (name: string) => join(dir.path, name);
  await Deno.mkdir(path("shop"));
  await Deno.mkdir(path("shop-2"));
  const profiles = await readProfiles(path("profiles.yaml"));
  assert.deepEqual(profiles.all, [
    {
      name: "shop",
      directory: path("shop"),
      configs: ["git", path("own.yaml")],
      mcp: [path("s.json")],
      policy: path("p.yaml"),
    },
    {
      name: "open",
      directory: path("shop-2"),
      configs: ["git"],
      mcp: undefined,
      policy: "readonly",
    },
  ]);
  const ada = { name: "ada", scopes: [] };
  const bob = { name: "bob", scopes: ["ada"] };
  const admitted = [ada, bob].map((who) =>
    ["shop", "open", "no"].map((name) => profiles.admits(who, name))
  );
  assert.deepEqual(admitted, [[true, true, false], [false, true, false]]);
  assert.deepEqual([profiles.binds(ada), profiles.binds(bob), profiles.hasClients], [
    true,
    false,
    true,
  ]);
});

const invalid: readonly (readonly [what: string, text: string, expected: RegExp])[] = [
  ["nothing", "profiles: {}", /The file has no profile/],
  [
    "no directory",
    "profiles: { a: { configs: [git] } }",
    /yaml:1:16: Missing required key 'directory'/,
  ],
  ["an unknown key", "profiles: { a: { directory: a, configs: [git], police: p } }", /police/],
  ["no list of clients", "profiles: { a: { directory: a, configs: [git], clients: } }", /clients/],
  ["no source", "profiles: { a: { directory: a } }", /Profile 'a' serves nothing/],
  [
    "a name of a path",
    "profiles: { ../a: { directory: a, configs: [git] } }",
    /cannot have this name/,
  ],
  [
    "a missing directory",
    "profiles: { a: { directory: no, configs: [git] } }",
    /'a' has no directory/,
  ],
  [
    "a file as directory",
    "profiles: { a: { directory: f, configs: [git] } }",
    /'a' has no directory/,
  ],
  [
    "a directory in another",
    "profiles: { a: { directory: a, configs: [git] }, b: { directory: a/b, configs: [git] } }",
    /Profiles 'a' and 'b' share files/,
  ],
  [
    "a link to another",
    "profiles: { b: { directory: link, configs: [git] }, a: { directory: a, configs: [git] } }",
    /Profiles 'b' and 'a' share files/,
  ],
];

for (const [what, text, expected] of invalid) {
  unix.test(`readProfiles() refuses ${what}`, async () => {
    await using dir = await scratch();
    const path = (name: string) => join(dir.path, name);
    await Deno.mkdir(path("a/b"), { recursive: true });
    await Deno.symlink(path("a"), path("link"));
    await Deno.writeTextFile(path("f"), "");
    await Deno.writeTextFile(path("profiles.yaml"), text);
    const error = await readProfiles(path("profiles.yaml")).catch((error) => error);
    assert.equal(error instanceof ClimaxError, true, String(error));
    assert.match(error.problems.map(formatProblem).join("\n"), expected);
  });
}
