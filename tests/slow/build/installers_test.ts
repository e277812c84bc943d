/**
 * Installers of a release, generated from archives as a release has them (a script that starts the portable form
 * stands for the binary in them), served on loopback, and run by sh.
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { targets } from "../../../build/installers.ts";
import { within } from "../../_wait.ts";
import { type Scratch, scratch } from "../../e2e/_scratch.ts";
import { root } from "../../e2e/_server.ts";
import { programs, type Requirement, testsUnless } from "../../_requirements.ts";
import { buildPortable, manifest, type Ran, run } from "../../build/_build.ts";
import { ends } from "../../cli/commands/_climax.ts";
import { runToEnd, spawn } from "../../_run.ts";

const ignore = Deno.build.os === "windows" || (await programs({ curl: ["--version"] })).ignore;
const here = testsUnless(ignore);
const { version } = manifest;
const target = `${Deno.build.arch}-${
  Deno.build.os === "darwin" ? "apple-darwin" : "unknown-linux-gnu"
}`;
const archive = `climax-${version}-${target}.tar.gz`;

async function onUnix(needed: Parameters<typeof programs>[0]): Promise<Requirement> {
  return ignore ? { ignore } : await programs(needed);
}

let dir: Scratch;
/** The release's folder, and the page of the repository that it is of. */
let release: string;
let repository: string;
let script: string;
let server: Deno.HttpServer<Deno.NetAddr>;
/** Paths that were asked for, what is answered to each in place of the file, and who waits for one. */
let asked: string[] = [];
const answers = new Map<string, () => BodyInit>();

/** Releases as GitHub serves them: below `releases/download`, a folder for each tag. */
async function serveReleases(request: Request): Promise<Response> {
  const path = new URL(request.url).pathname.replace("/o/climax/releases/download/", "");
  asked.push(path);
  const answer = answers.get(path);
  if (answer !== undefined) return new Response(answer());
  const [tag, name] = path.split("/");
  if (tag !== `v${version}`) return new Response("none", { status: 404 });
  const bytes = await Deno.readFile(join(release, name!)).catch(() => undefined);
  return bytes === undefined ? new Response("none", { status: 404 }) : new Response(bytes);
}

async function task(script: string, args: readonly string[]): Promise<Ran> {
  const own = ["--allow-read", "--allow-write", "--allow-env", "--allow-run"];
  return await run([Deno.execPath(), "run", ...own, join("build", script), ...args], {
    cwd: root,
    env: { GITHUB_REF_NAME: "", GITHUB_SERVER_URL: "", GITHUB_REPOSITORY: "" },
  });
}

if (!ignore) {
  Deno.test.beforeAll(async () => {
    dir = await scratch();
    release = join(dir.path, "release");
    script = join(release, "install.sh");
    server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, serveReleases);
    repository = `http://127.0.0.1:${server.addr.port}/o/climax`;
    const portable = await buildPortable(dir.path);
    // At its own place, which Deno reads fast from the second start on
    const starter = `#!/bin/sh\nexec '${portable}' "$@"\n`;
    for (const name of ["climax", "climax.exe"]) {
      await Deno.writeTextFile(join(dir.path, name), starter, { mode: 0o755 });
    }
    for (const target of targets) {
      const args = ["--from", dir.path, "--output", release, "--repository", repository, target];
      await ends(task("archive.ts", args), { code: 0 });
    }
    const args = ["--release", release, "--repository", repository];
    await ends(task("installers.ts", args), { code: 0 });
  });
  Deno.test.afterAll(async () => {
    await server.shutdown();
    await dir[Symbol.asyncDispose]();
  });
}

/** A person's home with a space in its name, and nothing in it. */
interface Home extends AsyncDisposable {
  readonly path: string;
  /** The path of the program by default. */
  readonly program: string;
  /** All files and folders below it. */
  files(): string[];
  /** Runs the script there, as `curl … | sh` does. */
  install(env?: Record<string, string>, shell?: readonly [string, ...string[]]): Promise<Ran>;
}

