/**
 * No tool of the bundled configs sends a credential of the person's to a host that files of the working directory name: package
 * managers, clouds and databases. Programs and listener are real.
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { type Ground, ground } from "../configs/_ground.ts";
import { say, whyNot } from "../../configs/_programs.ts";

const windows = Deno.build.os === "windows";

/** The secret of the person, which no server may get. */
const token: string = "token-of-the-person";

/** A host of this machine: what it was asked for, and with which credentials. */
interface Listener extends AsyncDisposable {
  readonly url: string;
  readonly asked: { readonly path: string; readonly credentials: string }[];
}

const versions = Object.fromEntries(
  ["4.0.0", "4.1.0"].map((version) => [version, {
    name: "left",
    version,
    dist: { tarball: "http://127.0.0.1:9/left.tgz", integrity: "sha512-AA==" },
  }]),
);

/** Knows the package `left` of npm and of Python, below any path. */
function listener(): Listener {
  const asked: Listener["asked"] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    const { pathname } = new URL(request.url);
    const credentials = ["authorization", "proxy-authorization"]
      .map((name) => request.headers.get(name) ?? "").join("");
    asked.push({ path: pathname, credentials });
    if (pathname.endsWith("/simple/left/")) {
      const links = ["1.0", "1.1"].map((each) =>
        `<a href="left-${each}.tar.gz">left-${each}.tar.gz</a>`
      );
      return new Response(`<html><body>${links.join("")}</body></html>`, {
        headers: { "content-type": "text/html" },
      });
    }
    if (!/(?:\/|%2f)left$/.test(pathname)) return new Response("{}", { status: 404 });
    return Response.json({ name: "left", "dist-tags": { latest: "4.1.0" }, versions });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    asked,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** An agent with `config` in a project of `files`, where `$URL` is the listener. */
async function attack(
  config: string,
  program: string,
  { files, home = {}, env = {} }: {
    readonly files: Readonly<Record<string, string>>;
    readonly home?: Readonly<Record<string, string>>;
    readonly env?: Readonly<Record<string, string>>;
  },
  moves: (ground: Ground, host: Listener) => Promise<void>,
): Promise<void> {
  const reason = windows ? "no such programs on Windows" : await whyNot(program);
  Deno.test(`a project sends no credential of the person's away with the config ${config}`, {
    ignore: reason !== undefined,
  }, async () => {
    await using host = listener();
    const filled = (texts: Readonly<Record<string, string>>) => {
      const { host: name } = new URL(host.url);
      const entries = Object.entries(texts).map(([key, text]) =>
        [key, text.replaceAll("$URL", host.url).replaceAll("$HOST", name)] as const
      );
      return Object.fromEntries(entries);
    };
    const own = Object.fromEntries(
      Object.entries(filled(home)).map(([path, text]) => [join("../home", path), text]),
    );
    await using place = await ground([config], { ...filled(files), ...own }, {
      HOME: "$PLACE/home",
      ...filled(env),
    });
    await moves(place, host);
  });
}

/** Files of these names, all of the same lines. */
function same(names: readonly string[], lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, `${lines.join("\n")}\n`]));
}

/** Fails if any server was sent the token, in any form. */
function assertNoCredential({ asked }: Listener): void {
  assert.deepEqual(asked.filter(({ credentials }) => credentials !== ""), []);
}

