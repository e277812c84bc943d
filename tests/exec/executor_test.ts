/** `docker run` as a value; what comes of it stands in tests/e2e/docker_test.ts. */

import assert from "node:assert/strict";
import { containerName, type DockerExecutor, inContainer } from "../../src/exec/executor.ts";
import { plain } from "../../src/exec/invocation.ts";

const executor: DockerExecutor = { kind: "docker", image: "alpine:3", volumes: [] };
const argv = ["git", "log", "-n", "1"];

const rows: readonly [
  what: string,
  executor: Partial<DockerExecutor>,
  options: { variables?: readonly string[]; hasInput?: boolean; cwd?: string },
  words: string,
][] = [
  ["the image and the command", {}, {}, "--rm --name NAME alpine:3"],
  [
    "everything in the contract's order",
    { volumes: ["/a:/a:ro", "/b:/b"], network: "none", workingDir: "/work" },
    { hasInput: true, variables: ["TOKEN", "LANG"] },
    "--rm -i --name NAME -e TOKEN -e LANG -v /a:/a:ro -v /b:/b --network none -w /work alpine:3",
  ],
  ["-i with an input", {}, { hasInput: true }, "--rm -i --name NAME alpine:3"],
  ["a directory asked for", {}, { cwd: "/asked" }, "--rm --name NAME -w /asked alpine:3"],
  [
    "a relative directory seen from the executor's",
    { workingDir: "/work" },
    { cwd: "sub/./x" },
    "--rm --name NAME -w /work/sub/x alpine:3",
  ],
  [
    "an absolute directory instead of the executor's",
    { workingDir: "/work" },
    { cwd: "/asked" },
    "--rm --name NAME -w /asked alpine:3",
  ],
  [
    "the executor's directory for an empty one",
    { workingDir: "/work" },
    { cwd: "" },
    "--rm --name NAME -w /work alpine:3",
  ],
  [
    "a directory that looks like an option where only a directory can stand",
    {},
    { cwd: "--privileged" },
    "--rm --name NAME -w --privileged alpine:3",
  ],
];

for (const [what, more, { cwd, ...options }, words] of rows) {
  Deno.test(`inContainer() has ${what}`, () => {
    const contained = inContainer(argv.map(plain), { ...executor, ...more }, {
      name: "NAME",
      variables: [],
      ...options,
      ...(cwd === undefined ? {} : { cwd: plain(cwd) }),
    });
    const expected = ["docker", "run", ...words.split(" "), ...argv];
    assert.deepEqual(contained, expected.map(plain));
  });
}

Deno.test("inContainer() keeps what is secret apart", () => {
  const line = [plain("git"), { text: "hunter2", shown: "***" }];
  const contained = inContainer(line, { ...executor, workingDir: "/work" }, {
    name: "n",
    variables: ["TOKEN"],
    cwd: { text: "/hidden", shown: "***" },
  });
  const shown = contained.map((token) => token.shown).join(" ");
  assert.equal(shown, "docker run --rm --name n -e TOKEN -w /work/*** alpine:3 git ***");
  const texts = contained.map(({ text }) => text).join(" ");
  assert.equal(texts, "docker run --rm --name n -e TOKEN -w /hidden alpine:3 git hunter2");
});

Deno.test("containerName() is another one each time, and a name that docker takes", () => {
  const names = Array.from({ length: 100 }, containerName);
  assert.equal(new Set(names).size, 100);
  for (const name of names) assert.match(name, /^climax-[a-z0-9-]+$/);
});
