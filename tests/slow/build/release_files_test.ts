/**
 * All files of a release, made by the script of `deno task release-files` with stand-ins for the binaries,
 * and what is installed from them: as Claude Desktop installs a bundle and Claude Code a plugin.
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { claudePlugin, pluginManifest, serverJson } from "../../../build/_release_texts.ts";
import { bundleManifest } from "../../../build/_mcpb.ts";
import { targets } from "../../../build/installers.ts";
import { importedPackages, sbomOf } from "../../../build/sbom.ts";
import lockText from "../../../deno.lock" with { type: "text" };
import { isHere, needs, programs, testsUnless, unix } from "../../_requirements.ts";
import { type Scratch, scratch } from "../../e2e/_scratch.ts";
import { root } from "../../e2e/_server.ts";
import { buildPortable, manifest, permissionsOf, run } from "../../build/_build.ts";
import { ends } from "../../cli/commands/_climax.ts";
import { type ForeignFormat, validated } from "./_foreign_formats.ts";

const repository = "https://github.com/Own-Er/climax";
const name = `climax-${manifest.version}`;
const bundle = `${name}-linux-x64.mcpb`;

/** Programs that make the files. */
const made = unix.ignore ? unix : await programs({
  npm: ["--version"],
  zip: ["--version"],
  unzip: ["-v"],
  gzip: ["--version"],
});

let dir: Scratch;
let release: string;
let said: string;

if (!made.ignore) {
  Deno.test.beforeAll(async () => {
    dir = await scratch();
    release = join(dir.path, "release");
    const script = await buildPortable(dir.path);
    for (const target of targets) {
      const file = join(dir.path, "binaries", target, isWindows(target) ? "climax.exe" : "climax");
      await Deno.mkdir(join(file, ".."), { recursive: true });
      await Deno.writeTextFile(file, `#!/bin/sh\nexec '${script}' "$@"\n`, { mode: 0o755 });
    }
    const where = ["--script", script, "--binaries", join(dir.path, "binaries")];
    const { code, stderr } = await releaseFiles([...where, "--repository", repository]);
    assert.equal(code, 0, stderr);
    said = stderr;
  });
  Deno.test.afterAll(async () => await dir[Symbol.asyncDispose]());
}

function isWindows(target: string): boolean {
  return target.includes("windows");
}

async function releaseFiles(args: readonly string[], env: Record<string, string> = {}) {
  const own = ["--allow-read", "--allow-write", "--allow-env", "--allow-run"];
  const words = ["run", ...own, join("build", "release_files.ts"), "--output", release, ...args];
  return await run([Deno.execPath(), ...words, ...permissionsOf("portable")], {
    cwd: root,
    env: { GITHUB_REF_NAME: "", GITHUB_SERVER_URL: "", GITHUB_REPOSITORY: "", ...env },
  });
}

/** Unpacks an archive of the release into a folder of its own. */
async function unpacked(file: string): Promise<string> {
  const folder = await Deno.makeTempDir({ dir: dir.path });
  const words = file.endsWith(".tar.gz")
    ? ["tar", "-xzf", join(release, file), "-C", folder] as const
    : ["unzip", "-q", join(release, file), "-d", folder] as const;
  await ends(run(words), { code: 0 });
  return folder;
}

async function readJson(...path: string[]) {
  return JSON.parse(await Deno.readTextFile(join(...path)));
}

made.test("release-files makes every file, and names those that it cannot", () => {
  const files = [...Deno.readDirSync(release)].map((entry) => entry.name).toSorted();
  const bundles = ["linux-x64", "macos-arm64", "windows-x64"].map((each) => `${name}-${each}.mcpb`);
  const rest = [
    ...["SHA256SUMS", "climax.rb", "install.ps1", "install.sh", "llms.txt"],
    ...["server.json", `${manifest.name}-${manifest.version}.tgz`],
    ...["mjs", "cdx.json"].map((end) => `${name}.${end}`),
    `${name}-portable.tar.gz`,
    `${name}-claude-plugin.zip`,
    ...targets.map((target) => `${name}-${target}.tar.gz`),
    `${name}-x86_64-pc-windows-msvc.zip`,
  ];
  const leftOut = [...said.matchAll(/^left out: (\S+):/gm)].map(([, file]) => file!);
  // A registry may lack the Deno of another system
  assert.deepEqual(leftOut.filter((file) => !bundles.includes(file)), []);
  assert.deepEqual([...files, ...leftOut].toSorted(), [...rest, ...bundles].toSorted());
  for (const file of files) assert.match(said, new RegExp(`^ *\\d+ KiB {2}${file}$`, "m"));
});

