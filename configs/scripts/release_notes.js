// Release notes since a tag: commits by type from git, and merged pull requests from GitHub.
// Configs: git, gh. Input: {"since": "v1.2.0"}; without it, the newest tag.
const since = input?.since ??
  (await call("git_describe", { tags: true })).text.trim().replace(/-\d+-g[0-9a-f]+$/, "");
const { text } = await call("git_log", {
  revision: `${since}..HEAD`,
  max_count: 500,
  no_merges: true,
  format: "%h %s",
});
const commits = text.trim().split("\n").filter((line) => /^[0-9a-f]+ /.test(line));
const groups = new Map();
for (const line of commits) {
  const [, hash, type = "other", subject] = /^(\S+) (?:(\w+)(?:\([^)]*\))?!?: )?(.*)$/.exec(line);
  groups.set(type, [...(groups.get(type) ?? []), `- ${subject} (${hash})`]);
}
const day = (await call("git_show", { revision: since, no_patch: true, format: "%cs" })).text.trim()
  .split("\n").at(-1);
const pulls = await call("gh_pr_list", {
  state: "merged",
  search: `merged:>=${day}`,
  limit: 100,
  json: ["number", "title"],
});
const titles = { feat: "Added", fix: "Fixed", perf: "Faster", docs: "Documents", other: "Other" };
const parts = [...groups].map(([type, lines]) => `## ${titles[type] ?? type}\n${lines.join("\n")}`);
const merged = pulls.data.map(({ number, title }) => `- ${title} (#${number})`);
return [
  `# Since ${since}`,
  ...parts,
  ...(merged.length > 0 ? [`## Pull requests\n${merged.join("\n")}`] : []),
].join("\n\n");
