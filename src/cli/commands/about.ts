/** The commands that print what climax itself contains, such as help, bundled configs and completions for shells. */

import { Argument } from "@commander-js/extra-typings";
import { join } from "node:path";
import { ExitCode, FileError, loadError, UsageError } from "../../errors.ts";
import { textToReplace } from "../../files/text_file.ts";
import { createFile, makeFolder, requireWrite } from "../../files/write_file.ts";
import { io } from "../../io.ts";
import { say } from "../../log.ts";
import { buildForm, version as ownVersion } from "../../process/build_info.ts";
import skillText from "../../setup/skill.md" with { type: "text" };
import { bundledNames, configSets } from "../../sources/command/bundled.ts";
import { locateConfig } from "../../sources/command/locate.ts";
import { ownConfigNames } from "../../sources/command/own_configs.ts";
import { nearHint } from "../../text/similar_names.ts";
import { command, type CommandTable } from "../command.ts";
import { choiceOption, oneOf, withOptions } from "../options.ts";
import { print, printJson, printText } from "../output.ts";
import {
  buildCommand,
  formatProgramHelp,
  groupHelp,
  helpOf,
  isGroup,
  visibleOptions,
} from "../program.ts";

export const help = command({
  define: (command) =>
    command.description("Print help for a command, or for a tool")
      .argument("[command...]", "the command or tool to explain")
      .option("--all", "print all commands, the bundled configs, exit codes and variables"),
  examples: [
    ["help call", "print the arguments and options of the command call"],
    ["help git_log", "print what a tool takes, with an example"],
    ["help --all", "list all commands"],
  ],
  async run(words, { all }, _, table) {
    const name = words.join(" ");
    const found = table.commands.get(name);
    if (found !== undefined) await printText(helpOf(await buildCommand(found)).split("\n"));
    else if (name === "") await printText(formatProgramHelp(table, "stdout", all).split("\n"));
    else if (isGroup(name, table)) await printText(groupHelp(name, table, "stdout").split("\n"));
    else {
      throw new UsageError(`Unknown command '${name}'`, nearHint(name, [...table.commands.keys()]));
    }
    return ExitCode.ok;
  },
});

export const version = command({
  define: (command) =>
    withOptions(
      command.description(
        "Print the version, the runtime, the protocol versions and the form of the build",
      ),
      "json",
    ),
  examples: [
    ["--version", "print what a problem report needs"],
    ["--version --json", "print the same for a script"],
  ],
  async run({ json }) {
    const { protocolRevisions } = await import("../../server/mcp_server.ts");
    const mcp = [...new Set(protocolRevisions)].toSorted().reverse();
    const { deno, v8 } = Deno.version;
    const built = buildForm();
    const runtime = `deno ${deno}, v8 ${v8}`;
    if (json) await printJson({ version: ownVersion, deno, v8, mcp, built });
    else await print(`climax ${ownVersion}\n${runtime}\nmcp ${mcp.join(", ")}\nbuilt as ${built}`);
    return ExitCode.ok;
  },
});

export const show = command({
  define: (command) =>
    command.description("Print the YAML of a config, bundled or your own")
      .argument("<config>", "its name"),
  examples: [
    ["show jq", "print what comes with climax, as an example"],
    ["show git", "print the largest"],
  ],
  async run(name) {
    const found = await locateConfig(name);
    if (!("text" in found)) throw loadError([found]);
    await print(found.text.trimEnd());
    return ExitCode.ok;
  },
});

const schemaNames = ["config", "policy", "project"] as const;

export const schema = command({
  define: (command) =>
    command.description("Print the JSON Schema of configs, policies or a project's climax.json")
      .addArgument(
        new Argument("<file>", "which of them").choices(schemaNames)
          .argParser(oneOf("The file", schemaNames)),
      ),
  examples: [["schema config", "print that of configs, for an editor"]],
  async run(name) {
    const { jsonSchema } = await import("../../setup/json_schemas.ts");
    await printJson(jsonSchema(name));
    return ExitCode.ok;
  },
});

const skillFolders = {
  agents: ".agents/skills",
  claude: ".claude/skills",
  codex: ".agents/skills",
  copilot: ".github/skills",
  cursor: ".cursor/skills",
  gemini: ".gemini/skills",
} as const;

