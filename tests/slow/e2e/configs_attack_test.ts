/**
 * The bundled configs as an agent that wants out uses them: to run a program, to write outside the
 * directory of the call, to read a secret. Every move is made over MCP against the real programs,
 * without a policy, in a project whose own files are hostile too.
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { type Ground, ground, secret } from "../configs/_ground.ts";
import { exists } from "../../e2e/_scratch.ts";
import { say, whyNot } from "../../configs/_programs.ts";

const windows = Deno.build.os === "windows";

/** A script that leaves a trace and does what it is asked for. */
const trap = (then = "") => `#!/bin/sh\ntouch "$PLACE/trace"\n${then}\n`;

/** The words of a refusal, before anything is run. */
const refused =
  /lies outside|never allowed|does not match|is not allowed: expected|cannot be resolved|begins with '-'|must be one of|is (?:less|greater) than|contains U\+/;

/** Configs of programs that read files of a project by themselves, and a tool of each. */
const readers: Readonly<Record<string, string>> = {
  npm: "npm_pkg_get",
  cargo: "cargo_metadata",
  terraform: "terraform_output",
  uv: "uv_export",
  deno: "deno_tasks",
};

interface Hostile extends Ground {
  /** Makes a call for each value of an argument: each is refused before anything is run. */
  refuse(tool: string, arg: string, values: readonly unknown[], more?: object): Promise<void>;
}

/** An agent with a config in a directory of `files`; afterwards no trap was sprung. */
async function attack(
  config: string,
  program: string,
  files: Readonly<Record<string, string>>,
  moves: (ground: Hostile) => Promise<void>,
): Promise<void> {
  const reason = windows ? "no traps on Windows" : await whyNot(program);
  Deno.test(`an agent with the config ${config} gets no program, no file and no secret`, {
    ignore: reason !== undefined,
  }, async () => {
    await using place = await ground([config], files);
    const link = () => Deno.symlink("../secret.json", join(place.work, "link.json"));
    const looksForLinks = Object.keys(readers).includes(config);
    if (!looksForLinks) await link();
    const call: Ground["call"] = async (tool, args) => {
      const text = await place.call(tool, args);
      const move = `${tool} ${JSON.stringify(args)}: ${text}`;
      assert.equal(text.includes(secret), false, `a secret was read: ${move}`);
      assert.doesNotMatch(text, /Unknown tool|Missing required/, move);
      return text;
    };
    await moves({
      ...place,
      call,
      refuse: async (tool, arg, values, more = {}) => {
        for (const value of values) {
          const text = await call(tool, { ...more, [arg]: value });
          assert.match(text, refused, `${tool} ${value}: ${text}`);
        }
      },
    });
    if (looksForLinks) {
      // Files that such a program reads by itself may be links
      await link();
      const text = await place.call(readers[config]!, {});
      assert.match(text, /has a link 'link\.json', which lies outside/);
    }
    assert.equal(await exists(join(place.outside, "trace")), false, "a trap was sprung");
    assert.equal(await exists(join(place.outside, "new")), false, "something was written outside");
  });
}

/** Ways to name a file that is not to be read. */
function closedPaths({ outside }: Ground): string[] {
  return [
    "../secret.json",
    join(outside, "secret.json"),
    "link.json",
    "sub/../../secret.json",
    ".env",
    "./.ENV",
    "sub/.env.staging",
    "sub/.Env.Production.local",
    ".git/config",
    "/proc/self/environ",
    "/proc/1/environ",
    "/dev/stdin",
    "/etc/passwd",
  ];
}

const project = {
  "sub/a.txt": "plain\n",
  ".git/config": `[remote "o"]\n\turl = https://x:${secret}@example.org/a.git\n`,
  "sub/.npmrc": `token=${secret}\n`,
  "sub2/a.txt": "changed\n",
  "sub2/.npmrc": "token=none\n",
  "sub/.env.local": `TOKEN=${secret}\n`,
  "sub/.env.staging": `TOKEN=${secret}\n`,
  "sub/.Env.Production.local": `TOKEN=${secret}\n`,
  "a.json": "{}",
};

