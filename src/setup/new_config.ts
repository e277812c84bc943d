/** A first config, with every basic key and a comment on it. */

/** The text of a config for the program `name`. */
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
