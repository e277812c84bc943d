/**
 * Programs that run elsewhere: over OpenSSH against a real sshd of this machine, and in pods through
 * a stand-in for kubectl, which shows what the real one would be given.
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { climax, ends } from "../cli/commands/_climax.ts";
import { fixturePath } from "../_fixtures.ts";
import { processTools, testsUnless } from "../_requirements.ts";
import { runningWith } from "./_processes.ts";
import { type RawServer, startRaw } from "./_raw.ts";
import { openSsh, startSshd } from "./_sshd.ts";
import { scaledSeconds, textIn, until } from "../_wait.ts";
import { type Scratch, scratch } from "./_scratch.ts";

const isLinux = Deno.build.os === "linux";

/** Like no other command line of this machine. */
const rest = `sleep 3600.${crypto.getRandomValues(new Uint32Array(1))[0]}`;

const tools = `name: elsewhere
command: ""
env: { TOKEN: "s3cret 'value'" }
working_dir: /no/such/directory/on/this/machine
tools:
  - { name: print, command: "printf <%s>", args: [{ name: text, positional: true, text: any }] }
  - { name: cat, args: [{ name: text, stdin: true, text: any }], command: cat }
  - { name: variables, command: env }
  - { name: place, command: pwd, args: [{ name: dir, cwd: true }] }
  - { name: fail, command: "ls /no/such/file" }
  - { name: rest, command: ${rest}, timeout: ${scaledSeconds(1)} }
`;

/** Values that a shell would make something else of. */
const hostile: readonly string[] = [
  "a b",
  "'",
  `"`,
  "\\",
  "\\\\n",
  "$HOME",
  "$(touch pwned)",
  "`touch pwned`",
  "; touch pwned",
  "a\nb",
  "a\n",
  "\n",
  "*",
  "~",
  "!!",
  "!x",
  "#x",
  "%s%n",
  "a\tb",
  "'\\''",
  `'"'"'`,
  "&& touch pwned",
  "| touch pwned",
  "> pwned",
  "{a,b}",
  "[a-z]",
  "é😀\u2028",
  "\x1b[2J",
  "\r",
  "=x",
  "x".repeat(100_000),
];

/** A place of its own, with the files of a policy. */
class Place implements AsyncDisposable {
  readonly dir: Scratch;
  readonly #env: Readonly<Record<string, string>>;
  readonly #end: () => Promise<void>;

  constructor(dir: Scratch, env: Readonly<Record<string, string>>, end = () => Promise.resolve()) {
    this.dir = dir;
    this.#env = env;
    this.#end = end;
  }

  file(name: string): string {
    return join(this.dir.path, name);
  }