made.test("SHA256SUMS has the sum of every other file", async () => {
  const lines = (await Deno.readTextFile(join(release, "SHA256SUMS"))).trimEnd().split("\n");
  assert.equal(lines.length, [...Deno.readDirSync(release)].length - 1);
  for (const line of lines) {
    const [sum, file] = line.split("  ");
    assert.equal(await sumOf(file!), sum, file);
  }
});

const base = { version: "1.0.0", sha256: "0a".repeat(32), checksum: "https://h/a.sha256sum" };

made.test("server.json and the npm package have one name, letter by letter", async () => {
  const server = await readJson(release, "server.json");
  const folder = await Deno.makeTempDir({ dir: dir.path });
  const tarball = join(release, `${manifest.name}-${manifest.version}.tgz`);
  await run(["tar", "-xzf", tarball, "-C", folder]);
  const packed = await readJson(folder, "package", "package.json");
  assert.equal(packed.mcpName, "io.github.Own-Er/climax");
  assert.equal(server.name, packed.mcpName);
  assert.deepEqual([server.version, server.packages[0].version], [packed.version, packed.version]);
  assert.equal(server.packages[0].identifier, packed.name);
});

const valid: [format: ForeignFormat, value: unknown][] = [
  ["server", serverJson(repository)],
  ...(["linux", "darwin", "win32"] as const).map((platform): [ForeignFormat, object] => {
    return ["mcpb", bundleManifest(platform, repository)];
  }),
  ["plugin", pluginManifest],
  ["marketplace", JSON.parse(claudePlugin[".claude-plugin/marketplace.json"] as string)],
  ["cyclonedx", sbomOf(JSON.parse(lockText), await importedPackages(), [{ ...base, file: "a" }])],
];

Deno.test("what a release says about itself is what the owners of the formats allow", () => {
  for (const [format, value] of valid) assert.equal(validated(format, value), value);
});

/** Fills in what a host does: the bundle's folder, and the settings or their defaults. */
function filledIn(words: readonly string[], folder: string, settings: Record<string, string>) {
  return words.map((word) => {
    return word.replace("${__dirname}", folder).replace(
      /\$\{user_config\.(\w+)\}/,
      (whole, key) => settings[key] ?? whole,
    );
  });
}

async function useBundle(
  settings: Record<string, string>,
  use: (call: (tool: string, args?: object) => Promise<string>) => Promise<void>,
): Promise<void> {
  const folder = await unpacked(bundle);
  const { server } = await readJson(folder, "manifest.json");
  const [command, ...args] = filledIn(
    [server.mcp_config.command, ...server.mcp_config.args],
    folder,
    settings,
  );
  const client = new Client({ name: "host", version: "1.0.0" });
  try {
    await client.connect(new StdioClientTransport({ command: command!, args }));
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map(({ name }) => name), ["climax_search", "climax_call"]);
    await use(async (tool_name, args = {}) => {
      const request = { name: "climax_call", arguments: { tool_name, args } };
      return ((await client.callTool(request)).content as { text: string }[])[0]!.text;
    });
  } finally {
    await client.close();
  }
}

const isLinux = Deno.build.target === "x86_64-unknown-linux-gnu";
const bundles = testsUnless(made.ignore || !isLinux);

