/** Formats the keys of climax's files as a page, from the JSON Schemas made from their readers. */

import { commandGroups } from "../src/cli/commands.ts";
import { jsonSchema } from "../src/setup/json_schemas.ts";
import { schemaNames } from "../src/setup/json_schemas.ts";

/** The part of a JSON Schema that is shown. */
interface Schema {
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

const head = `# Reference

All commands, and every key of a [config](configs.md), a [policy](policy.md) and a project's file (\`climax.json\`, see
[servers](servers.md)), made from what reads them by \`deno task write\`. A name in capitals is any name;
\`[]\` is each item of a list. Editors have the same from \`climax schema config|policy|project\`.

## Commands

\`climax COMMAND --help\` has options and examples. Name configs as words (\`climax stats git\`), in front of \`--\`
(\`climax search git -- undo a commit\`; \`call\`, \`eval\` and \`policy explain\` too), or with \`--config CONFIG\`. With no config
and no \`--mcp\` file, commands that take configs use \`CLIMAX_CONFIG\`; \`climax\` alone prints help. If that is unset too,
\`search\`, \`call\`, \`stats\`, \`eval\`, \`ui\` and \`policy explain\` use all bundled configs and your own, and \`list\` lists the configs.

Exit codes: 0 done, 1 refused, failed or nothing found, 2 wrong usage, 3 a file is wrong or missing, 4 internal error, 5 it is a server of itself, 130 ended by Ctrl-C, 143 by SIGTERM, 129 by a hangup; servers and log --follow end with 0 then.

`;

/** The commands by their headings, as `climax help --all` has them. */
const commandList = commandGroups.entries().map(([heading, entries]) => {
  const rows = entries.flatMap(({ name, summary }) => {
    return summary === undefined ? [] : [`  ${name.padEnd(14)}  ${summary}`];
  });
  return [`${heading}:`, ...rows].join("\n");
}).toArray().join("\n");

/** The whole page. */
export function referencePage(): string {
  const parts = schemaNames.map((name) => {
    const schema = jsonSchema(name) as Schema;
    const rows = onlyOnce(rowsOf(schema, "")).map((cells) =>
      `| ${cells.map(inCell).join(" | ")} |`
    );
    return `\n## ${schema.title ?? name}\n\n| key | value | meaning |\n|---|---|---|\n${
      rows.join("\n")
    }\n`;
  });
  return `${head}\`\`\`text\n${commandList}\n\`\`\`\n${parts.join("")}`;
}

/** Keys whose own keys have no rows where they are those of another key. */
const again = [
  ["tools[].sandbox", "tools[].sandbox.", "sandbox."],
] as const;

function onlyOnce(rows: readonly string[][]): readonly string[][] {
  return again.reduce((left, [key, path, other]) => {
    const [own, others] = [path, other].map((start) => {
      return rows.filter(([each]) => each!.startsWith(`\`${start}`))
        .map(([each, ...rest]) => [each!.slice(start.length + 1), ...rest].join());
    });
    if (own!.length === 0 || own!.join("\n") !== others!.join("\n")) return left;
    return left.filter(([each]) => !each!.startsWith(`\`${path}`)).map((row) => {
      if (row[0] !== `\`${key}\``) return row;
      return [row[0], row[1]!, `${row[2]}; its keys are those of \`${other.slice(0, -1)}\``];
    });
  }, rows);
}

function rowsOf(schema: Schema, path: string): string[][] {
  const variants = variantsOf(schema);
  const seen = new Set<string>();
  return variants.flatMap((each) => [
    ...Object.entries(each.properties ?? {}).flatMap(([key, inner]) => {
      const at = path === "" ? key : `${path}.${key}`;
      if (seen.has(at)) return [];
      seen.add(at);
      const isRequired = each.required?.includes(key) ?? false;
      const about = `${isRequired ? "Required. " : ""}${inner.description ?? ""}`;
      return [[`\`${at}\``, typeOf(inner), about], ...rowsOf(inner, at)];
    }),
    ...(typeof each.additionalProperties === "object"
      ? rowsOf(each.additionalProperties, `${path}.NAME`)
      : []),
    ...(each.items === undefined ? [] : rowsOf(each.items, `${path}[]`)),
  ]);
}

/** A schema and its alternatives, at any depth. */
function variantsOf(schema: Schema): Schema[] {
  return [schema, ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap(variantsOf)];
}

function typeOf(schema: Schema): string {
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum !== undefined) {
    return schema.enum.filter((value) => value !== null).map((value) => `\`${value}\``).join(", ");
  }
  const variants = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  if (variants.length > 0) return [...new Set(variants.map(typeOf))].filter(Boolean).join(" or ");
  if (schema.items !== undefined) return `list of ${typeOf(schema.items) || "values"}`;
  const types = [schema.type ?? []].flat().filter((type) => type !== "null");
  const preset = schema.default === undefined
    ? ""
    : `, default \`${JSON.stringify(schema.default)}\``;
  return `${types.map((type) => type === "object" ? "map" : type).join(" or ")}${preset}`;
}

function inCell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll(/\s+/g, " ").trim();
}
