/** First files to be edited: a config with every basic key and a comment on it, and a script with its test. */

export function newConfig(name: string): string {
  const tool = name.replace(/[^A-Za-z0-9]+/g, "_").toLowerCase();
  const commands: readonly [command: string, what: string][] = [
    [`climax validate ${name}`, "checks this file"],
    [`climax call ${name} --dry-run -- ${tool}_version`, "shows what would be run"],
    [`climax ${name}`, "serves it"],
  ];
  const width = Math.max(...commands.map(([command]) => command.length)) + 3;
  const lines = commands.map(([command, what]) => `#   ${command.padEnd(width)}${what}`);
  return `# Tools of ${name} for agents. All keys: climax schema config
#
${lines.join("\n")}

name: ${name}
# What agents read before they look inside
description: What ${name} is for
# The program, and words that come before those of every tool; no shell reads them
command: ${name}
# What agents may filter by
category: misc

tools:
  - name: ${tool}_version
    description: Print the version of ${name}
    command: --version
    # read: changes nothing; write: changes things; destructive: things may be lost
    effect: read
    # Seconds it may take
    timeout: 10

  # A tool with arguments. Take away the '#' and one space, and make it yours.
  #
  # - name: ${tool}_list
  #   description: List the items that match a text
  #   command: list
  #   effect: read
  #   args:
  #     - name: text
  #       description: What to look for
  #       required: true
  #       flag: "--search="
  #     - name: limit
  #       type: integer
  #       default: 20
  #       min: 1
  #       max: 100
  #       flag: "--limit="
  #     - name: state
  #       enum: [open, closed, all]
  #       flag: "--state="
`;
}

/** The script that `climax script new` writes. */
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

/** Its test: what the script was answered, as `climax script test --record` writes it. */
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
