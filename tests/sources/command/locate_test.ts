import assert from "node:assert/strict";
import { join } from "node:path";
import { isConfigPath, locateConfig } from "../../../src/sources/command/locate.ts";
import { scratch } from "../../e2e/_scratch.ts";

const specs: readonly [spec: string, isPath: boolean][] = [
  ["git", false],
  ["git.yaml", true],
  ["git.yml", true],
  ["GIT.YAML", true],
  ["./git", true],
  ["configs/git", true],
  ["/etc/climax/git", true],
  ["git.yaml.bak", false],
  ["yaml", false],
  [".yaml", true],
  ["", false],
];

for (const [spec, isPath] of specs) {
  Deno.test(`isConfigPath() takes '${spec}' for a ${isPath ? "file" : "bundled name"}`, () => {
    assert.equal(isConfigPath(spec), isPath);
  });
}

Deno.test("locateConfig() says why a file cannot be read", async () => {
  await using dir = await scratch();
  const missing = join(dir.path, "missing.yaml");
  const folder = join(dir.path, "folder.yaml");
  await Deno.mkdir(folder);
  assert.deepEqual(await locateConfig(missing), { file: missing, message: "File not found" });
  assert.deepEqual(await locateConfig(folder), {
    file: folder,
    message: "Expected a file, found a directory",
  });
});

Deno.test("locateConfig() tells an unreadable file from a missing one", {
  ignore: Deno.build.os === "windows" || Deno.uid() === 0,
}, async () => {
  await using dir = await scratch();
  const file = join(dir.path, "secret.yaml");
  await Deno.writeTextFile(file, "name: x\n", { mode: 0o000 });
  assert.deepEqual(await locateConfig(file), {
    file,
    message: "File cannot be read: permission denied",
  });
});

Deno.test("locateConfig() tells a file Deno may not read from a missing one", {
  permissions: { read: false },
}, async () => {
  assert.deepEqual(await locateConfig("./some.yaml"), {
    file: "./some.yaml",
    message: "This program may not read the file",
    hint: "Allow it: --allow-read=./some.yaml",
  });
});