bundles.test("a bundle serves as its manifest says: the folder, read only", async () => {
  const folder = join(dir.path, "a folder");
  await run(["git", "init", "--quiet", folder]);
  await Deno.writeTextFile(join(folder, "new file"), "");
  // The defaults of the manifest, as a host shows them
  const settings = { folder, configs: "git", policy: "readonly" };
  await useBundle(settings, async (call) => {
    assert.match(await call("git_status"), /new file/);
    assert.match(
      await call("git_add", { path: "new file" }),
      /^Tool 'git_add' is withheld by the policy 'readonly'/,
    );
  });
});

const registry = needs(
  "npm's registry",
  !made.ignore && await isHere("npm", ["view", "--prefer-offline", "deno", "name"]),
);

registry.test("the released npm package serves git where only Node.js and git are", async () => {
  const folder = join(dir.path, "empty");
  const bin = join(dir.path, "only");
  await Promise.all([folder, bin].map((each) => Deno.mkdir(each)));
  for (const name of ["node", "git"]) {
    const { stdout } = await run(["sh", "-c", `command -v ${name}`]);
    await Deno.symlink(stdout.trim(), join(bin, name));
  }
  const tarball = join(release, `${manifest.name}-${manifest.version}.tgz`);
  const quiet = ["--silent", "--no-audit", "--no-fund", "--prefer-offline"];
  await ends(run(["npm", "install", ...quiet, tarball], { cwd: folder }), { code: 0 });
  const client = new Client({ name: "test", version: "1.0.0" });
  const args = [join(folder, "node_modules", manifest.name, "climax.cjs"), "git"];
  const env = { PATH: bin, HOME: dir.path };
  const server = { command: join(bin, "node"), args, env, cwd: folder };
  try {
    await client.connect(new StdioClientTransport(server));
    assert.equal((await client.listTools()).tools.length, 2);
  } finally {
    await client.close();
  }
});

/** The sum of a file of the release. */
async function sumOf(file: string): Promise<string> {
  const bytes = await Deno.readFile(join(release, file));
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}

const windowsZip = `${name}-x86_64-pc-windows-msvc.zip`;

/** A file in an archive, and what it has; its form was checked where it was made. */
const packed: [archive: string, path: string, has: () => string | Promise<string>][] = [
  ["claude-plugin.zip", "climax/.mcp.json", () => `${manifest.name}@${manifest.version}`],
  ["claude-plugin.zip", "climax/.claude-plugin/plugin.json", () => `"${manifest.version}"`],
  [
    "claude-plugin.zip",
    "climax/skills/climax-config/SKILL.md",
    () => Deno.readTextFile(join(root, "src", "setup", "skill.md")),
  ],
];

for (const [archive, path, has] of packed) {
  made.test(`${path} of ${archive} has what it is for`, async () => {
    const text = await Deno.readTextFile(join(await unpacked(`${name}-${archive}`), path));
    const wanted = await has();
    assert.ok(text.includes(wanted), `${wanted} is not in ${text.slice(0, 2000)}`);
  });
}

made.test("the ZIP file for Windows has the program, and install.ps1 its sum", async () => {
  const inside = [...Deno.readDirSync(await unpacked(windowsZip))].map((entry) => entry.name);
  assert.deepEqual(inside.toSorted(), ["LICENSE", "README.md", "climax.exe"]);
  const script = await Deno.readTextFile(join(release, "install.ps1"));
  assert.ok(script.includes(`$expected = '${await sumOf(windowsZip)}'`));
  assert.doesNotMatch(script, /@[A-Z]+@/);
});

made.test("the image is built from what .dockerignore lets in", async () => {
  const folder = join(dir.path, "context");
  const lines = (await Deno.readTextFile(join(root, ".dockerignore"))).trim().split("\n");
  assert.equal(lines[0], "*");
  await Deno.mkdir(folder);
  await run(["cp", "-r", ...lines.slice(1).map((line) => join(root, line.slice(1))), folder]);
  await ends(run([Deno.execPath(), "task", "bundle"], { cwd: folder }), { code: 0 });
  const text = await Deno.readTextFile(join(root, "Dockerfile"));
  assert.match(text, /^COPY \. \.\nRUN deno task bundle$/m);
});
