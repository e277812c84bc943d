/** Node's yargs: names only, and the type in brackets at the end of the line. */

import type { OptionHelp } from "./command_help.ts";
import type { Layout } from "./_layout.ts";

export const yargs: Layout = {
  name: "yargs",
  recognises(text) {
    return /^ +(?:-\w, )?--[\w-]+.*\[(?:boolean|string|number|array|count)\]/m.test(text) ||
      /^ {2,}(?:-\w, )?--(?:help|version)(?:, -\w)? +Show (?:help|version number)(?: +\[|$)/m.test(
        text,
      );
  },
  lowerCaseArguments: false,
  refine(option, said): OptionHelp {
    if (option.value !== undefined || said.words.has("boolean") || said.words.has("count")) {
      return { ...option, counted: option.counted || said.words.has("count") };
    }
    const isList = said.words.has("array");
    const isNumber = said.words.has("number");
    const hasDefault = said.default !== undefined && !/^(?:true|false)$/.test(said.default);
    const isString = said.words.has("string") || said.choices !== undefined && !said.choicesGuessed;
    if (!isList && !isNumber && !isString && !hasDefault) return option;
    const typed = isNumber || isString || isList;
    const looksInteger = /^-?\d+$/.test(said.default ?? "");
    return {
      ...option,
      value: {
        placeholder: "",
        type: isNumber ? "number" : looksInteger && !isString ? "integer" : "string",
        optional: false,
        ...(isList ? { list: { kind: "repeated" } } : {}),
        ...(said.choices === undefined ? {} : { choices: said.choices }),
        ...(said.default === undefined ? {} : { default: said.default }),
        guesses: typed ? [] : ["type"],
      },
    };
  },
};