await attack("files", "find", project, async (place) => {
  const { call, refuse } = place;
  const paths = [...closedPaths(place), "~/.netrc", "sub/.npmrc"];
  for (const path of paths) {
    for (const tool of ["files_read", "files_head", "files_tail", "files_checksum", "files_grep"]) {
      await call(tool, { path, pattern: "." });
    }
    await call("files_diff", { old: path, new: "a.json" });
    await call("files_type", { path });
  }
  await refuse("files_lines", "path", paths, { from: 1, to: 9 });
  assert.match(await call("files_diff", { old: "sub", new: "sub2" }), /^\+changed/m);
  await refuse("files_list", "directory", ["..", "/", ".git", "/proc/self", place.outside]);
  // Everything below, hidden files too, and with globs that name them
  await call("files_grep", { pattern: "TOKEN|token|url" });
  for (const include of [".env*", "*", ".npmrc", "config"]) {
    await call("files_grep", { pattern: ".", include, extended: true });
  }
  await refuse("files_find", "path", ["-delete", "-exec", "(", "!", ",", ")"]);
  for (const name of ["-delete", "x -exec touch trace ;", "*", "; touch ../trace"]) {
    await call("files_find", { name });
  }
  await refuse("files_find", "size", ["1 -delete", "+1k -exec", "1c;"]);
  assert.equal(await exists(join(place.work, "a.json")), true);
  await call("files_lines", { path: "a.json", from: 1, to: "2p;w ../trace" });
});

await attack("ripgrep", "rg", {
  ...project,
  ".ripgreprc": "--pre=./trap",
  trap: trap('cat "$1"'),
}, async (place) => {
  const { call, refuse, work } = place;
  for (const tool of ["rg_search", "rg_count", "rg_files_with_matches"]) {
    await refuse(tool, "path", closedPaths(place), { pattern: "." });
  }
  for (const glob of ["**", ".*", ".env", ".*/**", "!nothing", "**/.env", "{.env,x}", "../**"]) {
    await call("rg_search", { pattern: ".", glob, hidden: true, no_ignore: true });
  }
  for (const pattern of ["--pre=./trap", "-f../secret.json", "--follow", "-z"]) {
    await call("rg_search", { pattern });
    await call("rg_search", { pattern: "plain", replace: pattern, type: "all" });
  }
  await refuse("rg_search", "type", ["x --pre=./trap", "../x"], { pattern: "." });
  await Deno.symlink("..", join(work, "up"));
  await call("rg_search", { pattern: "hunter", no_ignore: true, hidden: true });
});

await attack("fd", "fd", { ...project, trap: trap() }, async ({ call, refuse }) => {
  for (const pattern of ["-x", "--exec=./trap", "-X./trap", "--search-path=..", "-L"]) {
    await call("fd_find", { pattern });
    await call("fd_glob", { pattern });
    await call("fd_find", { exclude: pattern, extension: pattern });
  }
  for (const path of ["..", "/", "link.json", "/proc/self"]) {
    const text = await call("fd_find", { pattern: "secret", path });
    assert.match(text, /refused|lies? outside|never/, path);
  }
  await refuse("fd_size", "size", ["+1k --exec=./trap", "--exec"]);
});

await attack("jq", "jq", {
  ...project,
  "lib.jq": 'def f: "x";',
  "leak.json": JSON.stringify({ here: true }),
}, async (place) => {
  const { call, refuse, outside } = place;
  const filters = [
    ...["env", "$ENV", "env.SECRET_TOKEN", "$ENV.SECRET_TOKEN", "[inputs]", "input_filename"],
    ...["get_search_list", "$__prog_args", "--rawfile x ../secret.json", "-f../secret.json"],
    ...["-L..", ".\\", `"${outside}/secret" | modulemeta`, '"../secret" | modulemeta'],
    `import "secret" as $s {search: "${outside}"}; $s`,
    `include "lib" {search: "${outside}"}; f`,
    `.) | import "secret" as $s {search: "${outside}"}; ($s`,
    `# x\nimport "secret" as $s {search: ".."}; $s`,
    `module {}; import "secret" as $s {search: ".."}; $s`,
  ];
  for (const filter of filters) {
    await call("jq_query", { filter, input: "{}" });
    await call("jq_file", { filter, path: "a.json" });
    await call("jq_compute", { filter });
  }
  await refuse("jq_file", "path", closedPaths(place), { filter: "." });
  await refuse("jq_file", "path", closedPaths(place), { filter: ".", raw_input: true });
});

