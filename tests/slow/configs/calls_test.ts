/** At least one tool of each bundled config whose program is here does its work, on something real. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { ground } from "./_ground.ts";
import { sandboxed } from "../../_sandbox.ts";
import { say, whyNoCompose, whyNot } from "../../configs/_programs.ts";

/** A config, the program it needs, a call, and what the answer has. */
type Row = readonly [
  config: string,
  program: string,
  tool: string,
  args: Record<string, unknown>,
  has: RegExp,
];

const kubeconfig = `apiVersion: v1
kind: Config
current-context: here
contexts: [{ name: here, context: { cluster: c, user: u } }]
clusters: [{ name: c, cluster: { server: "http://127.0.0.1:9" } }]
users: [{ name: u, user: {} }]
`;

const files = {
  "a.json": '{"items":[{"n":2},{"n":3}]}',
  "src/main.ts":
    "/** Adds. */\nexport function add(a: number, b: number): number {\n  return a + b;\n}\n",
  "src/lib.rs": "",
  "notes.md": "# Notes\n\nSome *text*.\n",
  "package.json": '{"name":"here","version":"1.2.3","scripts":{"build":"false"},"dependencies":{}}',
  "Cargo.toml": '[package]\nname = "here"\nversion = "0.1.0"\nedition = "2021"\n',
  "Cargo.lock": '# @generated\nversion = 3\n\n[[package]]\nname = "here"\nversion = "0.1.0"\n',
  "pyproject.toml": '[project]\nname = "here"\nversion = "0.1"\nrequires-python = ">=3.8"\n',
  "uv.lock":
    'version = 1\nrequires-python = ">=3.8"\n\n[[package]]\nname = "here"\nversion = "0.1"\n' +
    'source = { virtual = "." }\n',
  "tf/main.tf": 'output "o" {\nvalue = 1\n}\n',
  "kube.yaml": kubeconfig,
};

