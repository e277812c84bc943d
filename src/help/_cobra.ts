/** Reads help of Go's cobra and pflag, which docker, gh and kubectl use: a type follows the name, `--label strings`. */

import type { Layout } from "./_layout.ts";
import { type OptionHead, readOptionHead } from "./_option_head.ts";
import { typesOf, type TypeWords } from "./_positionals.ts";

/** Pflag's `Type()` and docker use these names of types. */
const typeWords: TypeWords = {
  ...typesOf({
    string: "string duration bytes",
    integer: "int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 count",
    number: "float float32 float64 decimal",
  }),
  ...typesOf({
    string: "strings stringArray stringSlice stringToString list map filter mount",
    integer: "ints uints",
  }, { kind: "repeated" }),
};

export const cobra: Layout = {
  name: "cobra",
  isHandwritten: true,
  recognises(text) {
    return /^(?:Available Commands|Management Commands|(?:Global |Inherited |Persistent )?Flags|INHERITED FLAGS):?$/m
      .test(text) ||
      /^ {2,6}(?:-\w, )?--[\w-]+ (?:string|strings|stringArray|u?int|float64|duration) {2,}\S/m
        .test(text) ||
      /^Usage:\n {2}\S+.*\[(?:flags|command)\]|^Use "\S+ options" for a list of global/m.test(
        text,
      ) ||
      /^USAGE\n {2}\S+ .*(?:\[flags\]|<command>|<subcommand>)/m.test(text) ||
      /^Usage: {2}\S+/m.test(text) ||
      text.includes(":\n\t") && /^ {4}(?:-\w, )?--[\w-]+=.*:\n\t/m.test(text) ||
      text.includes("for more information about a") &&
        /^Use "\S+.* --help" for more information about a (?:given )?command/m.test(text);
  },
  typeWords,
  lowerCaseArguments: true,
  readHead(head) {
    return /^(?:-\w, )?--[\w-]+=.*:$/.test(head) ? kubectlHead(head) : plainHead(head);
  },
  refine(option, _annotations, { head }) {
    if (!/^[^ ]*(?: --[\w-]+)?=.*:$/.test(head)) return option;
    const { value } = option;
    if (value !== undefined) {
      const guesses = value.guesses.filter((guess) => guess !== "type");
      return { ...option, value: { ...value, guesses } };
    }
    // A switch that is on by default is switched off by the value `false`
    return /=true:$/.test(head)
      ? { ...option, negations: [`${option.names.at(-1)}=false`] }
      : option;
  },
};

/** Reads `--output string`: the word is the type or a placeholder, and `[="x"]` is a value that may be omitted. */
function plainHead(head: string): OptionHead | undefined {
  const read = readOptionHead(head.replace(/\[="?[^\]"]*"?\]$/, ""));
  const optional = /\[=.*\]$/.test(head);
  if (read?.value === undefined || !optional) return read;
  return { ...read, value: { ...read.value, optional } };
}

/** Reads `-o, --output='':`, where the default stands in the place of a type. */
function kubectlHead(head: string): OptionHead | undefined {
  const [, names, text] = /^([^=]*)=(.*):$/.exec(head)!;
  const read = readOptionHead(names!);
  if (read === undefined || /^(?:true|false)$/.test(text!)) return read;
  const preset = text!.replace(/^'(.*)'$|^\[\]$/, "$1");
  const value = {
    ...{ placeholder: "", optional: false, commas: false, count: 1 },
    repeated: text === "[]",
    ...(preset === "" ? {} : { preset }),
  };
  return { ...read, joined: true, value };
}
