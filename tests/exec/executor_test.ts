/** `docker run` as a value; what comes of it stands in tests/e2e/docker_test.ts. */

import assert from "node:assert/strict";
import { containerName, type DockerExecutor, inContainer } from "../../src/exec/executor.ts";
import type { Invocation } from "../../src/exec/invocation.ts";

const executor: DockerExecutor = { kind: "docker", image: "alpine:3", volumes: [] };
const invocation: Invocation = {
  argv: ["git", "log", "-n", "1"],
  cwd: "/somewhere/on/this/machine",
  env: { TOKEN: "hidden", LANG: "C", NO_COLOR: "1" },
  timeoutMs: 1000,
};

const rows: readonly [
  what: string,
  executor: Partial<DockerExecutor>,
  invocation: Partial<Invocation>,
  options: { variables?: readonly string[]; cwd?: string },
  words: string,
][] = [
  ["the image and the command", {}, {}, {}, "--rm --name NAME alpine:3"],
  [
    "everything in the contract's order",
    { volumes: ["/a:/a:ro", "/b:/b"], network: "none", workingDir: "/work" },
    { stdin: "" },
    { variables: ["TOKEN", "LANG"] },
    "--rm -i --name NAME -e TOKEN -e LANG -v /a:/a:ro -v /b:/b --network none -w /work alpine:3",
  ],
  ["-i with an input", {}, { stdin: "text" }, {}, "--rm -i --name NAME alpine:3"],
  ["a directory asked for", {}, {}, { cwd: "/asked" }, "--rm --name NAME -w /asked alpine:3"],
  [
    "a relative directory seen from the executor's",
    { workingDir: "/work" },
    {},
    { cwd: "sub/./x" },
    "--rm --name NAME -w /work/sub/x alpine:3",
  ],
  [
    "an absolute directory instead of the executor's",
    { workingDir: "/work" },
    {},
    { cwd: "/asked" },
    "--rm --name NAME -w /asked alpine:3",
  ],
  [
    "the executor's directory for an empty one",
    { workingDir: "/work" },
    {},
    { cwd: "" },
    "--rm --name NAME -w /work alpine:3",
  ],
  [
    "a directory that looks like an option where only a directory can stand",
    {},
    {},
    { cwd: "--privileged" },
    "--rm --name NAME -w --privileged alpine:3",
  ],
];

for (const [what, more, changes, options, words] of rows) {
  Deno.test(`inContainer() has ${what}`, () => {
    const settings = { name: "NAME", variables: [], ...options };
    const contained = inContainer(
      { ...invocation, ...changes },
      { ...executor, ...more },
      settings,
    );
    const expected = ["docker", "run", ...words.split(" "), ...invocation.argv];
    const { cwd: _, ...rest } = invocation;
    assert.deepEqual(contained, { ...rest, ...changes, argv: expected, container: "NAME" });
  });
}

Deno.test("inContainer() keeps values of variables off the command line", () => {
  const { argv, env } = inContainer(invocation, executor, { name: "n", variables: ["TOKEN"] });
  assert.equal(argv.some((word) => word.includes("hidden")), false);
  assert.equal(env["TOKEN"], "hidden");
});

Deno.test("containerName() is another one each time, and a name that docker takes", () => {
  const names = Array.from({ length: 100 }, containerName);
  assert.equal(new Set(names).size, 100);
  for (const name of names) assert.match(name, /^climax-[a-z0-9-]+$/);
});