const rows = (url: string): readonly Row[] => [
  ["jq", "jq", "jq_query", { filter: "[.items[].n] | add", input: files["a.json"] }, /^5$/],
  ["jq", "jq", "jq_query", { query: ".[0].a", json: [{ a: 1 }] }, /^1$/],
  [
    "jq",
    "jq",
    "jq_query",
    { filter: ".a", file: "a.json" },
    /Missing required argument 'input'/,
  ],
  ["jq", "jq", "jq_file", { filter: ".items | length # all", path: "a.json" }, /^2$/],
  ["jq", "jq", "jq_format", { input: '{"a":1}', indent: 4 }, /^\{\n {4}"a": 1\n\}$/],
  ["jq", "jq", "jq_compute", { filter: "[range(4)] | add", compact: true }, /^6$/],
  ["yq", "yq", "yq_file", { filter: "keys", path: "pyproject.toml", to: "json" }, /"project"/],
  ["yq", "yq", "yq_query", { filter: ".[0].a", input: "a,b\n1,2\n", from: "csv" }, /^1$/],
  ["yq", "yq", "yq_query", { filter: 'load("a.json")', input: "{}" }, /disabled/],
  ["processes", "ps", "process_list", { sort: "-rss" }, /COMMAND/],
  ["processes", "pgrep", "process_find", { name: "no-such-program" }, /^no such process$/],
  ["processes", "ps", "process_show", { pid: 1 }, /\n *1 /],
  ["processes", "ss", "port_list", {}, /Local Address/],
  ["processes", "ss", "connection_list", { port: 1 }, /Local Address/],
  ["processes", "perl", "environment_names", {}, /^PATH$/m],
  ["archives", "tar", "tar_list", { path: "a.tar" }, /a\/\.git\/config[^]*\.\.\/up/],
  ["archives", "tar", "tar_extract", { path: "a.tar", destination: "t" }, /Member name contains/],
  ["archives", "tar", "tar_extract", { path: "a.tar", destination: "t" }, /t: is there already/],
  ["files", "tar", "files_find", { path: "t" }, /^t\nt\/a\nt\/a\/b$/],
  ["archives", "unzip", "zip_list", { path: "a.zip" }, /^Archive: {2}a\.zip[^]*a\/\.git\/config/],
  ["archives", "unzip", "zip_extract", { path: "a.zip", destination: "z" }, /^[^]{0,300}$/],
  ["archives", "unzip", "zip_list", { file: "w.zip" }, /\[read to its end with warnings\]$/],
  ["archives", "unzip", "zip_extract", { file: "w.zip", dest: "w" }, /Unpacked, with warnings$/],
  ["files", "unzip", "files_find", { path: "z" }, /^(?:z(?:\/a|\/a\/b|\/up)?\n?)+$/],
  ["ripgrep", "rg", "rg_search", { pattern: "a \\+ b", type: "ts" }, /main\.ts\n3:.*a \+ b/],
  ["ripgrep", "rg", "rg_count", { pattern: "a", path: ["notes.md", "src"] }, /main\.ts:\d/],
  ["ripgrep", "rg", "rg_files", { glob: "*.md" }, /notes\.md/],
  ["fd", "fd", "fd_find", { pattern: "main", type: "file" }, /src\/main\.ts/],
  ["fd", "fd", "fd_recent", { changed_within: "1d", extension: "md" }, /notes\.md/],
  ["files", "find", "files_find", { name: "*.ts", kind: "f", days: "-7" }, /^\.\/src\/main\.ts$/],
  ["files", "find", "files_find", { glob: "**/*.ts" }, /a name without a folder, such as \*\.log/],
  ["files", "ls", "files_list", { path: "src" }, /main\.ts/],
  ["files", "sh", "files_read", { path: "notes.md", from: 3, to: 3 }, /^Some \*text\*\.$/],
  ["files", "grep", "files_grep", { pattern: "Notes", include: "*.md" }, /notes\.md:1:# Notes/],
  [
    "files",
    "diff",
    "files_diff",
    { old: "notes.md", new: "a.json" },
    /^--- notes\.md[^]*\[they differ\]$/,
  ],
  ["files", "grep", "files_grep", { pattern: "NOTES", i: true }, /notes\.md:1:# Notes/],
  ["files", "diff", "files_diff", { file1: "a.json", file2: "a.json" }, /^(?:\(no output\))?$/],
  ["files", "grep", "files_grep", { query: "zzzz" }, /^nothing matched$/],
  ["ripgrep", "rg", "rg_search", { query: "zz".repeat(2) }, /^nothing matched$/],
  ["files", "file", "files_type", { path: "a.json", mime: true }, /json/],
  ["files", "du", "files_du", { max_depth: 1 }, /\.\/src/],
  ["files", "du", "files_du", { exclude: ["src"] }, /^(?!.*\/src)[^]*\.$/s],
  [
    "files",
    "find",
    "files_find",
    { exclude: ["./src/**", "*.t*l", "a.*"], name: "*.t*", kind: "f" },
    /^\.\/tf\/main\.tf$/,
  ],
  [
    "files",
    "wc",
    "files_biggest",
    { exclude: ["tf"], name: "*[sf]" },
    /^83 \.\/src\/main\.ts\n0 \.\/src\/lib\.rs$/,
  ],
  ["curl", "curl", "curl_get", { url, include: true }, /200[^]*hello GET/],
  ["curl", "curl", "curl_get", { url, timeout: 300.5 }, /'max_time'.*300\.5/],
  ["curl", "curl", "curl_json", { url: `${url}/json` }, /^\{"accept":"application\/json"\}$/],
  [
    "curl",
    "curl",
    "curl_get",
    { url: `${url}/json`, headers: { Accept: "a/b" } },
    /"accept":"a\/b"/,
  ],
  ["curl", "curl", "curl_head", { url }, /content-length: 9/i],
  ["curl", "curl", "curl_status", { url: `${url}/none` }, /^\{"status":404,"ip":"127\.0\.0\.1"/],
  ["curl", "curl", "curl_get", { url: `${url}/none` }, /error: 404[^]*exit code: 22/],
  [
    "sqlite3",
    "sqlite3",
    "sqlite3_tables",
    { database: "db.sqlite" },
    /^type,name,.*\ntable,people,/,
  ],
  ["sqlite3", "sqlite3", "sqlite3_query", {
    database: "db.sqlite",
    sql: "-- of all\nSELECT count(*) AS n FROM people",
    mode: "json",
  }, /^\[\{"n":2\}\]$/],
  ["sqlite3", "sqlite3", "sqlite3_query", {
    database: "db.sqlite",
    sql: "SELECT name FROM people WHERE name = ?",
    params: ["Ada"],
  }, /Unknown argument 'params'/],
  ["sqlite3", "sqlite3", "sqlite3_columns", { database: "db.sqlite", table: "people" }, /TEXT/],
  ["sqlite3", "sqlite3", "sqlite3_sample", { database: "db.sqlite", table: "people" }, /Ada/],
  ["sqlite3", "sqlite3", "sqlite3_check", { database: "db.sqlite" }, /^ok$/],
  ["sqlite3", "sqlite3", "sqlite3_explain", {
    database: "db.sqlite",
    sql: "SELECT * FROM people",
  }, /SCAN people/],
  ["ffprobe", "ffprobe", "ffprobe_duration", { input: "v.mp4" }, /^1\.0/],
  [
    "ffprobe",
    "ffprobe",
    "ffprobe_resolution",
    { input: "v.mp4" },
    /^codec_name\twidth\theight.*\nh264\t64\t48\t/,
  ],
  ["ffmpeg", "ffmpeg", "ffmpeg_cut", { input: "v.mp4", duration: "0.4", output: "c.mp4" }, /^/],
  ["ffprobe", "ffprobe", "ffprobe_info", { input: "c.mp4" }, /"codec_type":"video"/],
  ["ffmpeg", "ffmpeg", "ffmpeg_thumbnail", { input: "v.mp4", output: "t.png" }, /^/],
  ["ffprobe", "ffprobe", "ffprobe_info", { input: "t.png" }, /png/],
  [
    "ffprobe",
    "ffprobe",
    "ffprobe_subtitles",
    { input: "v.mp4" },
    /^\[no value: \$\.streams selects/,
  ],
  ["pandoc", "pandoc", "pandoc_convert", { text: "*hi*", to: "html" }, /^<p><em>hi<\/em><\/p>$/],
  ["pandoc", "pandoc", "pandoc_read", { path: "notes.md", to: "plain" }, /Some text/],
  ["pandoc", "pandoc", "pandoc_write", { text: "# A", output: "a.rtf", title: "T" }, /^/],
  ["pandoc", "pandoc", "pandoc_formats", { direction: "input" }, /docx/],
  ["npm", "npm", "npm_pkg_get", { field: ["version"] }, /1\.2\.3/],
  ["npm", "npm", "npm_scripts", {}, /build\n\s+false/],
  ["deno", "deno", "deno_fmt", { source: "let  a=1" }, /^let a = 1;$/],
  ["deno", "deno", "deno_lint", { source: "var a = 1;" }, /no-var/],
  ["deno", "deno", "deno_tasks", { directory: "src" }, /build.*\n\s+false/],
  ["cargo", "cargo", "cargo_metadata", {}, /^name\tversion\t.*\nhere\t/],
  ["uv", "uv", "uv_tree", {}, /here v0\.1/],
  ["pip", "pip", "pip_version", {}, /^pip \d/],
  ["terraform", "terraform", "terraform_fmt", { source: "a=1\n" }, /^a = 1/],
  ["gh", "gh", "gh_issue_list", {}, /gh auth login|GH_TOKEN|git repository|git remotes/],
  ["gh", "gh", "gh_issue_list", { repo: "b" }, /'b' is not allowed: expected OWNER\/NAME/],
  [
    "gh",
    "gh",
    "gh_pr_comment",
    { number: 0, comment: "x" },
    /:\n {2}- Argument 'number'.*\n\nTakes/,
  ],
  ["kubectl", "kubectl", "kubectl_scale", { deployment: "web", replicas: 1 }, /127\.0\.0\.1:9/],
  ["kubectl", "kubectl", "kubectl_contexts", {}, /\* +here/],
  ["kubectl", "kubectl", "kubectl_get", { kind: "pods" }, /127\.0\.0\.1:9/],
  ["docker", "docker", "docker_version", {}, /Client/],
  ["psql", "psql", "psql_version", {}, /PostgreSQL/],
  ["systemctl", "systemctl", "systemctl_list_unit_files", { type: "timer" }, /\S/],
  ["journalctl", "journalctl", "journalctl_disk_usage", {}, /take up|Archived/],
  ["gcloud", "gcloud", "gcloud_version", {}, /Google Cloud SDK/],
  ["claude", "claude", "claude_version", {}, /\d+\.\d+/],
  ["codex", "codex", "codex_version", {}, /codex/],
  ["gemini", "gemini", "gemini_version", {}, /^\d+\.\d+/],
];

const ignore = Deno.build.os === "windows" || await whyNot("git") !== undefined;

for (const isSandboxed of [false, true]) {
  const where = isSandboxed ? " in a sandbox, with what the config asks for" : "";
  Deno.test(`tools of the bundled configs whose programs are here do their work${where}`, {
    ignore: ignore || (isSandboxed && sandboxed.ignore),
  }, (test) => callAll(test, isSandboxed));
}

async function callAll(test: Deno.TestContext, isSandboxed: boolean): Promise<void> {
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, answer);
  const all = rows(`http://127.0.0.1:${server.addr.port}`);
  const absent = new Set<string>();
  for (const program of new Set(all.map(([, program]) => program))) {
    if (await whyNot(program) !== undefined) absent.add(program);
  }
  // Python makes the archives for these
  if (await whyNot("python3") !== undefined) absent.add("tar").add("unzip");
  const here = all.filter(([, program]) => !absent.has(program));
  const configs = [...new Set(here.map(([config]) => config))];
  await using place = await ground(isSandboxed ? [...configs, "--sandbox"] : configs, files, {
    KUBECONFIG: "kube.yaml",
    AWS_EC2_METADATA_DISABLED: "true",
    // The machine's own home, so that no program asks or downloads
    HOME: Deno.env.get("HOME") ?? "/",
    GH_TOKEN: "",
  });
  await make(place.work);
  for (const [, program, tool, args, has] of all) {
    const name = `${tool} ${JSON.stringify(args)}`;
    await test.step({
      name,
      ignore: absent.has(program),
      async fn() {
        const text = await place.call(tool, args);
        assert.match(text, has, `${name}: ${text}`);
      },
    });
  }
}

Deno.test("every bundled config has a call here, but for those of whole services", async () => {
  const { bundledConfigs } = await import("../../../src/sources/command/bundled.ts");
  const called = new Set(rows("").map(([config]) => config));
  const otherTests = ["git", "coreutils", "go", "just", "make", "python", "files-write"];
  const services = ["aws", "obsidian", "docker-compose"];
  assert.deepEqual(
    [...bundledConfigs.keys()].filter((name) => !called.has(name)).toSorted(),
    [...otherTests, ...services].toSorted(),
  );
});

Deno.test("programs that search files say which they leave out as credentials", {
  ignore: ignore || await whyNot("rg") !== undefined || await whyNot("perl") !== undefined,
}, async () => {
  const notes = { "config/notes.env": "COLOUR\n", ".gitignore": ".env\n", "src/a.ts": "" };
  for (const more of sandboxed.ignore ? [[]] : [[], ["--sandbox"]]) {
    const configs = ["ripgrep", "files", "files-write", "--policy", "open", ...more];
    await using place = await ground(configs, notes);
    for (const words of [["init"], ["add", "."]]) await say(["git", ...words], place.work);
    const pattern = { pattern: "COLOUR" };
    for (
      const [tool, args] of [
        ["rg_search", pattern],
        ["rg_tally", pattern],
        ["rg_count", pattern],
        ["rg_files_with_matches", pattern],
        ["files_grep", { ...pattern, path: ["src", "config"] }],
        ["rg_files", {}],
        ["files_replace", { old: "COLOUR", new: "COLOR", path: ["config"], dry_run: true }],
      ] as const
    ) {
      const left =
        /left out, (?:by their names|as no tool may read it[^']*): 'config\/notes\.env'(?!,)/i;
      assert.match(await place.call(tool, args), left, tool);
    }
    assert.doesNotMatch(await place.call("rg_search", { ...pattern, path: ["src"] }), /left out/i);
  }
});

const noCompose = await whyNoCompose();
Deno.test("docker compose takes the words of the bundled config", {
  ignore: noCompose !== undefined,
}, async () => {
  await using place = await ground(["docker-compose"], {});
  assert.doesNotMatch(await place.call("docker_compose_ps", { project: "none" }), /unknown/);
});

/** A database and a video, made by the programs that are here. */
async function make(work: string): Promise<void> {
  const sql =
    "CREATE TABLE people(name TEXT PRIMARY KEY); INSERT INTO people VALUES('Ada'),('Bob')";
  await say(["sqlite3", join(work, "db.sqlite"), sql]);
  const members = ["a/b", "a/.git/config", ".env", "../up"];
  const zip = "import sys,zipfile,tarfile,io\nz=zipfile.ZipFile(sys.argv[1]+'.zip','w')\n" +
    "t=tarfile.open(sys.argv[1]+'.tar','w')\n" +
    "for n in sys.argv[2:]: z.writestr(n,'x'); t.addfile(tarfile.TarInfo(n),io.BytesIO())\n";
  await say(["python3", "-c", zip, join(work, "a"), ...members]);
  const archive = await Deno.readFile(join(work, "a.zip")).catch(() => new Uint8Array());
  await Deno.writeFile(join(work, "w.zip"), new Uint8Array([...new Uint8Array(8), ...archive]));
  const source = ["-f", "lavfi", "-i"];
  await say([
    "ffmpeg",
    ...["-loglevel", "error", ...source, "testsrc=duration=1:size=64x48:rate=5"],
    ...[...source, "sine=duration=1", "-shortest", join(work, "v.mp4")],
  ]);
}

function answer(request: Request): Response {
  const { pathname } = new URL(request.url);
  if (pathname === "/none") return new Response("nothing here", { status: 404 });
  if (pathname === "/json") return Response.json({ accept: request.headers.get("accept") });
  const length = "content-length";
  return new Response(request.method === "HEAD" ? null : `hello ${request.method}`, {
    headers: { [length]: "9" },
  });
}
