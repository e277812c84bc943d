/** Reads help of the libraries of Node: oclif, npm, yargs, commander. */

import type { OptionHelp } from "./command_help.ts";
import type { Layout } from "./_layout.ts";

/** oclif prints headings in capitals, `$` in front of the usage, and `--name=<value>`. */
export const oclif: Layout = {
  name: "oclif",
  recognises: (text) => /^USAGE\n {2}\$ \S/m.test(text),
};

/** npm prints values in the usage only, and describes each option below it without them. */
export const npm: Layout = {
  name: "npm",
  recognises: (text) => /^Options:\n\[-/m.test(text) || text.startsWith("npm <command>\n"),
  isHandwritten: true,
  clean: (text) => text.replace(/\n\nOptions:\n(?=\[-)/, " "),
};

/** yargs prints only names of options, and types in brackets at the ends of lines. */
export const yargs: Layout = {
  name: "yargs",
  showsNoValues: true,
  recognises(text) {
    return /\[(?:boolean|string|number|array|count)\]/.test(text) &&
        /^ +(?:-\w, )?--[\w-]+.*\[\w+\]/m.test(text) ||
      text.includes(" Show ") &&
        /^ {2,}(?:-\w, )?--(?:help|version)(?:, -\w)? +Show (?:help|version number)(?: +\[|$)/m
          .test(
            text,
          );
  },
  // Further lines of a default begin at the margin
  clean: (text) =>
    text.replace(
      /^ *\[array\] \[default: \[[^]{1,2000}?\]\]$/gm,
      (lines) => " ".repeat(40) + lines.replace(/\n? +/g, " ").trim(),
    ),
  refine(option, annotations): OptionHelp {
    if (
      option.value !== undefined || annotations.words.has("boolean") ||
      annotations.words.has("count")
    ) {
      return option;
    }
    const isList = annotations.words.has("array");
    const isNumber = annotations.words.has("number");
    const hasDefault = annotations.default !== undefined &&
      !/^(?:true|false)$/.test(annotations.default);
    const isString = annotations.words.has("string") ||
      annotations.choices !== undefined && !annotations.choicesGuessed;
    if (!isList && !isNumber && !isString && !hasDefault) return option;
    const typed = isNumber || isString || isList;
    const looksInteger = /^-?\d+$/.test(annotations.default ?? "");
    return {
      ...option,
      value: {
        placeholder: "",
        type: isNumber ? "number" : looksInteger && !isString ? "integer" : "string",
        optional: false,
        ...(isList ? { list: { kind: "repeated" } } : {}),
        ...(annotations.choices === undefined ? {} : { choices: annotations.choices }),
        ...(/^(?:\[\])?$/.test(annotations.default ?? "") ? {} : { default: annotations.default! }),
        guesses: typed ? [] : ["type"],
      },
    };
  },
};

/** commander prints `[options]` in the usage; `<value>` must be given, `[value]` may be. */
export const commander: Layout = {
  name: "commander",
  recognises(text) {
    return text.includes("[options]") && /^Usage: .*\[options\]/m.test(text) &&
      /display help for command|output (?:the version number|usage information)/.test(text);
  },
  clean: (text) =>
    text.replace(/^[─⬡].*$/gm, "").replace(/^(Commands|Options|Global options)$/gmi, "$1:"),
};

/** These programs have a help that begins like that of commander. */
export const likeCommander: Layout = {
  ...commander,
  isHandwritten: true,
  recognises: (text) =>
    text.includes("[options]") && /^Usage: .*\[options\]/m.test(text) &&
    /^Options:?$/m.test(text),
};
