/** What installs packages: names of a registry only, no code of theirs but on request, and that held. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { say } from "../../configs/_programs.ts";
import { connect, textsOf } from "../../e2e/_clients.ts";
import { exists } from "../../e2e/_scratch.ts";
import { programs } from "../../_requirements.ts";
import { place, sandboxed } from "../../_sandbox.ts";

const npm = await programs({ npm: ["--version"], bwrap: ["--version"] });
const pip = await programs({ pip: ["--version"], python3: ["-m", "venv", "--help"] });

type Move = (tool: string, args?: Record<string, unknown>) => Promise<string>;

/** Serves `configs` in a sandbox, in a folder that is a repository. */
async function held(
  configs: readonly string[],
  use: (folder: string, move: Move) => Promise<void>,
): Promise<void> {
  await using folder = await place();
  await say(["git", "init", "--quiet"], folder.path);
  await using client = await connect([...configs, "--policy", "open", "--sandbox"], {
    cwd: folder.path,
  });
  await use(folder.path, textsOf(client));
}

/** A script that tries to leave the sandbox, and a mark that it has run. */
const escape = (outside: string) =>
  [
    "echo ran > ran.txt",
    `touch ${outside}/out`,
    "mkdir -p ~/.npm/_cacache/tmp ~/.npm/_npx/evil; touch ~/.npm/_npx/evil/x ~/.npm/_cacache/evil-climax-test",
    "touch ../.git/hooks/evil ../../.git/hooks/evil; cat ~/.npmrc ~/.netrc",
    "exit 0",
  ].join("; ");

const writeJson = (path: string, value: unknown) => Deno.writeTextFile(path, JSON.stringify(value));

