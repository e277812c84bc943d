/** The arguments of a tool as the JSON Schema that agents are shown. */

import type { Arg, ObjectSchema, Tool } from "./tool.ts";

/** The schema of a tool's arguments: its own, or what its `args` come to. */
export function inputSchema({ input, args }: Pick<Tool, "input" | "args">): ObjectSchema {
  return input ?? argsSchema(args);
}

/** The schema that arguments come to. */
export interface ArgsSchema extends ObjectSchema {
  readonly properties: Readonly<Record<string, ArgSchema>>;
}

/** The schema of one argument. */
export type ArgSchema = Readonly<Pick<Arg, "default" | "enum">> & {
  readonly type?: string;
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
    ...(arg.type === "json" ? {} : { type: arg.type }),
    ...(arg.description === "" ? {} : { description: arg.description }),
    ...(arg.enum === undefined ? {} : { enum: arg.enum }),
    ...(arg.default === undefined ? {} : { default: arg.default }),
  };
}
