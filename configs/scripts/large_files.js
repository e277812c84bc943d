// The largest binary files that the history ever got, with the commit that brought each.
// Config: git. Input: {"commits": 1000, "top": 10}.
const { text } = await call("git_log", {
  stat: true,
  max_count: input?.commits ?? 500,
  format: "commit %h %cs %an",
});
let commit = "";
const largest = new Map();
for (const line of text.split("\n")) {
  if (line.startsWith("commit ")) commit = line.slice("commit ".length);
  const [, path, size] = /^ (.+?) +\| +Bin \d+ -> (\d+) bytes$/.exec(line) ?? [];
  if (path === undefined || Number(size) <= (largest.get(path)?.bytes ?? 0)) continue;
  largest.set(path, { path, bytes: Number(size), commit });
}
return [...largest.values()].sort((one, other) => other.bytes - one.bytes).slice(
  0,
  input?.top ?? 10,
);