await attack("curl", "curl", { ...project, "headers.txt": "X: y" }, async (place) => {
  const { call, refuse, outside, work } = place;
  const hosts = [
    ...["file:///etc/passwd", `file://${outside}/secret.json`, "FILE:///etc/passwd"],
    ...["gopher://127.0.0.1:6379/_x", "dict://127.0.0.1:11211/x", "ftp://example.org/"],
    ...["http://169.254.169.254/latest/meta-data/", "http://169.254.169.254.nip.io/"],
    ...["http://metadata.google.internal/", "https://169.254.169.254/", "https://2852039166/"],
    ...["https://0xa9fea9fe/", "https://[fd00:ec2::254]/", "http://localhost@169.254.169.254/"],
    ...["http://localhost\\@169.254.169.254/", "http://localhost.evil.org/"],
    ...["http://127.0.0.1.evil.org/", "http://127.0.0.1:80@169.254.169.254/"],
    ...["https://{a,b}.example.org/", "http://localhost:1-9/", "@headers.txt", "-K/etc/passwd"],
    ...["--output=../new", "localhost", " https://example.org"],
    ...["https://example.org\n--output ../new", "https://user:pw@example.org/"],
  ];
  for (const tool of ["curl_get", "curl_json", "curl_head", "curl_status"]) {
    await refuse(tool, "url", hosts);
  }
  // A server of this machine that redirects to where nothing may go
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    (request): Response => {
      const { pathname } = new URL(request.url);
      const { host } = new URL(request.url);
      const to = pathname === "/file" ? `file://${outside}/secret.json` : `http://${host}/inner`;
      if (pathname === "/inner") return new Response("inner");
      return new Response("moved", { status: 302, headers: { location: to } });
    },
  );
  const base = `http://127.0.0.1:${server.addr.port}`;
  for (const path of ["/file", "/http"]) {
    assert.doesNotMatch(await call("curl_get", { url: `${base}${path}`, follow: true }), /inner/);
  }
  const headers = ["@headers.txt", "@../secret.json", "-o../new", "X: y\r\nHost: z"];
  await refuse("curl_get", "header", headers, { url: base });
  await refuse("curl_range", "range", ["0-1 -o ../new", "@x"], { url: base });
  // Braces would be several requests
  await call("curl_get", { url: `${base}/{a,b}` });
  await call("curl_get", { url: `${base}/[1-9]`, user_agent: "@../secret.json" });
  assert.deepEqual((await Array.fromAsync(Deno.readDir(work))).length, 7);
});

/** Tries every character at each place of a file until the sum is that of what it holds. */
function stolenBySum(file: string): string {
  const characters = Array.from({ length: 30 }, (_, at) => {
    const text = `'SELECT cast(substr(data,${at + 1},1) AS text) FROM fs'||'dir(''${file}'')'`;
    const sum = "sha3('S'||length(s)||':'||s||'RT1:'||char(n),256)";
    return "(WITH RECURSIVE k(n) AS (VALUES(9) UNION ALL SELECT n+1 FROM k WHERE n<127), " +
      `q(s) AS (VALUES(${text})) SELECT char(n) FROM k,q WHERE ${sum}=sha3_query(s,256))`;
  });
  return `SELECT ${characters.join("||")} AS stolen`;
}

