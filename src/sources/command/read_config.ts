/** Reads a config file and checks it. */

import { type DocumentResult, readDocument } from "../../files/document.ts";
import { type ArgFile, isNote } from "./arg_schema.ts";
import { type ConfigFile, configSchema } from "./schema.ts";
import { type Finding, findingsAt, type Path, type Translation } from "../../files/finding.ts";
import { checkSelect, structuredFormats } from "../../files/select_file.ts";
import {
  checkArg,
  checkFlag,
  checkGlobalValue,
  checkRoles,
  type Fields,
  fieldsOf,
} from "./_check_arg.ts";
import { checkTemplate } from "./_check_template.ts";
import { isObject } from "../../text/own_property.ts";
import { splitAlias } from "../../tool/aliases.ts";
import { listNames } from "../../text/excerpt.ts";

const unknownKeyHint = "Take it out, or begin it with 'x-', which makes it a note";

export async function readConfig(file: string, text: string): Promise<DocumentResult<ConfigFile>> {
  return await readDocument(file, text, configSchema, {
    translate: configOfOriginal,
    check: checkConfig,
    unknownKeyHint,
  });
}

/** Checks patterns, selections and schemas in a config. It imports the slow libraries for them only when needed. */
export async function checkExpressions({ tools }: ConfigFile): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [index, { args, select, output_schema: schema }] of tools.entries()) {
    const path = ["tools", index];
    findings.push(...await checkArgPatterns(args ?? [], [...path, "args"]));
    if (select) findings.push(...await checkSelect(select, [...path, "select"]));
    if (schema) findings.push(...await checkSchema(schema, [...path, "output_schema"]));
  }
  return findings;
}

async function checkArgPatterns(
  args: readonly Pick<ArgFile, "pattern" | "items">[],
  path: Path,
): Promise<Finding[]> {
  const patterns = args.flatMap(({ pattern, items }, arg) => [
    { pattern, path: [...path, arg, "pattern"] },
    { pattern: items?.pattern, path: [...path, arg, "items", "pattern"] },
  ]).filter(({ pattern }) => pattern);
  if (patterns.length === 0) return [];
  const { patternProblem } = await import("../../policy/pattern.ts");
  return patterns.flatMap(({ pattern, path }) => {
    const problem = patternProblem(pattern!);
    return problem === undefined ? [] : [{ path, ...problem }];
  });
}

async function checkSchema(schema: object, path: Path): Promise<Finding[]> {
  const { compileSchema } = await import("../../files/json_schema.ts");
  const compiled = await compileSchema(schema);
  if (typeof compiled === "function") return [];
  const { reason, hint = "It is a JSON Schema, draft 2020-12, of an object" } = compiled;
  return [{ path, message: `'output_schema' cannot be used: ${reason}`, hint }];
}

export function checkConfig(value: unknown): Finding[] {
  if (!isObject(value)) return [];
  return [
    ...fieldsOf(value["tools"]).flatMap(([index, tool]) => checkTool(tool, ["tools", index])),
    ...checkCommands(value),
    ...checkTexts(value, []),
    ...checkEnv(value["env"], []),
    ...duplicates(value["tools"], "tool", ["tools"]),
    ...duplicates(value["global_args"], "global argument", ["global_args"]),
    ...fieldsOf(value["global_args"]).flatMap(([index, arg]) => {
      return checkGlobalArg(arg, ["global_args", index]);
    }),
  ];
}

function checkArgs(args: unknown, path: Path): Finding[] {
  return [
    ...fieldsOf(args).flatMap(([index, arg]) => checkArg(arg, [...path, index])),
    ...duplicates(args, "argument", path),
    ...ambiguousAliases(args, path),
  ];
}