await attack("npm", "npm", {
  files: {
    "package.json": '{"name":"p","version":"1.0.0","dependencies":{"left":"4.0.0"}}',
    "package-lock.json":
      '{"name":"p","version":"1.0.0","lockfileVersion":3,"packages":{"":{"name":"p",' +
      '"version":"1.0.0","dependencies":{"left":"4.0.0"}},"node_modules/left":{"version":"4.0.0"}}}',
    "node_modules/left/package.json": '{"name":"left","version":"4.0.0"}',
    ".npmrc": "registry=$URL/\n",
    "proxied/package.json": '{"name":"p","version":"1.0.0","dependencies":{"left":"4.0.0"}}',
    "proxied/node_modules/left/package.json": '{"name":"left","version":"4.0.0"}',
    "proxied/.npmrc":
      "registry=http://registry.example/\nproxy=$URL/\nuserconfig=$PLACE/home/.npmrc\n" +
      "globalconfig=$PLACE/home/.npmrc\n",
  },
  home: {
    ".npmrc":
      `@own:registry=$URL/users/\n//$HOST/:_authToken=${token}\n//registry.example/:_authToken=${token}\n`,
  },
}, async ({ call }, host) => {
  assert.match(await call("npm_outdated", {}), /^Package[^]*\nleft +4\.0\.0 +4\.0\.0 +4\.1\.0/);
  await call("npm_audit", {});
  await call("npm_outdated", { directory: "proxied" });
  assert.equal(host.asked.some(({ path }) => path === "/left"), true);
  assert.equal(host.asked.length > 2, true);
  assertNoCredential(host);
  // It is sent where the person says so and no project is read
  assert.match(await call("npm_view", { package: "@own/left", field: ["version"] }), /4\.1\.0/);
  const { path, credentials } = host.asked.at(-1)!;
  assert.deepEqual([path, credentials], ["/users/@own%2fleft", `Bearer ${token}`]);
});

await attack("pip", "pip", {
  files: {
    ...same(["pip.conf", "pip.ini", ".pip/pip.conf", ".config/pip/pip.conf"], [
      "[global]",
      "index-url = $URL/project/simple",
    ]),
    ".netrc": "machine 127.0.0.1 login project password project\n",
    "pip.py": 'open("$PLACE/trace", "w")\n',
    ".python-version": "../../work\n",
    "setup.cfg": "[easy_install]\nindex_url = $URL/project/simple\n",
  },
  home: {
    ".config/pip/pip.conf": "[global]\nindex-url = $URL/users/simple\n",
    ".netrc": `machine 127.0.0.1 login ada password ${token}\n`,
  },
  env: { PIP_CONFIG_FILE: "$PLACE/home/.config/pip/pip.conf" },
}, async ({ call }, host) => {
  assert.match(await call("pip_index_versions", { package: "left" }), /1\.1, 1\.0/);
  await call("pip_list", {});
  assert.equal(host.asked.length > 0, true);
  assert.deepEqual(host.asked.filter(({ path }) => !path.startsWith("/users/")), []);
});

await attack("uv", "uv", {
  files: {
    "pyproject.toml": '[project]\nname = "p"\nversion = "1"\nrequires-python = ">=3.8"\n' +
      'dependencies = ["left"]\n[[tool.uv.index]]\nname = "evil"\nurl = "$URL/simple"\ndefault = true\n' +
      '[tool.uv]\nkeyring-provider = "subprocess"\noffline = false\n',
    "uv.toml": 'offline = false\nindex-url = "$URL/simple"\n',
    "uv.lock":
      'version = 1\nrequires-python = ">=3.8"\n\n[[package]]\nname = "left"\nversion = "1.0"\n' +
      'source = { registry = "$URL/simple" }\nsdist = { url = "$URL/left-1.0.tar.gz", hash = "sha256:' +
      `${
        "0".repeat(64)
      }" }\n\n[[package]]\nname = "p"\nversion = "1"\nsource = { virtual = "." }\n` +
      'dependencies = [{ name = "left" }]\n\n[package.metadata]\nrequires-dist = [{ name = "left" }]\n',
  },
  home: { ".netrc": `machine 127.0.0.1 login ada password ${token}\n` },
}, async ({ call }, host) => {
  assert.match(await call("uv_tree", {}), /left v1\.0/);
  assert.match(await call("uv_export", {}), /^left==1\.0/m);
  await call("uv_pip_list", {});
  assert.deepEqual(host.asked, []);
});