await attack("sqlite3", "sqlite3", project, async (place) => {
  const { call, refuse, outside, work } = place;
  await say(["sqlite3", join(work, "db"), "CREATE TABLE t(a); INSERT INTO t VALUES(1)"]);
  const file = `${outside}/secret.json`;
  const queries = [
    `SELECT data FROM fsdir('${file}')`,
    `SELECT data FROM FsDir('${file}')`,
    `SELECT data FROM "fsdir"('${file}')`,
    `SELECT data FROM fsdir WHERE path='${file}'`,
    `SELECT * FROM zipfile('${file}')`,
    `CREATE VIRTUAL TABLE temp.z USING zipfile('${file}')`,
    ...[`SELECT readfile('${file}')`, `SELECT writefile('${outside}/new', 'x')`],
    ...[`SELECT load_extension('${outside}/x')`, `SELECT edit('x', 'touch ${outside}/trace')`],
    ...[`ATTACH '${outside}/new' AS n; CREATE TABLE n.t(a)`, `VACUUM INTO '${outside}/new'`],
    ...[`.shell touch ${outside}/trace`, `.read ${file}`, `.output ${outside}/new`],
    ...[`.once |touch ${outside}/trace`, `.open ${outside}/new`, ` .shell touch ${outside}/trace`],
    ...[`SELECT 1;\n.shell touch ${outside}/trace`, `.import ${file} t`],
    "INSERT INTO t VALUES(2)",
    "DROP TABLE t",
    "PRAGMA writable_schema=1; DELETE FROM sqlite_master",
    "PRAGMA writable_schema=ON; CREATE TEMP VIEW v AS SELECT 1; UPDATE temp.sqlite_master " +
    `SET sql='CREATE VIEW v AS SELECT data FROM fs'||'dir(''${file}'')' WHERE name='v'; ` +
    "PRAGMA writable_schema=RESET; SELECT * FROM v",
    stolenBySum(file),
    `SELECT 1; ${stolenBySum(file)}`,
    `-- x\n.shell touch ${outside}/trace`,
    `-- x\n/* y */ SELECT 1; ${stolenBySum(file)}`,
    `/* ; */ ${stolenBySum(file)}`,
    "-init x",
    "-cmd .shell",
  ];
  for (const sql of queries) {
    await call("sqlite3_query", { database: "db", sql });
    await call("sqlite3_explain", { database: "db", sql });
  }
  const databases = [
    ...closedPaths(place).filter((path) => !/env|git/i.test(path)),
    ...[`file:${outside}/new?mode=rwc`, "file:../secret.json", ":memory:", "-cmd", ""],
  ];
  for (const database of databases) {
    const text = await call("sqlite3_query", { database, sql: "SELECT 1" });
    assert.match(
      text,
      /lies outside|never allowed|pattern|begins with '-'|resolved|empty/,
      database,
    );
  }
  for (const tool of ["sqlite3_sample", "sqlite3_columns"]) {
    const tables = ["t'); .shell x", 't" UNION SELECT 1 --', "t;", "(SELECT 1)"];
    await refuse(tool, "table", tables, { database: "db" });
  }
  assert.match(await call("sqlite3_query", { database: "db", sql: "SELECT * FROM t" }), /1/);
});

await attack("ffmpeg", "ffmpeg", {
  ...project,
  "p.m3u8": "#EXTM3U\n#EXTINF:1,\n../secret.json\n",
  "p.mp4": "#EXTM3U\n#EXTINF:1,\n$PLACE/secret.json\n",
  "c.mp4": "ffconcat version 1.0\nfile ../secret.json\n",
  "s.avs": 'Import("../secret.json")',
}, async (place) => {
  const { call, refuse, outside } = place;
  const inputs = [
    ...closedPaths(place),
    ...["concat:../secret.json|a.json", "subfile,,start,0,end,9,,:../secret.json"],
    ...["http://127.0.0.1:9/x", "data:text/plain,x", "p.m3u8", "p.mp4", "c.mp4", "s.avs", "%d.png"],
  ];
  for (const input of inputs) {
    await call("ffmpeg_convert", { input, output: "o.mp4" });
    await call("ffmpeg_volume_detect", { input });
  }
  const sine = ["-loglevel", "error", "-f", "lavfi", "-i", "sine=duration=0.1"];
  await say(["ffmpeg", ...sine, join(place.work, "v.wav")]);
  await refuse("ffmpeg_convert", "output", [
    ...["../new.mp4", `${outside}/new.mp4`, "tee:a.mp4|../new.mp4", "o.m3u8", "o.sh", ".bashrc"],
    ...[".git/o.mp4", "%d.png", "file:../new.mp4", "http://127.0.0.1:9/o.mp4"],
  ], { input: "v.wav" });
  const starts = ["0 -y", "1;x", "-i ../secret.json"];
  await refuse("ffmpeg_cut", "start", starts, { input: "v.wav", output: "o.wav" });
  // A file that exists is never overwritten
  await Deno.writeTextFile(join(place.work, "mine.wav"), "mine");
  await call("ffmpeg_convert", { input: "v.wav", output: "mine.wav" });
  assert.equal(await Deno.readTextFile(join(place.work, "mine.wav")), "mine");
});