export const skill = command({
  define: (command) =>
    command
      .description("Print the instructions by which a coding agent writes or refines a config")
      .option("--install", "write them where the agent of this project looks for them")
      .addOption(
        choiceOption("--agent <agent>", "the agent they are for", keysOf(skillFolders))
          .default<keyof typeof skillFolders>("claude"),
      ),
  examples: [
    ["skill", "read what an agent would be told"],
    ["skill --install", "write .claude/skills/climax-config/SKILL.md"],
    ["skill --install --agent codex", "write it where Codex looks"],
  ],
  async run({ install, agent }) {
    if (!install) await print(skillText.trimEnd());
    else {
      const path = join(io().cwd(), skillFolders[agent], "climax-config", "SKILL.md");
      const isNew = await installSkill(path);
      await print(path);
      say(isNew ? "Start a new session of the agent to use it" : "It is there already");
    }
    return ExitCode.ok;
  },
});

async function installSkill(path: string): Promise<boolean> {
  const failure = "The skill was not installed";
  const before = await textToReplace(path, failure);
  if (before === skillText) return false;
  if (before !== undefined) {
    const message = "There is another text already";
    const hint = "Compare the two, then move it away and install again";
    throw new FileError(failure, { file: path, message, hint });
  }
  await requireWrite(path, failure, async () => {
    await makeFolder(path, { root: io().cwd() });
    await createFile(path, skillText);
  });
  return true;
}

const completionScripts = {
  bash: (words: readonly Completion[]) =>
    `COMP_WORDBREAKS=\${COMP_WORDBREAKS//@/}
_climax() {
  local line=" \${COMP_WORDS[*]:1:COMP_CWORD-1} " found
${posixCases(words)}
  COMPREPLY=($(compgen -W "$found" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _climax climax`,
  zsh: (words: readonly Completion[]) =>
    `#compdef climax
_climax() {
  local line=" \${words[2,CURRENT-1]} " found
${posixCases(words)}
  compadd -- \${=found}
  _files
}
if [[ $funcstack[1] == _climax ]]; then _climax "$@"; else compdef _climax climax; fi`,
  fish: (words: readonly Completion[]) =>
    `function __climax_words
  switch " "(string join ' ' -- (commandline -opc)[2..] '')" "
${words.map(([line, found]) => `    case '${line}*'; string split ' ' -- '${found}'`).join("\n")}
  end
end
complete -c climax -a '(__climax_words)'`,
};

type Completion = readonly [line: string, found: string];

function posixCases(words: readonly Completion[]): string {
  const cases = words.map(([line, found]) => `    "${line}"*) found='${found}' ;;`);
  return ["  case $line in", ...cases, "  esac"].join("\n");
}

function keysOf<Key extends string>(table: Readonly<Record<Key, unknown>>): readonly Key[] {
  return Object.keys(table) as Key[];
}

const shells = keysOf(completionScripts);

export const completions = command({
  define: (command) =>
    command.description("Print a shell completion script: commands, options, names of configs")
      .addArgument(
        new Argument("<shell>", "the shell").choices(shells).argParser(oneOf("The shell", shells)),
      ),
  examples: [["completions bash", "print the script, for: source <(…)"]],
  async run(shell, _options, _dashed, table) {
    await print(completionScripts[shell](await completionsOf(table)));
    return ExitCode.ok;
  },
});

async function completionsOf({ commands, flags, divide }: CommandTable): Promise<Completion[]> {
  const configs = [...bundledNames, ...configSets.keys(), ...await ownConfigNames()]
    // A shell would split or interpret a name with other characters, so it is not proposed
    .filter((name) => /^@?[\w.-]+$/.test(name));
  const names = [...commands.keys()];
  const first = [...new Set(names.map((name) => name.split(" ")[0]!))];
  const ofCommands = await Promise.all(
    commands.values().map(async (entry) => {
      const command = await buildCommand(entry);
      const args = command.registeredArguments;
      const words = args.flatMap((each) => each.argChoices ?? []);
      const named = args.some((each) => each.name() === "config") ? configs : [];
      const more = entry.name === "help" ? first : named;
      return [entry.name, [...words, ...more, ...visibleOptions(command)]] as const;
    }),
  );
  const groups = first.filter((word) => !commands.has(word)).map((word) => {
    const own = names.filter((name) => name.startsWith(`${word} `));
    return [word, own.map((name) => name.split(" ")[1]!)] as const;
  });
  const [, ofRun] = ofCommands.find(([name]) => name === divide([]).command.name)!;
  const all = [...ofCommands, ...groups, ["", [...first, ...flags.keys(), ...configs]] as const];
  return [...all.map(([name, words]) => [` ${name} `, words] as const), ["", ofRun] as const]
    .map(([line, words]) => [line, words.join(" ")]);
}
