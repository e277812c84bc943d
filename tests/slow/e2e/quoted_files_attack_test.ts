/**
 * Projects whose files are links to files outside, or name them: no tool of the bundled configs shows a
 * line of one, as programs do that quote what they cannot parse.
 */

import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { ground, secret } from "../configs/_ground.ts";
import { whyNot } from "../../configs/_programs.ts";

const windows = Deno.build.os === "windows";

/** A project, links in it, and the tools that read it. */
interface Project {
  readonly files: Readonly<Record<string, string>>;
  /** By the name of the link, where it leads, seen from the place that holds the project. */
  readonly links: Readonly<Record<string, string>>;
  readonly calls: readonly (readonly [tool: string, args?: Record<string, unknown>])[];
  /** A call in the same project without links, and what it shows. */
  readonly sound: readonly [tool: string, args: Record<string, unknown>, shows: RegExp];
}

const manifest = JSON.stringify({
  name: "theirs",
  version: "1.0.0",
  token: secret,
  scripts: { steal: secret },
});

const projects: Readonly<Record<string, Project>> = {
  cargo: {
    files: {
      "Cargo.toml": '[workspace]\nmembers = ["m", "n"]\n',
      "m/src/lib.rs": "",
      "sound/Cargo.toml": '[package]\nname = "p"\nversion = "0.1.0"\n[workspace]\n',
      "sound/Cargo.lock": 'version = 3\n\n[[package]]\nname = "p"\nversion = "0.1.0"\n',
      "sound/src/lib.rs": "",
    },
    links: { "m/Cargo.toml": "netrc" },
    calls: [["cargo_metadata"], ["cargo_tree"], ["cargo_tree", { workspace: true }]],
    sound: ["cargo_tree", { directory: "sound" }, /^p v0\.1\.0/],
  },
  uv: {
    files: {
      "pyproject.toml":
        '[project]\nname = "r"\nversion = "1"\n[tool.uv.workspace]\nmembers = ["m"]\n',
      "uv.lock": 'version = 1\nrequires-python = ">=3.8"\n',
      "m/a.py": "",
      "sound/pyproject.toml":
        '[project]\nname = "p"\nversion = "1"\nrequires-python = ">=3.8"\n[tool.uv.workspace]\n',
      "sound/uv.lock":
        'version = 1\nrequires-python = ">=3.8"\n\n[[package]]\nname = "p"\nversion = "1"\nsource = { virtual = "." }\n',
    },
    links: { "m/pyproject.toml": "netrc" },
    calls: [["uv_tree"], ["uv_export"]],
    sound: ["uv_tree", { directory: "sound" }, /^p v1/],
  },
  npm: {
    files: {
      "package.json":
        '{"name":"p","version":"1.0.0","workspaces":["m"],"scripts":{"build":"true"}}',
      "m/a.js": "",
      ".npmrc":
        "json=true\nlong=true\nworkspaces=true\ninclude-workspace-root=true\nloglevel=silly\n",
    },
    links: { "m/package.json": "netrc" },
    calls: npmCalls(),
    sound: ["npm_scripts", {}, /build\n\s+true/],
  },
  "npm with a link that can be parsed": {
    files: {
      "package.json": '{"name":"p","version":"1.0.0","workspaces":["m"],"dependencies":{"x":"*"}}',
      "m/a.js": "",
      "node_modules/x/index.js": "",
      ".npmrc": "json=true\nlong=true\nworkspaces=true\n",
    },
    links: { "m/package.json": "theirs.json", "node_modules/x/package.json": "theirs.json" },
    calls: npmCalls(),
    sound: ["npm_pkg_get", { field: ["version"] }, /1\.0\.0/],
  },
  terraform: {
    files: {
      "main.tf": 'module "m" {\n  source = "./m"\n}\n',
      "m/a.tf": "",
      ".terraform/modules/modules.json":
        '{"Modules":[{"Key":"","Source":"","Dir":"."},{"Key":"m","Source":"./m","Dir":"m"}]}',
      ".terraform/environment": "w",
      "sound/main.tf": 'module "n" {\n  source = "./n"\n}\n',
      "sound/n/a.tf": 'output "o" {\n  value = 1\n}\n',
      "sound/.terraform/modules/modules.json":
        '{"Modules":[{"Key":"","Source":"","Dir":"."},{"Key":"n","Source":"./n","Dir":"n"}]}',
    },
    links: { "m/x.tf": "netrc", "terraform.tfstate.d/w/terraform.tfstate": "theirs.tfstate" },
    calls: ["state_list", "output", "workspace_list", "providers", "modules", "version"]
      .map((name) => [`terraform_${name}`] as const),
    sound: ["terraform_modules", { directory: "sound" }, /^key\tsource\tversion\nn\t\.\/n/],
  },
  deno: {
    files: {
      "bad/deno.json": '{"workspace":["./m","./n"],"tasks":{"build":"true"}}',
      "bad/m/a.ts": "import '$PLACE/netrc';",
      "bad/n/a.ts": "",
      "map/deno.json": '{"importMap":"../../netrc","tasks":{"build":"true"}}',
      "sound/deno.json": '{"tasks":{"build":"true"}}',
    },
    links: { "bad/m/deno.json": "netrc", "bad/n/package.json": "netrc" },
    calls: ["bad", "map", "bad/n"].map((directory) => ["deno_tasks", { directory }] as const),
    sound: ["deno_tasks", { directory: "sound" }, /build/],
  },
};

/** The tools over a project. */
function npmCalls(): [tool: string, args?: Record<string, unknown>][] {
  const tools = ["ls", "outdated", "audit", "scripts", "pkg_get"];
  return [
    ...tools.map((tool): [string] => [`npm_${tool}`]),
    ["npm_ls", { json: true, workspace: "m" }],
    ["npm_ls", { depth: 5, workspace: "m" }],
    ["npm_explain", { package: "x", json: true }],
    ["npm_sbom", { format: "spdx" }],
    ["npm_sbom", { format: "cyclonedx" }],
    ["npm_pkg_get", { workspace: "m", field: ["token"] }],
    ["npm_scripts", { workspace: "m" }],
  ];
}

for (const [name, { files, links, calls, sound }] of Object.entries(projects)) {
  const program = name.split(" ")[0]!;
  const reason = windows ? "no links on Windows" : await whyNot(program);
  Deno.test(`no line of a file outside is shown of a project with the config ${name}`, {
    ignore: reason !== undefined,
  }, async () => {
    await using place = await ground([program], {
      ...files,
      "../netrc": `machine git.example login ada password ${secret}\n`,
      "../theirs.json": manifest,
      "../theirs.tfstate": JSON.stringify({
        version: 4,
        terraform_version: "1.0.0",
        serial: 1,
        lineage: "a",
        outputs: { o: { value: secret, type: "string" } },
        resources: [],
      }),
    }, { TF_CLI_CONFIG_FILE: "", TF_WORKSPACE: "w" });
    for (const [link, to] of Object.entries(links)) {
      const path = join(place.work, link);
      await Deno.mkdir(dirname(path), { recursive: true });
      await Deno.symlink(join(place.outside, to), path);
    }
    for (const [tool, args] of calls) {
      const text = await place.call(tool, args);
      const shown = `${tool} ${JSON.stringify(args)}: ${text}`;
      assert.doesNotMatch(text, /hunter|machine|git\.exam|Unknown tool/, shown);
    }
    const [tool, args, shows] = sound;
    assert.match(await place.call(tool, args), shows);
  });
}