await attack("pandoc", "pandoc", {
  ...project,
  "evil.lua": 'os.execute("touch ../trace")',
  "include.rst": ".. include:: ../secret.json\n\n.. raw:: html\n   :file: ../secret.json\n",
  "include.tex": "\\input{../secret.json}\\lstinputlisting{../secret.json}",
  "include.org": "#+include: ../secret.json\n",
}, async (place) => {
  const { call, refuse, outside } = place;
  for (const path of [...closedPaths(place), "http://127.0.0.1:9/", "--lua-filter=evil.lua"]) {
    await call("pandoc_read", { path, to: "plain" });
  }
  const hidden = ["sub/.env.local", ".kube/config", "id_rsa", ".gnupg/key"];
  await refuse("pandoc_read", "path", hidden, { from: "markdown" });
  for (const path of ["include.rst", "include.tex", "include.org"]) {
    await call("pandoc_read", { path });
  }
  const texts: [string, string][] = [
    [
      "rst",
      `.. include:: ${outside}/secret.json\n\n.. csv-table::\n   :file: ${outside}/secret.json\n`,
    ],
    ["latex", `\\input{${outside}/secret.json}`],
    ["org", `#+include: ${outside}/secret.json\n`],
    ["markdown", `![](${outside}/secret.json)`],
  ];
  for (const [from, text] of texts) {
    await call("pandoc_convert", { text, from, to: "html", standalone: true });
  }
  const formats = ["evil.lua", "../x", "pdf", "markdown+raw_html"];
  await refuse("pandoc_convert", "to", formats, { text: "x" });
  const outputs = ["../new.html", `${outside}/new.md`, ".bashrc", ".git/a.md", "a.sh", "a.lua"];
  await refuse("pandoc_write", "output", outputs, { text: "x" });
  await call("pandoc_write", { text: "x", output: "a.html", title: "x --lua-filter=evil.lua" });
});

await attack("npm", "npm", {
  ...project,
  "package.json": '{"name":"x","version":"1.0.0","scripts":{"prepack":"./trap","build":"./trap"}}',
  ".npmrc": "script-shell=./trap\ngit=./trap\nnode-options=--require=./trap.js\neditor=./trap\n" +
    "registry=http://127.0.0.1:9/${SECRET_TOKEN}/\ncache=../new\nprefix=../new\nignore-scripts=false\n" +
    "logs-dir=$PLACE/work/logs\nlogs-max=1\n",
  // npm takes this file for an old log of its own, and would delete it
  "logs/2020-01-01T00_00_00_000Z-debug-0.log": "",
  "trap.js": 'require("fs").writeFileSync("$PLACE/trace", "")',
  trap: trap(),
}, async ({ call, refuse, work }) => {
  await call("npm_ls", {});
  assert.equal(await exists(join(work, "logs/2020-01-01T00_00_00_000Z-debug-0.log")), true);
  assert.match(await call("npm_scripts", {}), /build\n\s+\.\/trap/);
  await call("npm_outdated", {});
  const specs = [
    ...["git+file:///x", "file:..", "../x", ".", "x@git+ssh://evil/x", "a/b", "-g", "x@../y"],
  ];
  for (const tool of ["npm_view", "npm_explain"]) await refuse(tool, "package", specs);
  await refuse("npm_ls", "directory", ["..", "/"]);
});

await attack("cargo", "cargo", {
  ...project,
  "Cargo.toml": '[package]\nname = "x"\nversion = "0.1.0"\nbuild = "build.rs"\n',
  "Cargo.lock": 'version = 3\n\n[[package]]\nname = "x"\nversion = "0.1.0"\n',
  "build.rs": 'fn main() { std::fs::write("$PLACE/trace", "").unwrap(); }',
  "src/lib.rs": "",
  ".cargo/config.toml": '[build]\nrustc = "./trap"\nrustc-wrapper = "./trap"\n' +
    'rustc-workspace-wrapper = "./trap"\nrustflags = ["--print=cfg=$PLACE/new"]\n' +
    '[alias]\ntree = "!./trap"\n[env]\n' +
    'PATH = { value = "$PLACE/work/toolchain/bin:/usr/bin:/bin", force = true }\n',
  "rust-toolchain.toml": '[toolchain]\npath = "$PLACE/work/toolchain"\n',
  "toolchain/bin/cargo": trap(),
  "toolchain/bin/rustc": trap(),
  trap: trap('exec rustc "$@"'),
}, async ({ call }) => {
  assert.match(await call("cargo_tree", {}), /^x v0\.1\.0/);
  await call("cargo_metadata", {});
  await call("cargo_installed", {});
  for (const invert of ["--config", "x y", "../x"]) await call("cargo_tree", { invert });
});

/** Tools that look at what a project has. */
const terraformReads = [
  ...["terraform_state_list", "terraform_output", "terraform_workspace_list"],
  ...["terraform_providers", "terraform_modules", "terraform_version"],
];

