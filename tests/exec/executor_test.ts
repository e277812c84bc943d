/** `docker run` as a value; what comes of it stands in tests/e2e/docker_test.ts. */

import assert from "node:assert/strict";
import { type DockerExecutor, type RemoteExecutor, wrapCommand } from "../../src/exec/executor.ts";
import { plain } from "../../src/exec/invocation.ts";

const executor: DockerExecutor = { kind: "docker", image: "alpine:3", volumes: [] };
const argv = ["git", "log", "-n", "1"];

const rows: readonly [
  what: string,
  executor: Partial<DockerExecutor>,
  options: { env?: Record<string, string>; stdin?: string; cwd?: string },
  words: string,
][] = [
  ["the image and the command", {}, {}, "--rm --name NAME alpine:3"],
  [
    "everything in the contract's order",
    { volumes: ["/a:/a:ro", "/b:/b"], network: "none", workingDir: "/work" },
    { stdin: "x", env: { TOKEN: "t", LANG: "C" } },
    "--rm -i --name NAME -e TOKEN -e LANG -v /a:/a:ro -v /b:/b --network none -w /work alpine:3",
  ],
  ["-i with an input", {}, { stdin: "" }, "--rm -i --name NAME alpine:3"],
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
  Deno.test(`carried() in docker has ${what}`, () => {
    const contained = wrapCommand(argv.map(plain), { ...executor, ...more }, {
      id,
      env: {},
      timeoutMs: 1000,
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
  timeoutMs: 1000,
  cwd: { text: "/hidden", shown: "***" },
};

Deno.test("carried() in docker keeps what is secret apart", () => {
  const { argv, shown } = wrapCommand(
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

const elsewhere: readonly RemoteExecutor[] = [
  { kind: "ssh", host: "example.org" },
  { kind: "kubernetes", image: "alpine:3", limits: {} },
];

for (const other of elsewhere) {
  Deno.test(`carried() by ${other.kind} has what is secret on no command line`, () => {
    const { argv, shown, stdin, cleanup } = wrapCommand(secretLine, other, secretOptions);
    const seen = [...argv, ...shown, ...cleanup.argv].join(" ");
    for (const secret of ["hunter2", "s3cret", "/hidden"]) {
      assert.equal(seen.includes(secret), false);
    }
    assert.equal(shown.slice(-2).join(" "), "git ***");
    assert.match(
      stdin!,
      /^export TOKEN='s3cret'\n[^]*cd -- '\/hidden' [^]*\nexec 'git' 'hunter2'$/,
    );
  });
}

Deno.test("wrapCommand() by ssh never prompts and trusts no new key", () => {
  const executor = { kind: "ssh", host: "me@example.org", port: 2222, identity: "/key" } as const;
  const { argv } = wrapCommand([plain("true")], executor, { id, env: {}, timeoutMs: 1000 });
  const words = argv.join(" ");
  for (const setting of ["BatchMode=yes", "StrictHostKeyChecking=yes", "ClearAllForwardings=yes"]) {
    assert.equal(words.includes(`-o ${setting} `), true, setting);
  }
  assert.match(words, / -p 2222 -o IdentitiesOnly=yes -i \/key -- me@example\.org sh -c '/);
});
