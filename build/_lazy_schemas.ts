/**
 * Defers making the schemas of the MCP SDK in a bundle. It makes some two hundred when it is loaded, which
 * takes a sixth of a start, and a server uses a tenth of them until its first call.
 */

import { notBuilt } from "./_problems.ts";

/** The beginning of a module of the SDK in an unminified bundle, and its end. */
const sdkModule = /^ {2}"[^"\n]*\/@modelcontextprotocol\/core\/[^"\n]*"\(\) \{$/;
const moduleEnd = "});";

/** The assignment of a schema, whose statement ends with the next `;` of the same indentation. */
const assignment = /^ {4}([A-Z]\w*Schema) = (?=[\w.]+\()(.*)$/;
const statementEnd = /^ {4}\S.*;$/;

/**
 * Stands for a schema that is made when it is first used. Names that no module has: a bundle is divided by
 * its names.
 */
const helper = `var lazySchema = ($make) => {
  let $made;
  const $schema = () => $made ??= $make();
  return new Proxy({}, {
    get(_$, $key) {
      const $one = $schema()[$key];
      return typeof $one === "function" && $key !== "constructor" ? $one.bind($schema()) : $one;
    },
    set(_$, $key, $one) { $schema()[$key] = $one; return true; },
    has: (_$, $key) => $key in $schema(),
    getPrototypeOf: () => Object.getPrototypeOf($schema())
  });
};
`;

/** Schemas that the SDK has at least. */
const minSchemas = 150;

/** Defers the schemas in `code`, an unminified bundle. @throws {ClimaxError} when it has too few */
export function lazySchemas(code: string, min = minSchemas): string {
  const lines = code.split("\n");
  const lazy: string[] = [];
  let isSdk = false;
  let count = 0;
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index]!;
    isSdk = sdkModule.test(line) || isSdk && line !== moduleEnd;
    const [, name, value] = (isSdk ? assignment.exec(line) : null) ?? [];
    if (name === undefined) {
      lazy.push(line);
      continue;
    }
    count++;
    const start = index;
    while (!statementEnd.test(lines[index]!)) index++;
    const rest = lines.slice(start + 1, index + 1);
    const made = [value, ...rest].join("\n").slice(0, -";".length);
    lazy.push(`    ${name} = lazySchema(() => ${made});`);
  }
  if (count < min) throw notBuilt(`The bundle has ${count} schemas of the MCP SDK, not ${min}`);
  return helper + lazy.join("\n");
}
