/**
 * The architecture as docs/architecture.md has it: who may import whom, who may touch the outside, and what a
 * start costs. Read from the module graph, so that a comment or a string cannot pass for an import.
 */

import assert from "node:assert/strict";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import manifest from "../deno.json" with { type: "json" };
import { commands } from "../src/cli/commands.ts";
import { buildCommand } from "../src/cli/program.ts";
import { jsonSchema } from "../src/setup/json_schemas.ts";
import { schemaNames } from "../src/setup/json_schemas.ts";
import { filesBelow, root } from "./_fixtures.ts";

/** Folders of src, highest rank first: imports point only downward. */
const ranks: readonly (readonly string[])[] = [
  ["main"],
  ["cli"],
  ["setup", "ui"],
  ["server"],
  ["session"],
  [
    "sources/command",
    "sources/upstream",
    "sources/builtin",
    "sources/scripts",
    "agents",
  ],
  ["sources"],
  ["agents/llm"],
  ["call"],
  ["jobs"],
  ["state"],
  ["worker"],
  ["policy", "catalog"],
  ["exec", "help"],
  ["trust"],
  ["tool", "files"],
  ["net"],
  ["process"],
  ["async"],
  ["log"],
  ["terminal"],
  ["errors", "text", "io"],
];

interface Dependency {
  readonly specifier: string;
  readonly code?: { readonly specifier?: string };
  readonly type?: { readonly specifier?: string };
  readonly isDynamic?: boolean;
}

interface Module {
  readonly specifier: string;
  readonly dependencies?: readonly Dependency[];
}

interface Import {
  /** Path below the root, with slashes. */
  readonly from: string;
  /** As it is written. */
  readonly specifier: string;
  /** Path below the root; absent for what is not a file of ours. */
  readonly to: string | undefined;
  readonly isDynamic: boolean;
  readonly isTypeOnly: boolean;
}

const graph: readonly Module[] = await moduleGraph("main.ts");
const imports: readonly Import[] = graph.flatMap(importsOf);
const sourceFiles = filesBelow("src").filter((file) => file.endsWith(".ts"));
const ourCode = ["main.ts", ...sourceFiles];

async function moduleGraph(entry: string): Promise<readonly Module[]> {
  const { stdout, stderr, success } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", entry],
    cwd: root,
    stdin: "null",
  }).output();
  assert.equal(success, true, new TextDecoder().decode(stderr));
  const { modules } = JSON.parse(new TextDecoder().decode(stdout));
  return modules;
}

function importsOf({ specifier: from, dependencies = [] }: Module): Import[] {
  const file = fileOf(from);
  if (file === undefined) return [];
  return dependencies.map(({ specifier, code, type, isDynamic = false }) => ({
    from: file,
    specifier,
    to: fileOf(code?.specifier ?? type?.specifier ?? ""),
    isDynamic,
    isTypeOnly: code === undefined,
  }));
}

function fileOf(url: string): string | undefined {
  if (!url.startsWith("file:")) return undefined;
  return relative(root, fileURLToPath(url)).replaceAll("\\", "/");
}