async function home(): Promise<Home> {
  const scratched = await scratch();
  const path = join(scratched.path, "it's my home");
  await Deno.mkdir(join(path, "tmp"), { recursive: true });
  asked = [];
  return {
    path,
    program: join(path, ".local", "bin", "climax"),
    files: () => filesBelow(path).toSorted(),
    install: async (env = {}, shell = ["sh"]) => {
      const stdin = await Deno.readTextFile(script);
      return await runToEnd(shell, { cwd: path, env: around(path, env), stdin });
    },
    [Symbol.asyncDispose]: () => scratched[Symbol.asyncDispose](),
  };
}

function around(path: string, env: Record<string, string>): Record<string, string> {
  const TMPDIR = join(path, "tmp");
  // The script that stands for the binary runs on Deno, which would make a cache there
  const DENO_DIR = join(dir.path, "cache");
  return { HOME: path, TMPDIR, DENO_DIR, PATH: Deno.env.get("PATH")!, ...env };
}

function filesBelow(folder: string): string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) => {
    const path = join(folder, name);
    return isDirectory ? [path, ...filesBelow(path)] : [path];
  });
}

/** A folder with links to these programs and no others. */
async function onlyPrograms(folder: string, names: readonly string[]): Promise<string> {
  const path = join(folder, "programs");
  await Deno.mkdir(path);
  for (const name of names) {
    const found = (await run(["sh", "-c", `command -v ${name}`], { env: {} })).stdout.trim();
    if (found !== "") await Deno.symlink(found, join(path, name));
  }
  return path;
}

const tools = ["uname", "mktemp", "mkdir", "tar", "gzip", "chmod", "mv", "rm", "cat"];
const all = [...tools, "curl", "wget", "sha256sum", "shasum", "openssl", "deno", "env"];

here.test("install.sh installs climax, and nothing else is left", async () => {
  await using home_ = await home();
  const { code, stdout, stderr } = await home_.install();
  assert.equal(code, 0, stderr);
  assert.equal(stdout, `climax ${version} is installed: ${home_.program}\n`);
  const local = join(home_.path, ".local");
  assert.deepEqual(home_.files(), [
    ...[local, join(local, "bin"), home_.program, join(home_.path, "tmp")],
  ]);
  await ends(run([home_.program, "--version"]), { stdout: new RegExp(`^climax ${version}\n`) });
  assert.deepEqual(asked, [`v${version}/${archive}`]);
});

here.test("install.sh refuses an archive with one wrong byte, and leaves what there was", async () => {
  await using home_ = await home();
  const bytes = await Deno.readFile(join(release, archive));
  bytes[Math.trunc(bytes.length / 2)]! ^= 1;
  answers.set(`v${version}/${archive}`, () => bytes);
  try {
    const { code, stdout, stderr } = await home_.install();
    assert.deepEqual([code, stdout], [1, ""]);
    assert.match(stderr, /^error: .* is not what was released: its SHA-256 is '[0-9a-f]{64}', /m);
    assert.deepEqual(home_.files(), [join(home_.path, "tmp")]);

    await Deno.mkdir(join(home_.path, ".local", "bin"), { recursive: true });
    await Deno.writeTextFile(home_.program, "older");
    assert.equal((await home_.install()).code, 1);
    assert.equal(await Deno.readTextFile(home_.program), "older");
  } finally {
    answers.clear();
  }
});

here.test("install.sh that was cut off runs nothing, wherever it was", async () => {
  await using home_ = await home();
  const place = { cwd: home_.path, env: around(home_.path, {}) };
  const whole = (await Deno.readTextFile(script)).trimEnd();
  const parts = 15;
  const cuts = [...Array(parts).keys()].map((part) => Math.trunc(whole.length * part / parts));
  const ends = [...Array(20).keys()].map((left) => whole.length - 1 - left);
  for (const shell of ["sh", "bash"]) {
    for (const cut of [...cuts, ...ends]) {
      await runToEnd([shell], { ...place, stdin: whole.slice(0, cut) });
      assert.deepEqual(home_.files(), [join(home_.path, "tmp")], whole.slice(cut - 40, cut));
    }
  }
  assert.deepEqual(asked, []);
  // Whole but for its line feed, it does install
  assert.equal((await runToEnd(["sh"], { ...place, stdin: whole })).code, 0);
});