/** Reports an alias that is also the name of an argument, or belongs to two arguments, as a call with it is unclear. */
function ambiguousAliases(args: unknown, path: Path): Finding[] {
  const all = fieldsOf(args);
  const taken = new Map(all.map(([, { name }]) => [name, `is argument '${name}'`]));
  return all.flatMap(([index, { name, aliases }]) => {
    return (Array.isArray(aliases) ? aliases : []).flatMap((alias, at) => {
      if (typeof alias !== "string") return [];
      return splitAlias(alias).flatMap((each) => {
        const meaning = taken.get(each);
        const part = `is a part of an alias of '${name}'`;
        taken.set(each, meaning ?? (each === alias ? `is an alias of '${name}'` : part));
        if (meaning === undefined || each === alias && meaning === part) return [];
        const message = `Alias '${alias}': '${each}' ${meaning}`;
        return [{ path: [...path, index, "aliases", at], message }];
      });
    });
  });
}

function checkTool(tool: Fields, path: Path): Finding[] {
  const args = fieldsOf(tool["args"]);
  const label = typeof tool["name"] === "string" ? `tool '${tool["name"]}'` : "a tool";
  return [
    ...checkArgs(tool["args"], [...path, "args"]),
    ...checkTemplate(tool, path),
    ...checkEnv(tool["env"], path),
    ...checkInput(tool, args, path),
    ...checkEffect(tool, path),
    ...checkOutput(tool, path),
    ...["stdin", "cwd"].flatMap((role) => {
      const holders = args.filter(([, arg]) => arg[role] === true);
      return holders.slice(1).map(([index]) => ({
        path: [...path, "args", index, role],
        message: `'${role}' is set on more than one argument of ${label}`,
      }));
    }),
  ];
}

function checkInput(tool: Fields, args: readonly [number, Fields][], path: Path): Finding[] {
  if (typeof tool["stdin"] !== "string") return [];
  return args.filter(([, arg]) => arg["stdin"] === true).map(([index]) => ({
    path: [...path, "args", index, "stdin"],
    message: "'stdin' is also set on the tool: there is one standard input",
  }));
}

function checkEffect({ effect, risk }: Fields, path: Path): Finding[] {
  if (typeof effect !== "string" || typeof risk !== "string" || effect === risk) return [];
  const message = `'risk: ${risk}' contradicts 'effect: ${effect}', which is the same key`;
  return [{ path: [...path, "risk"], message }];
}

function checkOutput(tool: Fields, path: Path): Finding[] {
  const { output, csv } = tool;
  if (output !== undefined && typeof output !== "string") return [];
  const isStructured = (structuredFormats as readonly unknown[]).includes(output);
  const { findings, add } = findingsAt(path);
  for (const key of isStructured ? [] : ["select", "output_schema"]) {
    const message = `'${key}' is for what a program prints as json, jsonl or csv`;
    if ((tool[key] ?? null) !== null) add(key, message, "Say which with 'output'");
  }
  for (const [index, { lines }] of isStructured ? fieldsOf(tool["args"]) : []) {
    const message = "'lines' is for what a program prints as text";
    if (lines) findings.push({ path: [...path, "args", index, "lines"], message });
  }
  if (!isObject(csv)) return findings;
  if (output !== "csv") {
    add("csv", "'csv' says how CSV is read, and the output is none", "Add 'output: csv'");
    return findings;
  }
  const columns = Array.isArray(csv["columns"]) ? csv["columns"] : [];
  const twice = columns.findIndex((name, at) => columns.indexOf(name) !== at);
  if (twice === -1) return findings;
  const message = `Column '${columns[twice]}' is named twice`;
  return [...findings, { path: [...path, "csv", "columns", twice], message }];
}

const prose = [
  ...["description", "category", "tags", "examples", "aliases", "confirm_message", "confirm_with"],
  ...["exit_codes", "pattern_words"],
];

/** Reports texts that cannot be a word of a command line, such as those with a NUL character. */
function checkTexts(value: unknown, path: Path): Finding[] {
  if (typeof value === "string") {
    if (value.includes("\0")) {
      return [{ path, message: "A NUL byte cannot be passed to a program" }];
    }
    if (value.isWellFormed()) return [];
    return [{ path, message: "A lone surrogate is not valid Unicode text" }];
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    if (prose.includes(key) || isNote(key)) return [];
    return checkTexts(inner, [...path, Array.isArray(value) ? Number(key) : key]);
  });
}

