/** The arguments of a tool as the JSON Schema that agents are shown. */

import type { Arg } from "./tool.ts";

/** A JSON Schema (draft 2020-12) for an object of arguments. */
export interface ArgsSchema {
  readonly type: "object";
  readonly properties: Readonly<Record<string, ArgSchema>>;
  readonly required?: readonly string[];
}

/** The schema of one argument. */
export type ArgSchema = Readonly<Pick<Arg, "type" | "default" | "enum">> & {
  readonly description?: string;
};

/** The schema of `args`; `required` is left out when nothing is. */
export function argsSchema(args: readonly Arg[]): ArgsSchema {
  const properties = Object.fromEntries(args.map((arg) => [arg.name, argSchema(arg)]));
  const required = args.filter((arg) => arg.required).map((arg) => arg.name);
  return required.length === 0
    ? { type: "object", properties }
    : { type: "object", properties, required };
}

function argSchema(arg: Arg): ArgSchema {
  return {
    type: arg.type,
    ...(arg.description === "" ? {} : { description: arg.description }),
    ...(arg.enum === undefined ? {} : { enum: arg.enum }),
    ...(arg.default === undefined ? {} : { default: arg.default }),
  };
}