await attack("cargo", "cargo", {
  files: {
    "Cargo.toml":
      '[package]\nname = "p"\nversion = "0.1.0"\n[dependencies]\nleft = { git = "$URL/left" }\n',
    "Cargo.lock": 'version = 3\n\n[[package]]\nname = "left"\nversion = "0.1.0"\n' +
      'source = "git+$URL/left#0123456789012345678901234567890123456789"\n\n' +
      '[[package]]\nname = "p"\nversion = "0.1.0"\ndependencies = ["left"]\n',
    "src/lib.rs": "",
    ".cargo/config.toml": '[registries.evil]\nindex = "sparse+$URL/"\n[source.crates-io]\n' +
      'replace-with = "evil"\n[source.evil]\nregistry = "sparse+$URL/"\n[http]\nproxy = "$URL"\n' +
      '[registry]\nglobal-credential-providers = ["$PLACE/work/trap"]\n',
    trap: "#!/bin/sh\ntouch $PLACE/trace\n",
  },
  env: {
    HOME: Deno.env.get("HOME") ?? "/",
    CARGO_REGISTRY_TOKEN: token,
    CARGO_REGISTRIES_EVIL_TOKEN: token,
  },
}, async ({ call }, host) => {
  await call("cargo_tree", {});
  assert.match(await call("cargo_metadata", {}), /^name\tversion.*\np\t0\.1\.0/);
  assert.deepEqual(host.asked, []);
});

await attack("deno", "deno", {
  files: {
    "deno.json":
      '{"imports":{"left":"npm:left@4.0.0"},"tasks":{"build":"true"},"importMap":"$URL/map.json"}',
    ".npmrc": "registry=$URL/\n",
  },
  home: { ".npmrc": `//$HOST/:_authToken=${token}\n` },
  env: { DENO_AUTH_TOKENS: `${token}@127.0.0.1` },
}, async ({ call }, host) => {
  assert.match(await call("deno_tasks", {}), /- build\n +true/);
  await call("deno_lint", { source: 'export * from "left";' });
  await call("deno_fmt", { source: 'export * from "left"' });
  assert.deepEqual(host.asked, []);
});

await attack("terraform", "terraform", {
  files: {
    "main.tf":
      'terraform {\n  backend "http" {\n    address = "$URL/state"\n  }\n}\nmodule "m" {\n  source = "$HOST/a/b/c"\n}\n',
    ".terraform/terraform.tfstate":
      '{"version":3,"terraform_version":"1.0.0","backend":{"type":"http",' +
      '"config":{"address":"$URL/state"},"hash":1}}',
    ".terraformrc": 'credentials_helper "evil" {}\n',
    "cloud/main.tf": 'terraform {\n  cloud {\n    hostname = "$HOST"\n    organization = "o"\n' +
      '    workspaces {\n      name = "w"\n    }\n  }\n}\n',
  },
  env: { TF_HTTP_PASSWORD: token, TF_CLI_CONFIG_FILE: "" },
}, async ({ call }, host) => {
  const tools = ["state_list", "output", "workspace_list", "providers", "modules", "version"];
  for (const directory of [".", "cloud"]) {
    for (const tool of tools) await call(`terraform_${tool}`, { directory });
  }
  assert.deepEqual(host.asked, []);
});

await attack("aws", "aws", {
  files: {
    ...same(["config", "credentials", ".aws/config", ".aws/credentials", ".config/aws/config"], [
      "[default]",
      "endpoint_url = $URL/project",
      "credential_process = $PLACE/work/trap",
    ]),
    trap: "#!/bin/sh\ntouch $PLACE/trace\n",
  },
  env: {
    AWS_ACCESS_KEY_ID: "AKIDEXAMPLE",
    AWS_SECRET_ACCESS_KEY: token,
    AWS_ENDPOINT_URL: "$URL/users",
    AWS_DEFAULT_REGION: "eu-central-1",
    AWS_MAX_ATTEMPTS: "1",
  },
}, async ({ call, outside }, host) => {
  await call("aws_whoami", {});
  assert.equal(host.asked.length > 0, true);
  assert.deepEqual(host.asked.filter(({ path }) => !path.startsWith("/users")), []);
  assert.equal((await say(["ls", outside]))?.text.includes("trace"), false);
});

await attack("psql", "psql", {
  files: {
    ...same([".pg_service.conf", "pg_service.conf", ".postgresqlrc"], ["[default]", "host=$HOST"]),
    ".pgpass": "*:*:*:*:x\n",
    ".psqlrc": "\\! touch $PLACE/trace\n",
  },
  env: { PGPASSWORD: token, PGHOST: "$PLACE", PGSYSCONFDIR: "" },
}, async ({ call }, host) => {
  assert.match(await call("psql_tables", {}), /home|\.s\.PGSQL/);
  assert.match(await call("psql_query", { sql: "SELECT 1" }), /\.s\.PGSQL/);
  assert.deepEqual(host.asked, []);
});