/** The folder of src a file is in, each source's its own, or its own name where it is in none. */
function unitOf(file: string): string {
  const [first, second] = file.replace(/^src\//, "").split("/");
  if (second === undefined) return first!.replace(/\.ts$/, "");
  const isDivided = first === "sources" || `${first}/${second}` === "agents/llm";
  return isDivided && !second.endsWith(".ts") ? `${first}/${second}` : first!;
}

function rankOf(unit: string): number {
  return ranks.findIndex((units) => units.includes(unit));
}

/** The text of a file without its comments. */
function codeOf(file: string): string {
  const text = Deno.readTextFileSync(join(root, file));
  return text.replace(/\/\*[^]*?\*\//g, "").replace(/(^|\s)\/\/.*$/gm, "$1");
}

/** A package's name from how it is imported; nothing for files and what Deno itself has. */
function packageOf(specifier: string): string | undefined {
  if (/^(?:\.|node:|file:)/.test(specifier)) return undefined;
  return specifier.split("/").slice(0, specifier.startsWith("@") ? 2 : 1).join("/");
}

/** Files that import a package which `matches`, but are not in one of `folders`. */
function outsiders(matches: (name: string) => boolean, folders: readonly string[]): string[] {
  return imports
    .filter(({ specifier }) => matches(packageOf(specifier) ?? ""))
    .filter(({ from }) => !folders.some((folder) => from.startsWith(`src/${folder}/`)))
    .map(({ from, specifier }) => `${from} imports ${specifier}`);
}

Deno.test("the module graph is read whole", () => {
  const files = new Set(imports.map(({ from }) => from));
  for (
    const file of ["main.ts", "src/cli/main.ts", "src/cli/commands/run.ts", "src/call/call.ts"]
  ) {
    assert.equal(files.has(file), true, file);
  }
  assert.equal(imports.length > 100, true);
});

Deno.test("every part of src has a rank", () => {
  const unranked = ourCode.filter((file) => rankOf(unitOf(file)) === -1);
  assert.deepEqual(unranked, []);
});

Deno.test("imports point only downward", () => {
  const upward = imports
    .filter(({ from, to }) => to !== undefined && ourCode.includes(from) && ourCode.includes(to))
    .filter(({ from, to }) => {
      const [unit, other] = [unitOf(from), unitOf(to!)];
      if (unit === other) return false;
      return rankOf(unit) >= rankOf(other);
    })
    .map(({ from, to }) => `${from} imports ${to}`);
  assert.deepEqual(upward, []);
});

/** The imports that are part of a cycle, and those that lead from one cycle to another. */
function cyclic(links: readonly Pick<Import, "from" | "to">[]): string[] {
  const targets = new Set(links.map(({ to }) => to));
  const sources = new Set<string | undefined>(links.map(({ from }) => from));
  const rest = links.filter(({ from, to }) => targets.has(from) && sources.has(to));
  if (rest.length < links.length) return cyclic(rest);
  return rest.map(({ from, to }) => `${from} imports ${to}`);
}

Deno.test("there is no import cycle, imports of types and dynamic ones included", () => {
  const links = [["a", "b"], ["b", "c"], ["c", "b"], ["c", "d"]] as const;
  const found = cyclic(links.map(([from, to]) => ({ from, to })));
  assert.deepEqual(found, ["b imports c", "c imports b"]);
  assert.deepEqual(cyclic(imports.filter(({ to }) => to !== undefined)), []);
});

/** Folders that could be packages, and the files and folders that each may import. */
const standalone: readonly (readonly [folder: string, allowed: readonly string[]])[] = [
  ["src/help/", ["src/text/"]],
  ["src/catalog/rank/", ["src/text/"]],
  ["src/exec/", [
    "src/async/",
    "src/errors.ts",
    "src/io.ts",
    "src/log.ts",
    "src/process/protected_paths.ts",
    "src/process/folders.ts",
    "src/process/end_signals.ts",
    "src/text/",
  ]],
];

for (const [folder, allowed] of standalone) {
  const inside = imports.filter(({ from }) => from.startsWith(folder));

  Deno.test(`${folder} is standalone: it imports only what is listed`, () => {
    const outside = inside.flatMap(({ to, specifier }) => {
      if (to === undefined) return packageOf(specifier) ?? [];
      return to.startsWith(folder) ? [] : to;
    });
    const others = outside.filter((to) => !allowed.some((each) => to.startsWith(each)));
    assert.deepEqual(others, []);
    // What is no longer imported is taken off the list
    assert.deepEqual(allowed.filter((each) => !outside.some((to) => to.startsWith(each))), []);
  });

  Deno.test(`${folder} has a README.md that names where to start`, () => {
    const text = Deno.readTextFileSync(join(root, folder, "README.md"));
    const cells = [...text.matchAll(/^\| (`[^|]+`) \|/gm)].map(([, cell]) => cell!).join();
    const named = [...cells.matchAll(/`([a-z_0-9]+\.ts)`/g)].map(([, name]) => `${folder}${name}`);
    assert.deepEqual(named.filter((file) => !sourceFiles.includes(file)), []);
    assert.equal(named.length > 0, true);
  });
}

Deno.test("the names of exported types are unique", () => {
  const exported =
    /^export (?:default )?(?:declare )?(?:abstract )?(?:interface|type|class|enum) (\w+)/gm;
  const definitions = sourceFiles.flatMap((file) => {
    return [...codeOf(file).matchAll(exported)].map(([, name]) => ({ name: name!, file }));
  });
  const byName = Map.groupBy(definitions, ({ name }) => name);
  assert.equal(byName.size > 400, true);
  const shared = byName.entries().filter(([, files]) => files.length > 1).toArray();
  const named = shared.map(([name, files]) => {
    return `${name}: ${files.map(({ file }) => file).join(", ")}`;
  });
  assert.deepEqual(named, []);
});

Deno.test("no file of src is left out of the program", () => {
  const used = new Set(imports.map(({ to }) => to));
  assert.deepEqual(sourceFiles.filter((file) => !used.has(file)), []);
});

Deno.test("a file that begins with _ is imported by its folder only", () => {
  const strangers = imports.filter(({ from, to }) => {
    return to !== undefined && /\/_[^/]*$/.test(to) && unitOf(from) !== unitOf(to);
  });
  assert.deepEqual(strangers, []);
});

Deno.test("programs are started in exec/ only", () => {
  const starters = ourCode.filter((file) => /\bDeno\s*\.\s*Command\b/.test(codeOf(file)));
  assert.deepEqual(starters.filter((file) => !file.startsWith("src/exec/")), []);
  assert.equal(starters.length > 0, true);
  const node = imports.filter(({ specifier }) => /^(?:node:)?child_process$/.test(specifier));
  assert.deepEqual(node.filter(({ from }) => !from.startsWith("src/exec/")), []);
});

Deno.test("requests are sent by net/ only", () => {
  // Not a method, and not a parameter that has this name
  const senders = ourCode.filter((file) => {
    return /(?<![\w.#]|function )fetch\s*\((?!\?)|\bglobalThis\s*\.\s*fetch\b|\bDeno\s*\.\s*createHttpClient\b/
      .test(codeOf(file));
  });
  assert.deepEqual(senders, ["src/net/send_once.ts"]);
  const node = imports.filter(({ specifier }) => /^(?:node:)?(?:https?|http2)$/.test(specifier));
  assert.deepEqual(
    node.filter(({ from, isTypeOnly }) => !isTypeOnly && from !== "src/server/http/listener.ts"),
    [],
  );
});

Deno.test("only a source opens what its tools are made of", () => {
  // `Source` itself has a kind and nothing else: what is in one stands in the source.ts of its folder
  const openers = imports.filter(({ from, to }) => {
    return /^src\/sources\/[^/]+\/source\.ts$/.test(to ?? "") && unitOf(from) !== unitOf(to!);
  });
  assert.deepEqual(openers, []);
  const strangers = imports.filter(({ from, to }) => {
    return to?.startsWith("src/sources/") && /^src\/(?:call|policy|catalog|server)\//.test(from);
  });
  assert.deepEqual(strangers, []);
});

Deno.test("the MCP SDK is imported in server/ and sources/upstream/ only", () => {
  const isMcp = (name: string) => name.startsWith("@modelcontextprotocol/");
  assert.deepEqual(outsiders(isMcp, ["server", "sources/upstream"]), []);
  assert.notDeepEqual(outsiders(isMcp, []), []);
});

Deno.test("the AI SDK is imported in agents/ and setup/ only", () => {
  const isAi = (name: string) => /^(?:ai|@ai-sdk\/.*|@openrouter\/.*|@aws-sdk\/.*)$/.test(name);
  assert.deepEqual(outsiders(isAi, ["agents", "setup"]), []);
});

const forbidden: readonly [what: string, pattern: RegExp][] = [
  ["console", /\bconsole\s*[.[]/],
  ["Deno.exit()", /\bDeno\s*\.\s*exit\s*\(/],
  ["eval", /\beval\s*\(|\bnew Function\s*\(/],
];

for (const [what, pattern] of forbidden) {
  Deno.test(`no file of src uses ${what}`, () => {
    assert.deepEqual(sourceFiles.filter((file) => pattern.test(codeOf(file))), []);
  });
}

/** What {@link Io} has of a process, which a run may be given otherwise; `chdir` changes it for all. */
const ofProcess =
  /\bDeno\s*(?:\[|\.\s*(?:stdin|stdout|stderr|env|cwd|chdir|args|noColor|consoleSize|mainModule|(?:add|remove)SignalListener|permissions\s*\.\s*revoke)\b)/;

Deno.test("streams, variables and the directory of a run are taken from io.ts", () => {
  const direct = sourceFiles.filter((file) => ofProcess.test(codeOf(file)));
  assert.deepEqual(direct, ["src/io.ts"]);
  // The library that asks at a terminal takes streams of Node.js; the others measure what a worker computes
  const node = imports.filter(({ specifier }) => specifier === "node:process");
  const measuring = ["sources/scripts/_thread.ts", "worker/_worker.ts", "worker/run_task.ts"];
  const files = ["cli/ask.ts", ...measuring].map((file) => `src/${file}`);
  assert.deepEqual(node.map(({ from }) => from), files);
});

/** A path that is given to the system, but not by `systemPath`, which knows the directory of the run. */
const directPath =
  /\bDeno\s*\.\s*(?:read\w+|write\w+|open|create|l?stat|realPath|mkdir|remove|rename|chmod|truncate|symlink|link|copyFile|watchFs)(?:Sync)?\(\s*(?!systemPath\()/;

/** Files that name only absolute paths: in folders of a person, of Deno, or of their own making. */
const absolutePaths: ReadonlySet<string> = new Set([
  "src/catalog/meaning/meaning.ts",
  "src/cli/commands/try.ts",
  "src/cli/main.ts",
  "src/exec/_seatbelt.ts",
  "src/files/write_file.ts",
  "src/policy/real_path.ts",
  "src/process/end_signals.ts",
  "src/setup/client_file.ts",
  "src/setup/doctor.ts",
  "src/setup/help_source.ts",
  "src/setup/json_schemas.ts",
  "src/sources/upstream/listing.ts",
  "src/sources/upstream/login/stored_login.ts",
  "src/state/private_file.ts",
]);

Deno.test("relative paths reach the system by way of systemPath()", () => {
  const direct = sourceFiles.filter((file) => directPath.test(codeOf(file)));
  assert.deepEqual(direct.toSorted(), [...absolutePaths].toSorted());
});

Deno.test("every package stands in deno.json", () => {
  const known = new Set(Object.keys(manifest.imports));
  const unknown = imports.filter(({ specifier }) => {
    const name = packageOf(specifier);
    return name !== undefined && !known.has(name);
  });
  assert.deepEqual(unknown.map(({ from, specifier }) => `${from} imports ${specifier}`), []);
});

Deno.test("no file names a registry or a URL where it imports", () => {
  const inline = /(?:from|import)\s*\(?\s*["'](?:npm|jsr|https?):/;
  const files = [...ourCode, ...filesBelow("tests"), ...filesBelow("bench")]
    .filter((file) => file.endsWith(".ts") && file !== "tests/architecture_test.ts");
  assert.deepEqual(files.filter((file) => inline.test(codeOf(file))), []);
});

Deno.test("no file of src is over 350 lines", () => {
  const long = sourceFiles
    .map((file) => [file, Deno.readTextFileSync(join(root, file)).split("\n").length - 1] as const)
    .filter(([, lines]) => lines > 350);
  assert.deepEqual(long, []);
});

/**
 * The size of the house: these only get smaller, and a feature names what it replaces. `tests` and `workshop` (bench and
 * build) are lines, `docs` and `workshopPages` (the READMEs of bench and build) are words.
 */
const budget = {
  lines: 62_000,
  files: 415,
  tests: 67_000,
  workshop: 8_600,
  docs: 34_000,
  workshopPages: 3_000,
  tasks: 18,
};

/** The lines of files, or the parts between other separators. */
function lengthOf(files: readonly string[], separator: string | RegExp = "\n"): number {
  const texts = files.map((file) => Deno.readTextFileSync(join(root, file)).trim());
  return texts.reduce((sum, text) => sum + text.split(separator).length, 0);
}

/** A schema in the part that counts. */
interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

/** The keys of a file at every place where each may stand. */
function keysIn({ properties = {}, additionalProperties, items, ...rest }: Schema): number {
  const { anyOf = [], oneOf = [] } = rest;
  const others = typeof additionalProperties === "object" ? [additionalProperties] : [];
  const below = [
    ...Object.values(properties),
    ...others,
    ...anyOf,
    ...oneOf,
    ...items ? [items] : [],
  ];
  return below.reduce((sum, each) => sum + keysIn(each), Object.keys(properties).length);
}

Deno.test("a person has few things to learn: commands, options, keys of files", async () => {
  const built = await Promise.all(commands.values().map(buildCommand));
  const options = new Set(built.flatMap((command) => command.options.map(({ long }) => long)));
  const keys = schemaNames.reduce((sum, name) => sum + keysIn(jsonSchema(name) as Schema), 0);
  assert.ok(commands.size > 20 && commands.size <= 34, `${commands.size} commands`);
  assert.ok(options.size > 50 && options.size <= 85, `${options.size} options`);
  assert.ok(keys > 150 && keys <= 200, `${keys} keys`);
});

Deno.test("docs/architecture.md names files that exist", () => {
  const page = Deno.readTextFileSync(join(root, "docs/architecture.md"));
  const named = page.matchAll(/`([\w/]+\.ts)`/g).map(([, path = ""]) => path).toArray();
  const missing = named.filter((path) => !sourceFiles.some((file) => file.endsWith(`/${path}`)));
  assert.ok(named.length > 100);
  assert.deepEqual(missing.filter((path) => !/^(?:main|build|tests)|NAME/.test(path)), []);
});

Deno.test("the house keeps to its budget", () => {
  const workshop = ["bench", "build"].flatMap((folder) => filesBelow(folder));
  const found: Readonly<Record<keyof typeof budget, number>> = {
    lines: lengthOf(sourceFiles),
    files: sourceFiles.length,
    tests: lengthOf(filesBelow("tests", /\.ts$/)),
    workshop: lengthOf(workshop.filter((file) => /\.(?:[jt]s|sh|ps1|c)$/.test(file))),
    docs: lengthOf(filesBelow("docs", /\.md$/), /\s+/),
    workshopPages: lengthOf(workshop.filter((file) => file.endsWith(".md")), /\s+/),
    tasks: Object.keys(manifest.tasks).length,
  };
  const over = Object.entries(found).filter(([what, size]) => {
    return size > budget[what as keyof typeof budget];
  });
  assert.deepEqual(Object.fromEntries(over), {});
  assert.ok(Object.values(found).every((size) => size > 10));
});

Deno.test("no two files export a function of one name", () => {
  const files = new Map<string, string[]>();
  for (const file of sourceFiles) {
    const exported = codeOf(file).matchAll(/^export (?:async )?function\*? (\w+)/gm);
    for (const name of new Set(exported.map(([, name]) => name!))) {
      // Each command has these, and each layout of help its own
      if (/^src\/cli\/commands\//.test(file) && /^(?:define|run)$/.test(name)) continue;
      if (/^src\/help\/_/.test(file)) continue;
      // A bundle has one module in place of both
      if (name === "threadUrl") continue;
      files.set(name, [...files.get(name) ?? [], file]);
    }
  }
  assert.deepEqual([...files].filter(([, places]) => places.length > 1), []);
});

Deno.test("every file of src opens with a module comment", () => {
  const bare = sourceFiles.filter((file) => {
    return !Deno.readTextFileSync(join(root, file)).startsWith("/**");
  });
  assert.deepEqual(bare, []);
});

/** The files that loading `entry` loads, and the packages; what is imported later is not followed. */
function loadedBy(entry: string): { files: Set<string>; packages: Set<string> } {
  const files = new Set([entry]);
  const packages = new Set<string>();
  // A set hands out what is added while it is walked
  for (const file of files) {
    for (const each of imports) {
      if (each.from !== file || each.isDynamic || each.isTypeOnly) continue;
      if (each.to !== undefined) files.add(each.to);
      packages.add(packageOf(each.specifier) ?? "");
    }
  }
  return { files, packages };
}

/** Packages that only the work of a command needs, not reading or explaining its words. */
const late =
  /^(?:@modelcontextprotocol\/.*|yaml|js-yaml|zod|re2js|json-p3|ajv|csv-parse|diff|jsonc-parser|gpt-tokenizer|ai|@ai-sdk\/.*)$/;

Deno.test("a start loads no command, and neither commander nor what commands need", () => {
  const { files, packages } = loadedBy("main.ts");
  assert.equal(files.has("src/cli/commands.ts"), true);
  const early = [...packages].filter((name) => late.test(name) || name.includes("commander"));
  assert.deepEqual(early, []);
  const commands = [...files].filter((file) =>
    /^src\/(?:cli\/commands|server|sources\/agent|sources\/upstream|llm)\//.test(file)
  );
  assert.deepEqual(commands, []);
});

Deno.test("zod is imported as a namespace: its object brings 64 languages into a bundle", async () => {
  for (const file of ourCode) {
    assert.doesNotMatch(await Deno.readTextFile(file), /import \{ z \} from "zod"/, file);
  }
});

/** The rows of the table of security.md: what a program in a sandbox can do with it, and the modules that open it. */
const protectedRows = Deno.readTextFileSync(join(root, "docs/security.md")).split(
  "## What decides",
)[1]!.split("\n## ")[0]!
  .split("\n").filter((line) => /^\| (?!what \||---)/.test(line))
  .map((line) => line.split("|").map((cell) => cell.trim()))
  .map((cells) => ({
    access: cells[3]!,
    modules: [...cells[4]!.matchAll(/`([^`]+)`/g)].map(([, name]) => `src/${name}`),
  }));

/** Reads a file, or has it read. */
const opening =
  /\bDeno\.(?:readTextFile|readFile|open|watchFs)(?:Sync)?\b|\b(?:readTextFile|requireText)\(|from "node:fs(?:\/promises)?"/;

Deno.test("docs/security.md names each module that opens files, and sandboxes hold what they open", () => {
  assert.ok(protectedRows.length > 10);
  const openers = sourceFiles.filter((file) => opening.test(codeOf(file)));
  // They open what another module names, or look at names alone, or at the kind of their own streams
  const means = [
    "src/call/path_values.ts",
    "src/files/text_file.ts",
    "src/process/protected_paths.ts",
    "src/server/stdio.ts",
  ];
  const named = protectedRows.flatMap(({ modules }) => modules);
  const covers = (name: string, file: string) => {
    return name.endsWith("/") ? file.startsWith(name) : file === name;
  };
  const unnamed = openers.filter((file) => !named.some((name) => covers(name, file)));
  assert.deepEqual(unnamed.filter((file) => !means.includes(file)), []);
  assert.deepEqual(
    named.filter((name) => !sourceFiles.some((file) => covers(name, file))),
    [],
  );
  const held = protectedRows.filter(({ access }) => /^(?:read-only|hidden)$/.test(access));
  const open = held.flatMap(({ modules }) => modules).flatMap((name) => {
    const files = openers.filter((file) => covers(name, file));
    return files.filter((file) => !/\b(?:protect|readTextFile|requireText)\(/.test(codeOf(file)));
  });
  assert.deepEqual(open, []);
});
