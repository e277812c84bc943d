/** The script that `climax script new` writes, and its test. */

export const newScript = String.raw`/* climax script
description: The people who made the last commits, each with how many
effect: read
args:
  - name: count
    description: Number of commits
    type: integer
    default: 100
    min: 1
    max: 1000
examples:
  - who works on this
tests:
  - name: two
    input: {count: 2}
*/
const { text } = await call("git_log", { max_count: input.count, format: "%an" });
const commits = new Map();
for (const name of text.trim().split("\n")) commits.set(name, (commits.get(name) ?? 0) + 1);
return Object.fromEntries(commits);
`;

/** What the script was answered, as `climax script test --record` writes it. */
export const newScriptTest = `${
  JSON.stringify(
    {
      version: 1,
      seed: 1,
      now: Date.UTC(2026, 0, 1),
      input: { count: 2 },
      answers: [
        {
          kind: "call",
          request: { name: "git_log", args: { max_count: 2, format: "%an" } },
          isError: false,
          text: "Ada\nAda\n",
          now: Date.UTC(2026, 0, 1) + 10,
        },
      ],
      result: '{"Ada":2}',
    },
    null,
    2,
  )
}\n`;