here.test("install.sh replaces an older climax by a renaming", async () => {
  await using home_ = await home();
  const folder = join(home_.path, ".local", "bin");
  await Deno.mkdir(folder, { recursive: true });
  const target = join(home_.path, "target");
  await Deno.writeTextFile(target, "older");
  // The target of a link is not written to, and an open old file stays readable
  await Deno.symlink(target, home_.program);
  using open = await Deno.open(home_.program);
  await ends(home_.install(), { code: 0 });
  assert.equal((await Deno.lstat(home_.program)).isFile, true);
  assert.equal((await Deno.stat(home_.program)).mode! & 0o777, 0o755);
  assert.equal(await Deno.readTextFile(target), "older");
  assert.equal(await new Response(open.readable).text(), "older");
  await ends(home_.install(), { code: 0 });
  assert.deepEqual([...Deno.readDirSync(folder)].map(({ name }) => name), ["climax"]);
});

Deno.test(
  "install.sh that is interrupted leaves nothing",
  await onUnix({ setsid: ["--version"] }),
  async () => {
    await using home_ = await home();
    const { promise, resolve } = Promise.withResolvers<void>();
    answers.set(`v${version}/${archive}`, () => {
      resolve();
      return new ReadableStream({ start: (stream) => stream.enqueue(new Uint8Array(100)) });
    });
    const child = spawn(["setsid", "sh", script], { env: around(home_.path, {}) });
    try {
      await promise;
      // As Ctrl-C does it: the shell and what it runs; not being a leader, setsid is the shell now
      await run(["kill", "-s", "TERM", "--", `-${child.pid}`]);
      assert.notEqual((await within(child.status, "the end of install.sh")).code, 0);
      assert.deepEqual(home_.files(), [join(home_.path, "tmp")]);
    } finally {
      answers.clear();
    }
  },
);

const systems: [system: string, machine: string, said: RegExp][] = [
  ["Linux", "riscv64", /^error: There is no climax for Linux on riscv64: expected Linux or macOS/m],
  ["FreeBSD", "amd64", /^error: There is no climax for FreeBSD on amd64/m],
  [
    "MINGW64_NT-10.0-22631",
    "x86_64",
    /^error: This does not install on Windows\n {2}hint: .*install\.ps1/m,
  ],
];

for (const [system, machine, said] of systems) {
  here.test(`install.sh refuses ${system} on ${machine}`, async () => {
    await using home_ = await home();
    const { code, stderr } = await home_.install(await pretend(home_.path, system, machine));
    assert.equal(code, 1);
    assert.match(stderr, said);
    assert.deepEqual(asked, []);
  });
}

const archiveOf: [system: string, machine: string, target: string][] = [
  ["Linux", "x86_64", "x86_64-unknown-linux-gnu"],
  ["Linux", "aarch64", "aarch64-unknown-linux-gnu"],
  ["Darwin", "x86_64", "x86_64-apple-darwin"],
  ["Darwin", "arm64", "aarch64-apple-darwin"],
];

for (const [system, machine, expected] of archiveOf) {
  here.test(`install.sh takes ${expected} for ${system} on ${machine}`, async () => {
    await using home_ = await home();
    await ends(home_.install(await pretend(home_.path, system, machine)), { code: 0 });
    assert.deepEqual(asked, [`v${version}/climax-${version}-${expected}.tar.gz`]);
  });
}