function checkCommands(config: Fields): Finding[] {
  const isEmpty = (command: unknown) => typeof command !== "string" || command.trim() === "";
  if (typeof config["command"] !== "string" || !isEmpty(config["command"])) return [];
  return fieldsOf(config["tools"]).filter(([, tool]) => isEmpty(tool["command"]))
    .map(([index]) => ({
      path: ["tools", index, "command"],
      message: "The config's 'command' is empty, and this tool does not name a program either",
      hint: "Put the program into the tool's 'command'; 'argv' is what follows it",
    }));
}

function checkEnv(env: unknown, path: Path): Finding[] {
  if (!isObject(env)) return [];
  return Object.keys(env).filter((name) =>
    name === "" || name === "__proto__" || /[=\0]/.test(name)
  ).map((name) => {
    const message = `'${name}' cannot be the name of an environment variable`;
    return { path: [...path, "env", name], message };
  });
}

function checkGlobalArg(arg: Fields, path: Path): Finding[] {
  return [
    ...(arg["type"] === "array" ? [{ path: [...path, "type"], ...noGlobalList }] : []),
    ...checkRoles(arg, path),
    ...checkFlag(arg, path),
    ...checkGlobalValue(arg, path),
  ];
}

const noGlobalList = {
  message: "'type: array' has no meaning for a global argument",
  hint: "Write one global argument for each value",
};

function duplicates(list: unknown, what: string, path: Path): Finding[] {
  const seen = new Set<unknown>();
  return fieldsOf(list).flatMap(([index, { name }]) => {
    if (typeof name !== "string") return [];
    // An argument called `__proto__` would set the prototype of the object of arguments, so the name is refused
    if (name === "__proto__") {
      const message = `'${name}' cannot be the name of ${/^a/.test(what) ? "an" : "a"} ${what}`;
      return [{ path: [...path, index, "name"], message }];
    }
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    return [{ path: [...path, index, "name"], message: `Duplicate ${what} name '${name}'` }];
  });
}

function configOfOriginal(value: unknown): Translation {
  const notes: Finding[] = [];
  if (!isObject(value) || !Array.isArray(value["tools"])) return { value, notes };
  const tools: readonly unknown[] = value["tools"];
  const without = (key: string) => tools.filter((tool) => (Object(tool)[key] ?? null) === null);
  const [safe, plain] = [without("risk"), without("effect")];
  const isOurs = value["effect"] !== undefined || plain.length < tools.length;
  const isMarked = !isOurs && safe.length > 0 && safe.length < tools.length;
  if (isMarked) {
    const names = listNames(safe.map((tool) => String(Object(tool)["name"])), 10);
    const message = `Tools without 'risk' only read, as in CLImax 0.5: ${names}`;
    const hint = "Give each that changes something its 'risk'";
    notes.push({ path: ["tools", tools.indexOf(safe[0])], message, hint });
  }
  const translated = tools.map((tool, at) => {
    if (!isObject(tool)) return tool;
    const { resolve, ...others } = isMarked && safe.includes(tool)
      ? { ...tool, risk: "read" }
      : tool;
    if (!isObject(resolve)) return resolve === undefined ? others : tool;
    const message = "'resolve' is not used: the question shows no names that are looked up";
    const hint = "'confirm_with' shows what other words after the program print";
    notes.push({ path: ["tools", at, "resolve"], message, hint });
    const asked = String(others["confirm_message"] ?? "");
    const question = asked.replaceAll(/ ?\{(\w+)\}/g, (word, name) => {
      return Object.hasOwn(resolve, name) ? "" : word;
    });
    return { ...others, confirm_message: question.replaceAll(" ()", "") };
  });
  return { value: { ...value, tools: translated }, notes };
}
