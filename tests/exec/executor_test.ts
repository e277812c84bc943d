/** `docker run` as a value; what comes of it stands in tests/e2e/docker_test.ts. */

import assert from "node:assert/strict";
import {
  type DockerExecutor,
  type Executor,
  inContainer,
  isolatesCalls,
  sandboxesOf,
} from "../../src/exec/executor.ts";
import { plain } from "../../src/exec/invocation.ts";

const executor: DockerExecutor = { kind: "docker", image: "alpine:3", volumes: [] };
const argv = ["git", "log", "-n", "1"];

const rows: readonly [
  what: string,
  executor: Partial<DockerExecutor>,
  options: { env?: Record<string, string>; hasInput?: boolean; cwd?: string },
  words: string,
][] = [
  ["the image and the command", {}, {}, "--rm --name NAME alpine:3"],
  [
    "everything in the contract's order",
    { volumes: ["/a:/a:ro", "/b:/b"], network: "none", workingDir: "/work" },
    { hasInput: true, env: { TOKEN: "t", LANG: "C" } },
    "--rm -i --name NAME -e TOKEN -e LANG -v /a:/a:ro -v /b:/b --network none -w /work alpine:3",
  ],
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

const id = "0-1";

for (const [what, more, { cwd, ...options }, words] of rows) {
  Deno.test(`inContainer() has ${what}`, () => {
    const contained = inContainer(argv.map(plain), { ...executor, ...more }, {
      id,
      env: {},
      hasInput: false,
      ...options,
      ...(cwd === undefined ? {} : { cwd: plain(cwd) }),
    });
    const named = words.replace("NAME", "climax-0-1").split(" ");
    const expected = ["docker", "run", ...named, ...argv];
    assert.deepEqual(contained.argv, expected);
    assert.deepEqual(contained.shown, expected);
    assert.deepEqual(contained.cleanup.argv, ["docker", "rm", "--force", "climax-0-1"]);
  });
}

const secretLine = [plain("git"), { text: "hunter2", shown: "***" }];
const secretOptions = {
  id,
  env: { TOKEN: "s3cret" },
  hasInput: false,
  cwd: { text: "/hidden", shown: "***" },
};

Deno.test("inContainer() keeps what is secret apart", () => {
  const { argv, shown } = inContainer(
    secretLine,
    { ...executor, workingDir: "/work" },
    secretOptions,
  );
  assert.equal(
    shown.join(" "),
    "docker run --rm --name climax-0-1 -e TOKEN -w /work/*** alpine:3 git ***",
  );
  assert.equal(
    argv.join(" "),
    "docker run --rm --name climax-0-1 -e TOKEN -w /hidden alpine:3 git hunter2",
  );
});

Deno.test("isolatesCalls() is true of containers and sandboxes", () => {
  const sandbox = { write: [], read: [], hide: [], network: "none" } as const;
  const sandboxes = new Map([["held", { ...sandbox, write: ["/held"] }]]);
  const executors: readonly (readonly [Executor, held: boolean, other: boolean, count: number])[] =
    [
      [executor, true, true, 0],
      [{ kind: "local" }, false, false, 0],
      [{ kind: "local", sandboxes }, true, false, 1],
      [{ kind: "local", sandbox }, true, true, 1],
      [{ kind: "local", sandbox, sandboxes }, true, true, 2],
    ];
  for (const [each, ...expected] of executors) {
    const found = ["held", "other"].map((name) => isolatesCalls(each, name));
    assert.deepEqual([...found, sandboxesOf(each).length], expected, JSON.stringify(each));
  }
});