await attack("terraform", "terraform", {
  ...project,
  "main.tf":
    'terraform {\n  required_providers {\n    x = { source = "local.io/evil/x" }\n  }\n}\n' +
    'resource "x_thing" "a" {}\ndata "external" "e" {\n  program = ["./trap"]\n}\n',
  "terraform.tfstate": JSON.stringify({
    version: 4,
    terraform_version: "1.0.0",
    serial: 1,
    lineage: "a",
    outputs: { s: { value: secret, type: "string", sensitive: true } },
    resources: [],
  }),
  ".terraform/providers/local.io/evil/x/1.0.0/linux_amd64/terraform-provider-x": trap(),
  trap: trap(),
}, async ({ call }) => {
  for (const tool of terraformReads) await call(tool, {});
  await call("terraform_state_list", { address: "-state=../x", id: "x" });
});

// `terraform init` leaves this behind where the backend is s3 and its profile names a program
const s3 = {
  bucket: "b",
  endpoints: { s3: "http://127.0.0.1:18765" },
  key: "k",
  profile: "evil",
  region: "us-east-1",
  shared_config_files: ["./aws"],
  skip_credentials_validation: true,
  skip_metadata_api_check: true,
  skip_requesting_account_id: true,
  use_path_style: true,
};
await attack("terraform", "terraform", {
  ...project,
  "main.tf": `terraform {
  backend "s3" {
    ${Object.entries(s3).map(([key, value]) => `${key} = ${JSON.stringify(value)}`).join("\n    ")}
  }
}
`,
  ".terraform/terraform.tfstate": JSON.stringify({
    version: 3,
    terraform_version: "1.11.4",
    backend: { type: "s3", config: s3, hash: 2924643130 },
  }),
  aws: "[profile evil]\ncredential_process = $PLACE/work/trap\n",
  trap: trap(`echo '{"Version":1,"AccessKeyId":"a","SecretAccessKey":"b"}'`),
}, async ({ call }) => {
  for (const tool of terraformReads) await call(tool, {});
});

await attack("uv", "uv", {
  ...project,
  "pyproject.toml": '[project]\nname = "x"\nversion = "0.1"\nrequires-python = ">=3.8"\n' +
    '[build-system]\nrequires = []\nbuild-backend = "trap"\nbackend-path = ["."]\n',
  "uv.lock":
    'version = 1\nrequires-python = ">=3.8"\n\n[[package]]\nname = "x"\nversion = "0.1"\n' +
    'source = { editable = "." }\n',
  "trap.py": 'open("$PLACE/trace", "w")',
  ".python-version": "$PLACE/work/.venv/bin/python\n",
  ".venv/pyvenv.cfg": "home = /usr/bin\nversion = 3.11.2\n",
  ".venv/bin/python": trap('exec python3 "$@"'),
  ".venv/bin/python3": trap('exec python3 "$@"'),
}, async ({ call }) => {
  for (const tool of ["uv_tree", "uv_export", "uv_pip_list", "uv_python_list", "uv_tool_list"]) {
    await call(tool, {});
  }
  await call("uv_pip_show", { package: "pip" });
});

await attack("deno", "deno", {
  ...project,
  "deno.json":
    '{"tasks":{"build":"./trap"},"lint":{"plugins":["./plugin.ts"]},"nodeModulesDir":"auto"}',
  "plugin.ts":
    'Deno.writeTextFileSync("$PLACE/trace", ""); export default { name: "p", rules: {} };',
  "main.ts":
    'import "../../e2e/plugin.ts";\nimport x from "../../secret.json" with { type: "json" };\nexport { x };\n',
  trap: trap(),
}, async ({ call, refuse }) => {
  await call("deno_lint", { source: 'import x from "../../secret.json" with { type: "json" };' });
  await call("deno_fmt", { source: 'import "../secret.json"' });
  assert.match(await call("deno_tasks", {}), /build\n\s+\.\/trap/);
  for (const tool of ["deno_lint", "deno_fmt"]) {
    await refuse(tool, "language", ["ts --config=x", "../x", "vue"], { source: "1" });
  }
  await refuse("deno_tasks", "directory", [".."]);
});

