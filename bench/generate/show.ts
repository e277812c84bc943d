/** Prints what captured help texts are read as: `deno run -A bench/generate/show.ts NAME…`. */

import { readHelp } from "../../src/help/read_help.ts";
import { mainName, type OptionHelp } from "../../src/help/command_help.ts";
import { readCorpus } from "../../tests/help/_corpus.ts";

for (const name of Deno.args) {
  for (const { words, text } of await readCorpus(name)) {
    const help = readHelp(text, words);
    say(
      `== ${words.join(" ")} [${help.layout}] ${
        help.optionLines - help.unread.length
      }/${help.optionLines} ${help.description.slice(0, 90)}`,
    );
    for (const line of help.unread) say(`   ?? ${line}`);
    for (const { name, required, value } of help.positionals) {
      say(`   ${name}${required ? "!" : ""} ${shape(value)}`);
    }
    for (const option of help.options) {
      say(
        `   ${mainName(option)} ${
          [...option.names, ...option.negations].length > 1
            ? `(${[...option.names, ...option.negations].join(" ")}) `
            : ""
        }${shape(option.value)}${option.required ? " REQUIRED" : ""} # ${
          option.description.slice(0, 60)
        }`,
      );
    }
    if (help.subcommands.length > 0) {
      say(`   commands: ${help.subcommands.map(({ name }) => name).join(" ")}`);
    }
  }
}

function shape(value: OptionHelp["value"]): string {
  if (value === undefined) return "boolean";
  const { type, list, choices, optional, guesses } = value;
  return `${type}${list ? ` list(${list.kind})` : ""}${optional ? " optional" : ""}${
    choices ? ` {${choices.join("|").slice(0, 80)}}` : ""
  }${value.default === undefined ? "" : ` =${value.default.slice(0, 20)}`}${
    guesses.length ? ` guess:${guesses}` : ""
  }`;
}

function say(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
}
