/**
 * All files of a release, made by the script of `deno task release-files` with stand-ins for the binaries,
 * and what is installed from them: as Claude Desktop installs a bundle and Claude Code a plugin.
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { load } from "js-yaml";
import { dockerEntry } from "../../build/_docker_catalogue.ts";
import { filePatterns, pluginManifest, serverJson } from "../../build/_release_texts.ts";
import { bundleManifest } from "../../build/_mcpb.ts";
import { schemaNames } from "../../src/setup/file_names.ts";
import { isConfigPath } from "../../src/sources/command/locate.ts";
import { type ForeignFormat, validated } from "../../build/_validate.ts";
import { targets } from "../../build/installers.ts";
import { isHere, needs, programs, type Requirement } from "../_requirements.ts";
import { type Scratch, scratch } from "../e2e/_scratch.ts";
import { root } from "../e2e/_server.ts";
import { buildPortable, manifest, permissionsOf, run } from "./_build.ts";

const repository = "https://github.com/Own-Er/climax";
const name = `climax-${manifest.version}`;
const bundle = `${name}-linux-x64.mcpb`;

/** Programs that make the files. */
const made: Requirement = Deno.build.os === "windows" ? { ignore: true } : await programs({
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

async function releaseFiles(args: readonly string[]) {
  const own = ["--allow-read", "--allow-write", "--allow-env", "--allow-run"];
  const words = ["run", ...own, join("build", "release_files.ts"), "--output", release, ...args];
  return await run([Deno.execPath(), ...words, ...permissionsOf("portable")], {
    cwd: root,
    env: { GITHUB_REF_NAME: "", GITHUB_SERVER_URL: "", GITHUB_REPOSITORY: "" },
  });
}

/** Unpacks an archive of the release into a folder of its own. */
async function unpacked(file: string): Promise<string> {
  const folder = await Deno.makeTempDir({ dir: dir.path });
  const words = file.endsWith(".tar.gz")
    ? ["tar", "-xzf", join(release, file), "-C", folder] as const
    : ["unzip", "-q", join(release, file), "-d", folder] as const;
  const { code, stderr } = await run(words);
  assert.equal(code, 0, stderr);
  return folder;
}

async function readJson(...path: string[]) {
  return JSON.parse(await Deno.readTextFile(join(...path)));
}

Deno.test("release-files makes every file, and names those that it cannot", made, () => {
  const files = [...Deno.readDirSync(release)].map((entry) => entry.name).toSorted();
  const bundles = ["linux-x64", "macos-arm64", "windows-x64"].map((each) => `${name}-${each}.mcpb`);
  const rest = [
    ...["SHA256SUMS", "climax.json", "climax.rb", "install.ps1", "install.sh", "llms.txt"],
    ...["server.json", `${manifest.name}-${manifest.version}.tgz`],
    ...["mjs", "cdx.json"].map((end) => `${name}.${end}`),
    `${name}-portable.tar.gz`,
    ...["claude-plugin.zip", "docker-mcp.zip", "nix.tar.gz", "schema-store.zip", "winget.zip"].map(
      (end) => {
        return `${name}-${end}`;
      },
    ),
    ...targets.map((target) => `${name}-${target}.tar.gz`),
    `${name}-x86_64-pc-windows-msvc.zip`,
  ];
  const leftOut = [...said.matchAll(/^left out: (\S+):/gm)].map(([, file]) => file!);
  // A registry may lack the Deno of another system
  assert.deepEqual(leftOut.filter((file) => !bundles.includes(file)), []);
  assert.deepEqual([...files, ...leftOut].toSorted(), [...rest, ...bundles].toSorted());
  for (const file of files) assert.match(said, new RegExp(`^ *\\d+ KiB {2}${file}$`, "m"));
});

Deno.test("SHA256SUMS has the sum of every other file", made, async () => {
  const sums = await Deno.readTextFile(join(release, "SHA256SUMS"));
  const lines = sums.trimEnd().split("\n");
  assert.equal(lines.length, [...Deno.readDirSync(release)].length - 1);
  for (const line of lines) {
    const [sum, file] = line.split("  ");
    const bytes = await Deno.readFile(join(release, file!));
    assert.equal(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex(), sum, file);
  }
});

Deno.test(
  "without a repository and binaries, what needs them is named and not made",
  made,
  async () => {
    const all = release;
    release = join(dir.path, "few");
    try {
      const { code, stderr } = await releaseFiles(["--script", join(dir.path, "climax.mjs")]);
      assert.equal(code, 0, stderr);
      for (const file of ["server.json", "llms.txt", ...targets.map((each) => `${name}-${each}`)]) {
        assert.match(stderr, new RegExp(`^left out: ${file}\\S*: needs --`, "m"));
      }
      assert.match(stderr, /^left out: install\.sh, .*: need all archives$/m);
      const files = [...Deno.readDirSync(release)].map((entry) => entry.name);
      assert.equal(files.includes("server.json"), false);
      // The same files come from the same sources, byte by byte
      for (const file of [`${name}-claude-plugin.zip`, `${name}-nix.tar.gz`]) {
        const [one, other] = await Promise.all([all, release].map((each) => {
          return Deno.readFile(join(each, file));
        }));
        assert.deepEqual(one, other);
      }
    } finally {
      release = all;
    }
  },
);

Deno.test("files of another version are not released with those of this one", made, async () => {
  const all = release;
  release = join(dir.path, "stale");
  try {
    await Deno.mkdir(release);
    await Deno.writeTextFile(join(release, "climax-0.0.1.mjs"), "");
    const { code, stderr } = await releaseFiles(["--script", join(dir.path, "climax.mjs")]);
    assert.notEqual(code, 0);
    assert.match(stderr, /has files of another version: remove climax-0\.0\.1\.mjs/);
  } finally {
    release = all;
  }
});

Deno.test("server.json and the npm package have one name, letter by letter", made, async () => {
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

const winget = { PackageIdentifier: "a.b", PackageVersion: "1", ManifestVersion: "1.10.0" };
const { server, tools } = dockerEntry(repository, "0".repeat(40));

const invalid: [what: string, format: ForeignFormat, value: object, said: RegExp][] = [
  [
    "a registry's name without a namespace",
    "server",
    { ...serverJson(repository), name: "climax" },
    /The server file is invalid: .*\/name must match pattern/,
  ],
  [
    "a description over 100 characters",
    "server",
    { ...serverJson(repository), description: "x".repeat(101) },
    /description must NOT have more than 100 characters/,
  ],
  [
    "a bundle without a server",
    "mcpb",
    { ...bundleManifest("linux", undefined), server: undefined },
    /must have required property 'server'/,
  ],
  ["a winget manifest of no kind", "winget", { ...winget, ManifestType: "other" }, /ManifestType/],
  [
    "a winget version without a locale",
    "winget",
    { ...winget, ManifestType: "version" },
    /'DefaultLocale'/,
  ],
  ["a winget locale without a publisher", "winget", {
    ...{ ...winget, ManifestType: "defaultLocale", PackageLocale: "en-US" },
    ...{ PackageName: "climax", License: "MIT", ShortDescription: "It is" },
  }, /'Publisher'/],
  ["a winget installer without its sum", "winget", {
    ...{ ...winget, ManifestType: "installer" },
    Installers: [{ Architecture: "x64", InstallerType: "zip", InstallerUrl: "https://h/x.zip" }],
  }, /'InstallerSha256'/],
  [
    "a Scoop manifest without a version",
    "scoop",
    { homepage: "https://h", license: "MIT" },
    /must have required property 'version'/,
  ],
  [
    "a plugin whose keywords are no list",
    "plugin",
    { ...pluginManifest, keywords: "mcp" },
    /keywords must be array/,
  ],
  ["a marketplace whose plugin is at no path", "marketplace", {
    ...{ name: "climax", owner: { name: "we" } },
    plugins: [{ name: "climax", source: "climax" }],
  }, /source must match pattern/],
  [
    "a catalogue of schemas that does not name its own",
    "catalog",
    { version: 1, schemas: [] },
    /'\$schema'/,
  ],
  ["a title in small letters in Docker's catalogue", "docker", {
    ...{ server: { ...server, about: { title: "climax" } }, tools },
  }, /title must match pattern/],
  ["an entry in Docker's catalogue that pins no commit", "docker", {
    ...{ server: { ...server, source: { project: repository } }, tools },
  }, /'commit'/],
  ["a tool in Docker's catalogue with an argument that says nothing", "docker", {
    ...{ server, tools: [{ name: "a", description: "b", arguments: [{ name: "c", type: "d" }] }] },
  }, /'desc'/],
  ["a bill of materials with a hash that is none", "cyclonedx", {
    ...{ bomFormat: "CycloneDX", specVersion: "1.6" },
    components: [{ type: "library", name: "a", hashes: [{ alg: "SHA-512", content: "00" }] }],
  }, /content must match pattern/],
];

for (const [what, format, value, said] of invalid) {
  Deno.test(`validated() refuses ${what}`, () => {
    assert.throws(() => validated(format, value), (error: Error) => {
      assert.match(error.message, new RegExp(`^The ${format} file is invalid: `));
      assert.match(error.message, said);
      return true;
    });
  });
}

/** Fills in what a host does: the bundle's folder, and the settings or their defaults. */
function filledIn(words: readonly string[], folder: string, settings: Record<string, string>) {
  return words.map((word) => {
    return word.replace("${__dirname}", folder).replace(
      /\$\{user_config\.(\w+)\}/,
      (whole, key) => {
        return settings[key] ?? whole;
      },
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
      const { content } = await client.callTool(request);
      return (content as { text: string }[])[0]!.text;
    });
  } finally {
    await client.close();
  }
}

const isLinux = Deno.build.target === "x86_64-unknown-linux-gnu";
const bundles = { ignore: made.ignore || !isLinux };

Deno.test("a bundle serves as its manifest says: the folder, read only", bundles, async () => {
  const folder = join(dir.path, "a folder");
  await run(["git", "init", "--quiet", folder]);
  await Deno.writeTextFile(join(folder, "new file"), "");
  // The defaults of the manifest, as a host shows them
  const settings = { folder, configs: "git", policy: "readonly" };
  await useBundle(settings, async (call) => {
    assert.match(await call("git_status"), /new file/);
    assert.match(await call("git_add", { path: "new file" }), /^Unknown tool: git_add$/);
  });
});

Deno.test(
  "a bundle without its optional settings takes every tool of the configs",
  bundles,
  async () => {
    const folder = join(dir.path, "other");
    await run(["git", "init", "--quiet", folder]);
    await Deno.writeTextFile(join(folder, "new"), "");
    // An empty word, or the name of a setting that a host did not fill in
    await useBundle({ folder, configs: " git , files " }, async (call) => {
      await call("git_add", { path: "new" });
      assert.match(await call("git_status"), /^A {2}new$|new file: +new/m);
    });
    const { user_config } = await readJson(await unpacked(bundle), "manifest.json");
    assert.deepEqual(Object.keys(user_config), ["folder", "configs", "policy"]);
  },
);

const registry = needs(
  "npm's registry",
  !made.ignore && await isHere("npm", ["view", "--prefer-offline", "deno", "name"]),
);

Deno.test(
  "the released npm package serves git where only Node.js and git are",
  registry,
  async () => {
    const folder = join(dir.path, "empty");
    const bin = join(dir.path, "only");
    await Promise.all([folder, bin].map((each) => Deno.mkdir(each)));
    for (const name of ["node", "git"]) {
      const { stdout } = await run(["sh", "-c", `command -v ${name}`]);
      await Deno.symlink(stdout.trim(), join(bin, name));
    }
    const tarball = join(release, `${manifest.name}-${manifest.version}.tgz`);
    const quiet = ["--silent", "--no-audit", "--no-fund", "--prefer-offline"];
    const { code, stderr } = await run(["npm", "install", ...quiet, tarball], { cwd: folder });
    assert.equal(code, 0, stderr);
    for (const start of ["first", "second"]) {
      const before = performance.now();
      const client = new Client({ name: "test", version: "1.0.0" });
      const command = join(bin, "node");
      const args = [join(folder, "node_modules", manifest.name, "climax.cjs"), "git"];
      const env = { PATH: bin, HOME: dir.path };
      try {
        await client.connect(new StdioClientTransport({ command, args, env, cwd: folder }));
        assert.equal((await client.listTools()).tools.length, 2);
      } finally {
        await client.close();
      }
      const ms = Math.round(performance.now() - before);
      Deno.stderr.writeSync(new TextEncoder().encode(`the ${start} start took ${ms} ms\n`));
    }
  },
);

Deno.test(
  "the plugin of Claude Code has the server of this version and the skill",
  made,
  async () => {
    const marketplace = await unpacked(`${name}-claude-plugin.zip`);
    const { plugins } = await readJson(marketplace, ".claude-plugin", "marketplace.json");
    const folder = join(marketplace, plugins[0].source);
    const plugin = await readJson(folder, ".claude-plugin", "plugin.json");
    assert.match(plugin.name, /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/);
    assert.equal(plugin.version, manifest.version);
    const { mcpServers } = await readJson(folder, ".mcp.json");
    assert.deepEqual(mcpServers.climax, {
      command: "npx",
      args: ["-y", `${manifest.name}@${manifest.version}`, "run", "git"],
    });
    const skill = await Deno.readTextFile(join(folder, "skills", "climax-config", "SKILL.md"));
    assert.equal(skill, await Deno.readTextFile(join(root, "src", "setup", "skill.md")));
    assert.match(skill, /^---\nname: climax-config\n/);
  },
);

Deno.test("links of llms.txt lead to pages of this version", made, async () => {
  const text = await Deno.readTextFile(join(release, "llms.txt"));
  assert.match(text, /^# climax\n\n> .+\n\n## Start here\n\n- \[/);
  const pages = [...text.matchAll(/\]\(([^)#]+)[^)]*\)/g)].map(([, link]) => link!);
  assert.ok(pages.length > 15, text);
  for (const page of pages) {
    const start = `${repository}/blob/v${manifest.version}/`;
    assert.equal(page.startsWith(start), true, page);
    assert.equal((await Deno.stat(join(root, page.slice(start.length)))).isFile, true, page);
  }
});

Deno.test("the entry of Docker's catalogue mounts a folder that a person names", made, async () => {
  const folder = join(await unpacked(`${name}-docker-mcp.zip`), "servers", "climax");
  const text = await Deno.readTextFile(join(folder, "server.yaml"));
  const entry = load(text) as {
    readonly name: string;
    readonly source: object;
    readonly run: { readonly volumes: readonly string[] };
    readonly config: { readonly parameters: { readonly properties: object } };
  };
  assert.equal(entry.name, "climax");
  const { stdout } = await run(["git", "rev-parse", "HEAD"], { cwd: root });
  assert.deepEqual(entry.source, { project: repository, commit: stdout.trim() });
  assert.deepEqual(entry.run.volumes, ["{{climax.folder}}:/configs"]);
  // The catalogue wants the quotes of prettier
  assert.match(text, /^ {4}- "\{\{climax\.folder\}\}:\/configs"$/m);
  assert.deepEqual(Object.keys(entry.config.parameters.properties), ["folder"]);
  const tools = await readJson(folder, "tools.json") as { readonly name: string }[];
  assert.deepEqual(tools.map((tool) => tool.name), ["climax_search", "climax_call"]);
});

Deno.test(
  "the schema store gets each schema under its $id, with the names of its files",
  made,
  async () => {
    const folder = await unpacked(`${name}-schema-store.zip`);
    const { schemas } = await readJson(folder, "src", "api", "json", "catalog.json");
    assert.equal(schemas.length, schemaNames.length);
    for (const [at, { url, fileMatch }] of schemas.entries()) {
      const file = join(folder, "src", "schemas", "json", new URL(url).pathname.slice(1));
      const schema = JSON.parse(await Deno.readTextFile(file));
      assert.equal(schema.$id, url);
      assert.deepEqual(schema, await readJson(root, "schemas", `${schemaNames[at]}.schema.json`));
      assert.deepEqual(fileMatch, filePatterns[schemaNames[at]!]);
    }
  },
);

Deno.test("files that the patterns of configs mean are paths of configs", () => {
  for (const pattern of filePatterns.config) {
    const path = pattern.replace("**/", "").replace("*", "name");
    assert.equal(isConfigPath(path), true, path);
  }
});

Deno.test("the winget files are one version with the sum of the ZIP file", made, async () => {
  const folder = await unpacked(`${name}-winget.zip`);
  const files = [...Deno.readDirSync(folder)].map((entry) => entry.name).toSorted();
  assert.deepEqual(
    files,
    ["installer.yaml", "locale.en-US.yaml", "yaml"].map((end) => {
      return `Own-Er.climax.${end}`;
    }),
  );
  const read = await Promise.all(files.map(async (file) => {
    const text = await Deno.readTextFile(join(folder, file));
    return validated("winget", load(text) as Record<string, unknown>);
  }));
  assert.deepEqual(
    new Set(read.map((each) => each["PackageVersion"])),
    new Set([manifest.version]),
  );
  const zip = `${name}-x86_64-pc-windows-msvc.zip`;
  const bytes = await Deno.readFile(join(release, zip));
  const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
  const [installer] = read[0]!["Installers"] as Record<string, unknown>[];
  assert.equal(installer!["InstallerSha256"], sum.toUpperCase());
  const inside = await unpacked(zip);
  const names = [...Deno.readDirSync(inside)].map((entry) => entry.name).toSorted();
  assert.deepEqual(names, ["LICENSE", "README.md", "climax.exe"]);
  const script = await Deno.readTextFile(join(release, "install.ps1"));
  assert.equal(script.includes(`$expected = '${sum}'`), true);
  assert.doesNotMatch(script, /@[A-Z]+@/);
});

Deno.test("install.ps1 is a script to PowerShell", {
  ignore: made.ignore || (await programs({ pwsh: ["--version"] })).ignore,
}, async () => {
  const script = join(release, "install.ps1");
  const parse = `$e = $null; [void][System.Management.Automation.Language.Parser]::ParseFile(` +
    `'${script}', [ref]$null, [ref]$e); $e | Out-String; exit $e.Count`;
  const { code, stdout } = await run(["pwsh", "-NoProfile", "-Command", parse]);
  assert.equal(code, 0, stdout);
});

Deno.test("flake.nix is an expression to nix", {
  ignore: made.ignore || (await programs({ "nix-instantiate": ["--version"] })).ignore,
}, async () => {
  const flake = join(await unpacked(`${name}-nix.tar.gz`), "flake.nix");
  const { code, stderr } = await run(["nix-instantiate", "--parse", flake]);
  assert.equal(code, 0, stderr);
});

Deno.test("the flake starts the program beside it as the program starts itself", made, async () => {
  const folder = await unpacked(`${name}-nix.tar.gz`);
  const flake = await Deno.readTextFile(join(folder, "flake.nix"));
  assert.match(flake, new RegExp(`deno run .*${permissionsOf("portable").join(" ")} `));
  assert.match(flake, / \$\{\.\/climax\}\/climax\.mjs "\$@"$/m);
  const program = join(folder, "climax", "climax.mjs");
  const words = ["run", ...permissionsOf("portable"), program, "version"];
  const { code, stdout } = await run([Deno.execPath(), ...words]);
  assert.equal(code, 0);
  assert.match(stdout, new RegExp(`^climax ${manifest.version}$`, "m"));
});

Deno.test("the image is built from what .dockerignore lets in", {
  ignore: made.ignore,
}, async () => {
  const folder = join(dir.path, "context");
  const lines = (await Deno.readTextFile(join(root, ".dockerignore"))).trim().split("\n");
  assert.equal(lines[0], "*");
  await Deno.mkdir(folder);
  const files = lines.slice(1).map((line) => join(root, line.slice(1)));
  await run(["cp", "-r", ...files, folder]);
  const { code, stderr } = await run([Deno.execPath(), "task", "bundle"], { cwd: folder });
  assert.equal(code, 0, stderr);
  const text = await Deno.readTextFile(join(root, "Dockerfile"));
  assert.match(text, /^COPY \. \.\nRUN deno task bundle$/m);
});

Deno.test("docker builds the image", {
  ignore: (await programs({ docker: ["info"] })).ignore,
}, async () => {
  const { code, stderr } = await run(["docker", "build", "--tag", "climax-test", root]);
  assert.equal(code, 0, stderr);
  const version = await run(["docker", "run", "--rm", "--init", "climax-test", "version"]);
  assert.match(version.stdout, new RegExp(`^climax ${manifest.version}$`, "m"));
});