await attack("gh", "gh", {
  ...project,
  "sub/HEAD": "ref: refs/heads/main\n",
  "sub/config": '[core]\n\tbare = true\n\tfsmonitor = "./trap"\n[alias]\n\tx = "!./trap"\n',
  "sub/objects/k": "",
  "sub/refs/k": "",
  trap: trap(),
}, async ({ call, refuse }) => {
  const elsewhere = "evil.example/a/b";
  await refuse("gh_issue_list", "repo", [elsewhere, `https://${elsewhere}`, "-x", "a", "../a/b"]);
  for (const number of [`https://${elsewhere}/issues/1`, "-1", "1 --web", 0]) {
    const text = await call("gh_issue_view", { number });
    assert.match(text, /cannot convert|less than|expected|integer/i, String(number));
  }
  await refuse("gh_issue_list", "json", ["number --jq env"]);
  await refuse("gh_issue_list", "directory", [".git"]);
  await call("gh_issue_list", { json: ["number", "title"], jq: "env", template: "x", web: true });
  await call("gh_pr_list", { directory: "sub" });
});

await attack("docker", "docker", project, async ({ call, refuse }) => {
  const formats = ["{{json .Config.Env}}", "{{json .}}", "{{json .HostConfig}}", "{{.Config}}"];
  await refuse("docker_inspect", "format", formats, { name: "x" });
  await refuse("docker_logs", "container", ["--help", "-f", "--format={{.}}"]);
  // Fixed formats cannot be replaced
  for (const tool of ["docker_history", "docker_volume_inspect"]) {
    const text = await call(tool, { image: "x", volume: "x", format: "{{.CreatedBy}}" });
    assert.doesNotMatch(text, /CreatedBy/);
  }
});

await attack("kubectl", "kubectl", project, async ({ refuse }) => {
  const kinds = ["secrets -o yaml", "secret,pod", "-f../x", "--raw=/api", "../x"];
  await refuse("kubectl_get", "kind", kinds);
  const outputs = ["yaml", "json", "jsonpath={.data}", "go-template={{.data}}"];
  await refuse("kubectl_get", "output", [...outputs, "custom-columns=A:.data"], {
    kind: "secrets",
  });
  const described = ["secret", "pod", "configmap", "deployment"];
  await refuse("kubectl_describe", "kind", described, { name: "x" });
  await refuse("kubectl_logs", "pod", ["--kubeconfig=/x"]);
  await refuse("kubectl_scale", "workload", ["deployment/x --kubeconfig=y"], { replicas: 1 });
});

await attack("psql", "psql", {
  ...project,
  ".psqlrc": "\\! touch ../trace\n",
}, async ({ refuse }) => {
  await refuse("psql_query", "sql", [
    ...["\\! touch ../trace", " \\! touch ../trace", "COPY (SELECT 1) TO PROGRAM 'touch x'"],
    ...["SELECT 1; COMMIT; DROP TABLE x", "SELECT 1;;", "BEGIN READ WRITE", "DO 'x'", "selectx"],
    ...["SET default_transaction_read_only = off", "/**/COPY x TO PROGRAM 'y'"],
  ]);
  const databases = ["host=evil.example", "postgresql://evil.example/x", "service=x", "-fx", "x y"];
  await refuse("psql_tables", "database", databases);
  const names = ["`touch ../trace`", "x \\! touch ../trace", "x;", ":x", "'x'"];
  await refuse("psql_describe", "name", names);
});

await attack("systemctl", "systemctl", project, async ({ call, refuse }) => {
  await refuse("systemctl_status", "unit", ["--root=..", "x --host=evil", "../x", "-H"]);
  await call("systemctl_show", { unit: "cron", property: "Environment" });
});

await attack("codex", "codex", {
  ...project,
  ".codex/config.toml": '[mcp_servers.x]\ncommand = "./trap"\n',
  trap: trap(),
}, async ({ call, refuse }) => {
  await call("codex_features", {});
  await refuse("codex_ask", "model", ["x --yolo", "-c x=y", "x\n"], { prompt: "x" });
  await refuse("codex_resume", "session_id", ["--last", "x", "-c"], { prompt: "x" });
});

await attack("gemini", "gemini", {
  ...project,
  ".gemini/settings.json":
    '{"mcpServers":{"x":{"command":"./trap"}},"tools":{"discoveryCommand":"./trap"}}',
  trap: trap(),
}, async ({ call, refuse }) => {
  await call("gemini_version", {});
  await refuse("gemini_ask", "model", ["x --yolo", "x\ny"], { prompt: "x" });
});
