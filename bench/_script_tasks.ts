/** The tasks of `scripts.ts`: code that runs as a script, and call by call. */

const log = (count: number) =>
  `const {text} = await call("git_log", {max_count: ${count}, format: "%h"});
const hashes = text.trim().split("\\n");\n`;

const files = (path: string) =>
  `const {text} = await call("rg_files", {path: ["${path}"], glob: ["*.ts"], sort: "path"});
const files = text.trim().split("\\n").slice(0, 12);\n`;

/** Tasks that ask the same of many things. */
export const fanOutTasks: Readonly<Record<string, string>> = {
  "changed files per folder, 12 commits": `${log(12)}
const shown = await all(hashes.map((revision) => () => call("git_show", {revision, name_only: true, format: "%h"})));
const counts = {};
for (const {text} of shown) for (const line of text.split("\\n")) {
  const [folder, file] = line.split("/");
  if (file !== undefined) counts[folder] = (counts[folder] ?? 0) + 1;
}
return counts`,
  "who changed 12 files last": `${files("src/call")}
const shown = await all(files.map((file) => () => call("git_log", {path: [file], max_count: 1})));
return shown.map(({text}, at) => [files[at], /Author: (.*) </.exec(text)[1]])`,
  "which of 12 commits touch the documents": `${log(12)}
const shown = await all(hashes.map((revision) => () => call("git_show", {revision, stat: true})));
return hashes.filter((_, at) => / docs\\//.test(shown[at].text))`,
  "inserted lines of 12 commits": `${log(12)}
const shown = await all(hashes.map((revision) => () => call("git_show", {revision, stat: true})));
return shown.map(({text}, at) => [hashes[at], Number(/(\\d+) insertion/.exec(text)?.[1] ?? 0)])`,
  "lines by author, 6 files": `${files("src/policy")}
const shown = await all(files.slice(0, 6).map((path) => () => call("git_blame", {path})));
const counts = {};
for (const {text} of shown) for (const [, name] of text.matchAll(/\\((.*?) +\\d{4}-/g)) counts[name] = (counts[name] ?? 0) + 1;
return counts`,
  "exports of 12 files": `${files("src/catalog")}
const shown = await all(files.map((file) => () => call("files_grep", {pattern: "^export", path: [file]}).catch(({message}) => ({text: ""}))));
return shown.map(({text}, at) => [files[at], text.split("\\n").filter((line) => line.includes("export")).length])`,
  "files with each of 10 words":
    `const words = ["Deno.Command", "setTimeout", "performance.now", "JSON.parse", "structuredClone", "AbortController", "Map.groupBy", "WeakMap", "Symbol", "Proxy"];
const shown = await all(words.map((pattern) => () => call("rg_files_with_matches", {pattern, fixed_strings: true, path: ["src"]}).catch(() => ({text: ""}))));
return shown.map(({text}, at) => [words[at], text.split("\\n").filter((line) => line.startsWith("src/")).length])`,
  "first lines of 12 files": `${files("src/policy")}
const shown = await all(files.map((file) => () => call("files_head", {path: [file]})));
return shown.map(({text}, at) => [files[at].split("/").at(-1), text.length > 0])`,
  "keys of 6 schemas": `const {text} = await call("rg_files", {path: ["schemas"], sort: "path"});
const files = text.trim().split("\\n").slice(0, 6);
const shown = await all(files.map((path) => () => call("jq_file", {filter: ".properties // {}", path: [path]})));
return shown.map(({text}, at) => [files[at], Object.keys(JSON.parse(text)).length])`,
  "sizes of the steps between 10 commits": `${log(10)}
const shown = await all(hashes.slice(1).map((from, at) => () => call("git_diff", {revision: from + ".." + hashes[at], stat: true})));
return shown.map(({text}) => text.trim().split("\\n").at(-1).trim())`,
  "files that changed in most of 12 commits": `${log(12)}
const shown = await all(hashes.map((revision) => () => call("git_show", {revision, name_only: true, format: "%h"})));
const counts = {};
for (const {text} of shown) for (const line of text.split("\\n")) if (line.includes(".")) counts[line] = (counts[line] ?? 0) + 1;
return Object.entries(counts).sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1)).slice(0, 5)`,
  "when 8 files began, and by whom": `${files("src/files")}
const shown = await all(files.slice(0, 8).map((file) => () => call("git_log", {path: [file], follow: true, max_count: 100})));
return shown.map(({text}, at) => { const ends = text.split("\\n").filter((line) => /^(Author|Date):/.test(line)); return [files[at], ends.at(-1).slice(8)] })`,
};

/** Tasks that one call does. */
export const singleTasks: Readonly<Record<string, string>> = Object.fromEntries([
  ["git_status", {}],
  ["git_log", { max_count: 10 }],
  ["git_log", { max_count: 30, oneline: true }],
  ["git_show", { revision: "HEAD", stat: true }],
  ["git_blame", { path: "src/errors.ts" }],
  ["git_shortlog", {}],
  ["files_read", { path: ["src/errors.ts"] }],
  ["files_list", { path: "src" }],
  ["files_head", { path: ["README.md"] }],
  ["rg_search", { pattern: "Deno.Command", path: ["src"] }],
  ["rg_files", { path: ["src/call"] }],
  ["jq_file", { filter: ".tasks | keys", path: ["deno.json"] }],
].map(([name, args], at) => {
  return [`${at + 1}. ${name}`, `return (await call("${name}", ${JSON.stringify(args)})).text`];
}));