/** An environment in which `uname` says something else. */
async function pretend(
  folder: string,
  system: string,
  machine: string,
): Promise<Record<string, string>> {
  const bin = join(folder, "pretended");
  await Deno.mkdir(bin);
  const uname = `#!/bin/sh\n[ "$1" = -m ] && echo ${machine} || echo ${system}\n`;
  await Deno.writeTextFile(join(bin, "uname"), uname, { mode: 0o755 });
  // This system's own would tell of Rosetta
  await Deno.writeTextFile(join(bin, "sysctl"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  return { PATH: `${bin}:${Deno.env.get("PATH")}` };
}

here.test("install.sh installs another release, as its own SHA256SUMS has it", async () => {
  await using home_ = await home();
  const older = `climax-0.0.9-${target}.tar.gz`;
  const bytes = await Deno.readFile(join(release, archive));
  const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
  const other = "0".repeat(64);
  answers.set(`v0.0.9/${older}`, () => bytes);
  try {
    const env = { CLIMAX_VERSION: "v0.0.9", CLIMAX_INSTALL_DIR: "here" };
    answers.set("v0.0.9/SHA256SUMS", () => `${other}  climax-0.0.9.mjs\n${sum}  ${older}\n`);
    const { stdout } = await ends(home_.install(env), { code: 0 });
    assert.equal(stdout, `climax 0.0.9 is installed: ${join(home_.path, "here", "climax")}\n`);
    const wrong: [sums: string, said: RegExp][] = [
      [`${other}  ${older}\n`, /is not what was released/],
      [`${sum}  climax-0.0.9.mjs\n`, /^error: The release 0\.0\.9 has no /m],
    ];
    for (const [sums, said] of wrong) {
      answers.set("v0.0.9/SHA256SUMS", () => sums);
      await ends(home_.install({ ...env, CLIMAX_INSTALL_DIR: "there" }), { code: 1, stderr: said });
    }
    assert.equal(home_.files().some((file) => file.includes("there")), false);
  } finally {
    answers.clear();
  }
});

here.test("install.sh refuses what it does not understand, and where it cannot write", async () => {
  await using home_ = await home();
  const refused: [env: Record<string, string>, said: RegExp][] = [
    [
      { CLIMAX_VERSION: "../../x" },
      /^error: CLIMAX_VERSION takes a release such as .*'\.\.\/\.\.\/x'$/m,
    ],
    [{ CLIMAX_VERSION: "9.9.9" }, /\/v9\.9\.9\/SHA256SUMS cannot be downloaded$/m],
    [{ HOME: "" }, /^error: HOME is not set\n {2}hint: Choose a folder by CLIMAX_INSTALL_DIR$/m],
    [{ CLIMAX_INSTALL_DIR: "file/bin" }, /^error: '.*\/file\/bin' cannot be made$/m],
    [{ CLIMAX_INSTALL_DIR: "folder" }, /^error: '.*\/folder\/climax' is a folder$/m],
  ];
  await Deno.writeTextFile(join(home_.path, "file"), "");
  await Deno.mkdir(join(home_.path, "folder", "climax"), { recursive: true });
  const before = home_.files();
  for (const [env, said] of refused) await ends(home_.install(env), { code: 1, stderr: said });
  const { code, stderr } = await home_.install({}, ["sh", "-s", "--", "--help"]);
  assert.equal(code, 1);
  assert.match(stderr, /^error: Nothing was installed: '--help' is not understood\n {2}hint: /);
  assert.deepEqual(home_.files(), before);
});

here.test("install.sh installs no program that does not start here", async () => {
  await using home_ = await home();
  await using bin = await scratch();
  const path = await onlyPrograms(bin.path, all.filter((name) => name !== "deno"));
  const { stdout } = await run(["sh", "-c", "command -v sh"]);
  const { code, stderr } = await home_.install({ PATH: path }, [stdout.trim()]);
  assert.equal(code, 1);
  assert.match(stderr, /^error: climax does not start here: .*deno/m);
  assert.deepEqual([...Deno.readDirSync(join(home_.path, ".local", "bin"))], []);
});

Deno.test(
  "install.sh is POSIX to shellcheck",
  await onUnix({ shellcheck: ["--version"] }),
  async () => {
    await ends(run(["shellcheck", "--shell=sh", script]), { code: 0 });
  },
);

here.test("on https, install.sh is led to nothing else", async () => {
  await using copy = await scratch();
  for (const target of targets) {
    const name = `climax-${version}-${target}.tar.gz`;
    await Deno.copyFile(join(release, name), join(copy.path, name));
  }
  const args = ["--release", copy.path, "--repository", "https://host.example/o/climax"];
  assert.equal((await task("installers.ts", args)).code, 0);
  const text = await Deno.readTextFile(join(copy.path, "install.sh"));
  assert.match(text, /^ {4}curl --proto '=https' --tlsv1\.2 --fail /m);
  assert.match(text, /curl -fsSL https:\/\/host\.example\/o\/climax\/releases\/download\/v/);
  assert.doesNotMatch(text, /@[A-Z]+@/);
});
