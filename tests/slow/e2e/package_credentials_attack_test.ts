/**
 * No tool of the bundled configs sends a credential of the person's to a host that files of the working
 * directory name: package managers. Programs and listener are real.
 */

import assert from "node:assert/strict";
import { assertNoCredential, attack, same, token } from "./_credentials.ts";
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
