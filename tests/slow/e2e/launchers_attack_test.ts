/**
 * Version managers put launchers in front of programs, which choose the program by a file of the directory
 * they are started in, such as `.tool-versions`. So the bundled configs start none in a project.
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { ground } from "../configs/_ground.ts";
import { exists } from "../../e2e/_scratch.ts";
import { programOf, whyNot } from "../../configs/_programs.ts";

const windows = Deno.build.os === "windows";

/** A program, and a call that would start it in a project. */
const calls: readonly (readonly [program: string, tool: string, shows: RegExp])[] = [
  ["npm", "npm_scripts", /build\n\s+true/],
  ["deno", "deno_tasks", /build/],
  ["uv", "uv_tree", /^p v1/],
  ["cargo", "cargo_metadata", /\np\t0\.1\.0/],
  ["terraform", "terraform_output", /^o = "shown"/],
  ["pip", "pip_version", /^pip \d/],
  ["aws", "aws_whoami", /./],
];

for (const [program, tool, shows] of calls) {
  const reason = windows ? "no launchers on Windows" : await whyNot(program);
  Deno.test(`a project chooses no program for the config ${program}`, {
    ignore: reason !== undefined,
  }, async () => {
    await using place = await ground([program], {
      [`../bin/${program}`]: "#!/bin/sh\n[ -e .tool-versions ] && touch $PLACE/trace\n" +
        `exec ${programOf(program)} "$@"\n`,
      ".tool-versions": `${program} path:./evil\n`,
      "package.json": '{"name":"p","version":"1.0.0","scripts":{"build":"true"}}',
      "deno.json": '{"tasks":{"build":"true"}}',
      "pyproject.toml": '[project]\nname = "p"\nversion = "1"\nrequires-python = ">=3.8"\n',
      "uv.lock":
        'version = 1\nrequires-python = ">=3.8"\n\n[[package]]\nname = "p"\nversion = "1"\n' +
        'source = { virtual = "." }\n',
      "Cargo.toml": '[package]\nname = "p"\nversion = "0.1.0"\n',
      "Cargo.lock": 'version = 3\n\n[[package]]\nname = "p"\nversion = "0.1.0"\n',
      "src/lib.rs": "",
      "terraform.tfstate":
        '{"version":4,"terraform_version":"1.0.0","serial":1,"lineage":"a","resources":[],' +
        '"outputs":{"o":{"value":"shown","type":"string"}}}',
      "main.tf": 'output "o" {\n  value = 1\n}\n',
    }, { AWS_EC2_METADATA_DISABLED: "true", TF_CLI_CONFIG_FILE: "" });
    assert.match(await place.call(tool, {}), shows);
    assert.equal(await exists(join(place.outside, "trace")), false);
  });
}