  async call(tool: string, args: object = {}): Promise<{ code: number; stdout: string }> {
    const words = [
      "call",
      tool,
      "--args",
      "@-",
      "--config",
      "tools.yaml",
      "--policy",
      "policy.yaml",
      "--max-result-tokens",
      "0",
    ];
    const settings = { cwd: this.dir.path, env: this.#env, stdin: JSON.stringify(args) };
    return await climax(words, settings);
  }

  serve(): RawServer {
    const words = "tools.yaml --policy policy.yaml --classic --max-result-tokens 0";
    return startRaw(words.split(" "), { cwd: this.dir.path, env: this.#env });
  }

  async run(...words: string[]) {
    return await climax(words, { cwd: this.dir.path, env: this.#env });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end();
    await this.dir[Symbol.asyncDispose]();
  }
}

/** A real sshd, and a policy that goes there. */
async function overSsh(): Promise<Place> {
  const dir = await scratch();
  const sshd = await startSshd(dir.path);
  const policy = { executor: { ...sshd.executor, working_dir: "/tmp" }, default: "enabled" };
  await Deno.writeTextFile(join(dir.path, "tools.yaml"), tools);
  await Deno.writeTextFile(join(dir.path, "policy.yaml"), JSON.stringify(policy));
  return new Place(dir, {}, async () => await sshd[Symbol.asyncDispose]());
}

/** A stand-in for kubectl, and a policy that goes there. */
async function inPods(): Promise<Place> {
  const dir = await scratch();
  const policy = {
    executor: {
      type: "kubernetes",
      image: "alpine:3",
      namespace: "tools",
      limits: { cpu: "500m", memory: "256Mi" },
      working_dir: "/tmp",
    },
    default: "enabled",
  };
  await Deno.writeTextFile(join(dir.path, "tools.yaml"), tools);
  await Deno.writeTextFile(join(dir.path, "policy.yaml"), JSON.stringify(policy));
  const PATH = `${fixturePath("kubectl")}:${Deno.env.get("PATH")}`;
  return new Place(dir, { PATH, FAKE_KUBECTL: dir.path });
}

for (
  const [what, ignore, open] of [
    ["ssh", openSsh.ignore, overSsh],
    ["kubernetes", !isLinux, inPods],
  ] as const
) {
  const here = testsUnless(ignore);
  here.test(`${what}: values arrive as they are, and no shell reads them`, async () => {
    await using place = await open();
    await using server = place.serve();
    await server.initialize();
    for (const text of hostile) {
      const answer = await server.call("print", { text });
      // A result has what a terminal would show
      const shown = new Map([["\x1b[2J", "<>"], ["\r", ">"]]).get(text) ?? `<${text}>`;
      assert.deepEqual(answer, { text: shown, isError: false }, JSON.stringify(text));
    }
    for (const file of ["/tmp/pwned", place.file("pwned")]) {
      await assert.rejects(Deno.stat(file), Deno.errors.NotFound);
    }
  });

  here.test(`${what}: input, variables, directories, exit codes and both streams`, async () => {
    await using place = await open();
    const input = `${"line with 'quotes' and $VALUES\n".repeat(3000)}end`;
    assert.equal((await place.call("cat", { text: input })).stdout, `${input}\n`);
    assert.equal((await place.call("cat")).stdout, "(no output)\n");
    assert.match((await place.call("variables")).stdout, /^TOKEN=s3cret 'value'$/m);
    assert.equal((await place.call("place")).stdout, "/tmp\n");
    assert.equal((await place.call("place", { dir: "/usr" })).stdout, "/usr\n");
    assert.match((await place.call("place", { dir: "/no/such" })).stdout, /\[exit code: 126\]/);
    await ends(place.call("fail"), {
      code: 1,
      stdout: /^\[stderr\]\nls: cannot access '\/no\/such\/file'[^]*\[exit code: 2\]\n$/,
    });
  });

  Deno.test(
    `${what}: a timeout ends the program there`,
    { ignore: ignore || processTools.ignore },
    async () => {
      await using place = await open();
      const { stdout } = await place.call("rest");
      assert.equal(
        stdout,
        `[stderr]\nCommand timed out after ${scaledSeconds(1)}s\n\n[exit code: -1]\n`,
      );
      await until(() => runningWith(rest).length === 0, "the end of the program");
    },
  );

  here.test(`${what}: a dry run shows the client's words and the program's`, async () => {
    await using place = await open();
    const words = [
      "call",
      "print",
      "text=a b",
      "--dry-run",
      "--json",
      "--config",
      "tools.yaml",
      "--policy",
      "policy.yaml",
    ];
    const { stdout } = await place.run(...words);
    const { argv } = JSON.parse(stdout);
    assert.equal(argv[0], what === "ssh" ? "ssh" : "kubectl");
    assert.deepEqual(argv.slice(-3), ["printf", "<%s>", "a b"]);
    assert.equal(stdout.includes("s3cret"), false);
  });
}

openSsh.test("ssh: validate says whether the machine answers", async () => {
  await using place = await overSsh();
  const words = ["validate", "tools.yaml", "--policy", "policy.yaml"];
  assert.match((await place.run(...words)).stdout, /^ssh: 127\.0\.0\.1 answers$/m);
  await Deno.writeTextFile(place.file("known_hosts"), "");
  const { code, stdout } = await place.run(...words);
  assert.equal(code, 1);
  assert.match(stdout, /127\.0\.0\.1 does not answer: .*[Hh]ost key/);
});

Deno.test("kubernetes: a pod has its bounds, its labels, no token, and is deleted", {
  ignore: !isLinux,
}, async () => {
  await using place = await inPods();
  assert.equal((await place.call("print", { text: "x" })).stdout, "<x>\n");
  const words = (await Deno.readTextFile(place.file("argv"))).split("\0").slice(0, -1);
  const name = words[2]!;
  assert.match(name, /^climax-[0-9a-f-]{36}$/);
  const overrides = words.find((word) => word.startsWith("--overrides="))!.slice(
    "--overrides=".length,
  );
  assert.deepEqual(JSON.parse(overrides), {
    spec: {
      activeDeadlineSeconds: 150,
      enableServiceLinks: false,
      automountServiceAccountToken: false,
      containers: [{
        name,
        resources: { limits: { cpu: "500m", memory: "256Mi" } },
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
      }],
    },
  });
  assert.deepEqual(words.filter((word) => !word.startsWith("--overrides=")).slice(0, -1), [
    "--namespace=tools",
    "run",
    name,
    "--image=alpine:3",
    "--restart=Never",
    "--stdin",
    "--quiet",
    "--pod-running-timeout=120s",
    "--labels=app.kubernetes.io/managed-by=climax,app.kubernetes.io/component=call",
    "--override-type=strategic",
    "--command",
    "--",
    "sh",
    "-c",
  ]);
  const deleted = await until(() => textIn(place.file("deleted")), "the deletion of the pod");
  assert.equal(deleted, `delete pod --ignore-not-found --now --wait=false ${name}`);
});

Deno.test("kubernetes: validate says whether pods may be made", { ignore: !isLinux }, async () => {
  await using place = await inPods();
  const words = ["validate", "tools.yaml", "--policy", "policy.yaml"];
  assert.match((await place.run(...words)).stdout, /^kubectl: may create pods$/m);
  await Deno.writeTextFile(place.file("down"), "");
  const { code, stdout } = await place.run(...words);
  assert.equal(code, 1);
  assert.match(stdout, /kubectl does not answer: The connection to the server was refused/);
});
