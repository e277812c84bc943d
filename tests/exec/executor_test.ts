/** `docker run` as a value; what comes of it stands in tests/e2e/docker_test.ts. */

import assert from "node:assert/strict";
import {
  type DockerExecutor,
  type Executor,
  holdsCalls,
  type RemoteExecutor,
  sandboxesOf,
  wrapCommand,
} from "../../src/exec/executor.ts";
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

Deno.test("holdsCalls() is true of containers, pods and sandboxes, and not of another machine", () => {
  const sandbox = { write: [], read: [], hide: [], network: "none" } as const;
  const sandboxes = new Map([["held", { ...sandbox, write: ["/held"] }]]);
  const executors: readonly (readonly [Executor, held: boolean, other: boolean, count: number])[] =
    [
      [executor, true, true, 0],
      [elsewhere[0]!, false, false, 0],
      [elsewhere[1]!, true, true, 0],
      [{ kind: "local" }, false, false, 0],
      [{ kind: "local", sandboxes }, true, false, 1],
      [{ kind: "local", sandbox }, true, true, 1],
      [{ kind: "local", sandbox, sandboxes }, true, true, 2],
    ];
  for (const [each, ...expected] of executors) {
    const found = ["held", "other"].map((name) => holdsCalls(each, name));
    assert.deepEqual([...found, sandboxesOf(each).length], expected, JSON.stringify(each));
  }
});

/** The settings of a pod whose call has a second and a half. */
const pods: readonly (readonly [
  what: string,
  more: object,
  words: readonly string[],
  settings: object,
  container: object,
])[] = [
  ["nothing more", {}, [], { automountServiceAccountToken: false }, {}],
  [
    "place, account and limits",
    { context: "c", namespace: "n", serviceAccount: "a", limits: { cpu: "1" } },
    ["--context=c", "--namespace=n"],
    { serviceAccountName: "a" },
    { resources: { limits: { cpu: "1" } } },
  ],
];

for (const [what, more, place, settings, container] of pods) {
  Deno.test(`wrapCommand() in a pod has no rights, an end, and ${what}`, () => {
    const pod = { kind: "kubernetes", image: "alpine:3", limits: {}, ...more } as const;
    const options = { id, env: {}, timeoutMs: 1500 };
    const { argv, cleanup } = wrapCommand([plain("true")], pod, options);
    assert.deepEqual(argv.slice(0, place.length + 3), ["kubectl", ...place, "run", "climax-0-1"]);
    const [overrides] = argv.flatMap((word) => /^--overrides=(.*)$/.exec(word)?.[1] ?? []);
    const securityContext = { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } };
    assert.deepEqual(JSON.parse(overrides!).spec, {
      activeDeadlineSeconds: 122,
      enableServiceLinks: false,
      ...settings,
      containers: [{ name: "climax-0-1", ...container, securityContext }],
    });
    assert.equal(argv.includes("--pod-running-timeout=120s"), true);
    const removal = ["delete", "pod", "--ignore-not-found", "--now", "--wait=false", "climax-0-1"];
    assert.deepEqual([cleanup.when, cleanup.argv], ["always", ["kubectl", ...place, ...removal]]);
  });
}

Deno.test("wrapCommand() by ssh names a configuration, and the directory of a call in that of the machine", () => {
  const ssh = { kind: "ssh", host: "h", config: "/c", workingDir: "/work" } as const;
  const options = { id, env: {}, timeoutMs: 1000, cwd: plain("../other") };
  const { argv, stdin, cleanup } = wrapCommand([plain("true")], ssh, options);
  const words = argv.slice(0, -1).join(" ");
  assert.match(words, / -F \/c -- h$/);
  assert.match(stdin!, /^export CLIMAX_RUN='0-1'\ncd -- '\/other' \|\| exit 126\nexec 'true'$/);
  assert.deepEqual([cleanup.when, cleanup.argv.slice(0, -1).join(" ")], ["ended early", words]);
});