if (!sandboxed.ignore) {
  npm.test("npm installs from the registry that the project names, and runs scripts on request only", () =>
    held(["npm"], async (folder, move) => {
      await using outside = await place();
      const dep = join(folder, "dep");
      await Deno.mkdir(dep);
      await writeJson(join(dep, "package.json"), {
        name: "dep",
        version: "1.0.0",
        scripts: { postinstall: escape(outside.path) },
      });
      const packed = await say(["npm", "pack", "--silent"], dep);
      assert.equal(packed?.code, 0, packed?.text);
      const archive = await Deno.readFile(join(dep, "dep-1.0.0.tgz"));
      const seen: string[] = [];
      await using registry = Deno.serve(
        { hostname: "127.0.0.1", port: 0, onListen() {} },
        (request: Request) => {
          seen.push(request.headers.get("authorization") ?? "");
          if (request.url.endsWith(".tgz")) return new Response(archive);
          const manifest = {
            name: "dep",
            version: "1.0.0",
            dist: { tarball: `${new URL(request.url).origin}/dep/-/dep-1.0.0.tgz` },
          };
          return Response.json({
            name: "dep",
            "dist-tags": { latest: "1.0.0" },
            versions: {
              "1.0.0": { ...manifest, hasInstallScript: true, scripts: { postinstall: "x" } },
            },
          });
        },
      );
      const url = `http://127.0.0.1:${registry.addr.port}`;
      await writeJson(join(folder, "package.json"), { name: "it", version: "1.0.0" });
      const npmrc =
        `registry=${url}\nignore-scripts=false\nscript-shell=/bin/sh\ncache=${folder}/cache\n`;
      await Deno.writeTextFile(join(folder, ".npmrc"), npmrc);
      const cache = join(Deno.env.get("HOME")!, ".npm", "_cacache");
      const evil = [
        join(outside.path, "out"),
        join(cache, "evil-climax-test"),
        join(folder, ".git/hooks/evil"),
      ];
      const ran = join(folder, "node_modules/dep/ran.txt");
      for (
        const wrong of [
          "git+https://example.org/x",
          "https://example.org/x.tgz",
          "./dep",
          "-g",
          "dep.tgz",
        ]
      ) {
        assert.match(
          await move("npm_install", { package: wrong }),
          /not allowed|never allowed|begins with/,
          wrong,
        );
      }
      assert.match(await move("npm_install", { package: "dep", scripts: true }), /npm_rebuild/);
      // A machine without a cache cannot write one
      if (!await exists(cache)) return;
      assert.match(await move("npm_install", { package: "dep" }), /added 1 package/);
      assert.match(await move("npm_ci"), /added 1 package/);
      assert.equal(await exists(ran), false);
      assert.match(await Deno.readTextFile(join(folder, "package.json")), /"dep": ?"\^1\.0\.0"/);
      assert.match(await move("npm_rebuild", { package: "dep" }), /rebuilt/);
      assert.equal(await exists(ran), true);
      for (const path of evil) assert.equal(await exists(path), false, path);
      assert.match(await move("npm_uninstall", { name: "dep" }), /removed 1 package/);
      assert.deepEqual([...new Set(seen)], [""]);
      assert.equal(await exists(join(folder, "cache")), false);
    }));

  pip.test("pip installs wheels into the environment of the project, and builds where a call says so", () =>
    held(["pip", "python"], async (folder, move) => {
      await using outside = await place();
      const wheel = ["tiny-1-py3-none-any", "tiny-1.dist-info"] as const;
      const make = `import zipfile
z = zipfile.ZipFile("wheels/${wheel[0]}.whl", "w")
z.writestr("tiny.py", "x = 1\\n")
z.writestr("${wheel[1]}/METADATA", "Metadata-Version: 2.1\\nName: tiny\\nVersion: 1\\n")
z.writestr("${
        wheel[1]
      }/WHEEL", "Wheel-Version: 1.0\\nGenerator: x\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
z.writestr("${wheel[1]}/RECORD", "")
z.close()`;
      await Deno.mkdir(join(folder, "wheels"));
      const made = await say(["python3", "-c", make], folder);
      assert.equal(made?.code, 0, made?.text);
      const setup = `import os; os.system(${JSON.stringify(escape(outside.path))})\n` +
        "from setuptools import setup; setup(name='evil', version='1')\n";
      const source = `import io, tarfile
t = tarfile.open("wheels/evil-1.tar.gz", "w:gz")
for name, text in [("evil-1/setup.py", ${
        JSON.stringify(setup)
      }), ("evil-1/PKG-INFO", "Metadata-Version: 1.0\\nName: evil\\nVersion: 1\\n")]:
    data = text.encode(); info = tarfile.TarInfo(name); info.size = len(data); t.addfile(info, io.BytesIO(data))
t.close()`;
      const packed = await say(["python3", "-c", source], folder);
      assert.equal(packed?.code, 0, packed?.text);
      const requirements = (name: string) =>
        Deno.writeTextFile(
          join(folder, "r.txt"),
          `--no-index\n--find-links ${folder}/wheels\n${name}\n`,
        );
      await requirements("tiny");
      assert.match(await move("pip_install", { requirements: "r.txt" }), /\.venv|interpreter/);
      await move("python_venv");
      assert.match(
        await move("pip_install", { requirements: "r.txt" }),
        /Successfully installed tiny-1/,
      );
      await requirements("evil");
      assert.match(
        await move("pip_install", { requirements: "r.txt" }),
        /No matching distribution/,
      );
      await move("pip_install", { requirements: "r.txt", build: true });
      assert.equal(await exists(join(outside.path, "out")), false);
      assert.equal(await exists(join(folder, ".git/hooks/evil")), false);
      for (
        const wrong of [
          "./evil",
          "git+https://example.org/x",
          "x @ https://example.org/x.whl",
          "-rx",
        ]
      ) {
        assert.match(
          await move("pip_install", { package: wrong }),
          /not allowed|begins with/,
          wrong,
        );
      }
      assert.match(
        await move("pip_uninstall", { package: "tiny" }),
        /Successfully uninstalled tiny-1/,
      );
    }));
}
