/**
 * The rules between the keys of a config that its shape cannot say: roles that exclude one another,
 * names given twice, defaults and enums that do not fit their type.
 *
 * The value may be broken elsewhere, so that these problems are reported together with those of
 * the shape. Whatever does not have the shape a rule needs is left to the schema to report.
 */

import { describeValue, type Finding, type Path } from "../../document/document.ts";

type Fields = Readonly<Record<string, unknown>>;

/** All rules over a whole config, whatever its value looks like. */
export function checkConfig(value: unknown): Finding[] {
  if (!isFields(value)) return [];
  return [
    ...fieldsOf(value["tools"]).flatMap(([index, tool]) => checkTool(tool, ["tools", index])),
    ...checkCommands(value),
    ...checkTexts(value, []),
    ...checkEnv(value["env"]),
    ...duplicates(value["tools"], "tool", ["tools"]),
    ...duplicates(value["global_args"], "global argument", ["global_args"]),
    ...fieldsOf(value["global_args"]).flatMap(([index, arg]) => {
      return checkGlobalArg(arg, ["global_args", index]);
    }),
  ];
}

function checkTool(tool: Fields, path: Path): Finding[] {
  const args = fieldsOf(tool["args"]);
  const label = typeof tool["name"] === "string" ? `tool '${tool["name"]}'` : "a tool";
  return [
    ...args.flatMap(([index, arg]) => checkArg(arg, [...path, "args", index])),
    ...duplicates(tool["args"], "argument", [...path, "args"]),
    ...["stdin", "cwd"].flatMap((role) => {
      const holders = args.filter(([, arg]) => arg[role] === true);
      return holders.slice(1).map(([index]) => ({
        path: [...path, "args", index, role],
        message: `'${role}' stands on more than one argument of ${label}`,
      }));
    }),
  ];
}

/** Keys whose texts are for reading, and reach no program. */
const prose = ["description", "category", "tags"];

/** Texts that no program can be given: it would be cut, or arrive as another. */
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
    if (prose.includes(key)) return [];
    return checkTexts(inner, [...path, Array.isArray(value) ? Number(key) : key]);
  });
}

/** A program must be named somewhere: by the config, or by every tool of it. */
function checkCommands(config: Fields): Finding[] {
  const { command } = config;
  if (typeof command !== "string" || command.trim() !== "") return [];
  return fieldsOf(config["tools"])
    .filter(([, tool]) => typeof tool["command"] !== "string" || tool["command"].trim() === "")
    .map(([index]) => ({
      path: ["tools", index, "command"],
      message: "The config's 'command' is empty, and this tool does not name a program either",
    }));
}

function checkEnv(env: unknown): Finding[] {
  if (!isFields(env)) return [];
  return Object.keys(env).filter((name) => name === "" || /[=\0]/.test(name)).map((name) => {
    const message = `'${name}' cannot be the name of an environment variable`;
    return { path: ["env", name], message };
  });
}

function checkArg(arg: Fields, path: Path): Finding[] {
  return [...checkRoles(arg, path), ...checkFlag(arg, path), ...checkValues(arg, path)];
}

function checkGlobalArg(arg: Fields, path: Path): Finding[] {
  const roles = ["stdin", "cwd"].filter((role) => arg[role] === true);
  return [
    ...roles.map((role) => ({
      path: [...path, role],
      message: `'${role}' has no meaning for a global argument`,
    })),
    ...checkRoles(arg, path),
    ...checkFlag(arg, path),
  ];
}

function checkRoles(arg: Fields, path: Path): Finding[] {
  const exclusive = ["positional", "stdin", "cwd"].filter((key) => arg[key] === true);
  if (typeof arg["flag"] === "string") exclusive.unshift("flag");
  const [first, ...others] = exclusive;
  const findings: Finding[] = others.map((key) => ({
    path: [...path, key],
    message: `'${key}' contradicts '${first}': an argument has one role`,
  }));
  const role = exclusive.find((key) => key !== "flag");
  if (arg["type"] === "boolean" && role !== undefined) {
    findings.push({
      path: [...path, role],
      message: `'${role}' contradicts 'type: boolean': a boolean is a flag, present or absent`,
    });
  }
  return findings;
}

function checkFlag(arg: Fields, path: Path): Finding[] {
  const { flag } = arg;
  if (typeof flag !== "string") return [];
  const at = [...path, "flag"];
  if (flag.trim() === "") {
    const hint = "Leave 'flag' out for --name-with-dashes, or write 'positional: true'";
    return [{ path: at, message: "'flag' is empty", hint }];
  }
  if (arg["type"] === "boolean" && flag.endsWith("=")) {
    return [{ path: at, message: `'flag': a boolean has no value to join to '${flag}'` }];
  }
  return [];
}

function checkValues(arg: Fields, path: Path): Finding[] {
  const type = arg["type"] ?? "string";
  const values: [Path, unknown][] = [];
  if (arg["default"] !== undefined && arg["default"] !== null) {
    values.push([[...path, "default"], arg["default"]]);
  }
  const allowed = Array.isArray(arg["enum"]) ? arg["enum"] : undefined;
  allowed?.forEach((value, index) => values.push([[...path, "enum", index], value]));

  const findings = values.filter(([, value]) => isScalar(value) && !fits(value, type))
    .map(([at, value]) => unfit(at, value, type));
  const defaultValue = arg["default"];
  if (
    findings.length === 0 && isScalar(defaultValue) && allowed?.includes(defaultValue) === false
  ) {
    findings.push({
      path: [...path, "default"],
      message: `'default': ${describeValue(defaultValue)} is not one of: ${allowed.join(", ")}`,
    });
  }
  return findings;
}

function unfit(path: Path, value: unknown, type: unknown): Finding {
  const message = `${describeValue(value)} does not fit 'type: ${type}'`;
  return type === "string" ? { path, message, hint: "Put the value in quotes" } : { path, message };
}

function fits(value: unknown, type: unknown): boolean {
  switch (type) {
    case "string":
      return typeof value === "string";
    case "integer":
      return Number.isSafeInteger(value);
    case "number":
      return Number.isFinite(value);
    case "boolean":
      return typeof value === "boolean";
    default:
      return true;
  }
}

/** One finding for each entry of `list` whose `name` an earlier one has. */
function duplicates(list: unknown, what: string, path: Path): Finding[] {
  const seen = new Set<unknown>();
  return fieldsOf(list).flatMap(([index, { name }]) => {
    if (typeof name !== "string") return [];
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    return [{ path: [...path, index, "name"], message: `Duplicate ${what} name '${name}'` }];
  });
}

/** The maps in a list, with their positions; nothing when it is no list. */
function fieldsOf(list: unknown): [number, Fields][] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((item, index): [number, Fields][] => isFields(item) ? [[index, item]] : []);
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isScalar(value: unknown): boolean {
  return ["string", "boolean"].includes(typeof value) || Number.isFinite(value);
}
