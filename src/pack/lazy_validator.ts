/**
 * A bundle whose start does not load Ajv. The MCP SDK makes one for each server, to check what a
 * client answers to a question; it takes a seventh of a start to load, and servers are seldom asked.
 */

/** A module in an unminified bundle, with the name of the function that runs it. */
const ajvModule = /^var (init_ajvProvider\w*) = __esm\(\{[^]*?^\}\);$/gm;

/** The class it defines. */
const validatorClass = /\b(AjvJsonSchemaValidator\d*) = class\b/;

interface Provider {
  /** Its module as it stands in the bundle. */
  readonly module: string;
  /** The function that runs the module. */
  readonly init: string;
  /** The class it defines. */
  readonly name: string;
}

/**
 * `code`, an unminified bundle, with Ajv put off until something is to be checked by it. The halves of
 * the SDK bring one each, the same: the first serves both, and the other is left out.
 */
export function lazyValidator(code: string): string {
  const found = code.matchAll(ajvModule).flatMap(([module, init]): Provider[] => {
    const name = validatorClass.exec(module)?.[1];
    return name === undefined ? [] : [{ module, init: init!, name }];
  }).toArray();
  const [first] = found;
  return found.reduce((lazy, provider) => {
    const put = putOff(lazy, provider, first!);
    return provider === first ? put : without(put, provider);
  }, code);
}

/** `code` with the uses of one provider put off, and done by `other`. */
function putOff(code: string, { init, name }: Provider, other: Provider): string {
  // Nobody but the default below looks at the class
  const eager = new RegExp(`^( *)${init}\\(\\);$`, "gm");
  const uses = new RegExp(`\\?\\? new ${name}\\(\\)`, "g");
  const later = `(${other.init}(), new ${other.name}().getValidator(schema))`;
  return code.replace(eager, "$1;").replace(uses, `?? { getValidator: (schema) => ${later} }`);
}

/** `code` without the module of a provider, unless something else runs it. */
function without(code: string, { module, init }: Provider): string {
  const rest = code.replace(module, () => "");
  return new RegExp(`\\b${init}\\b`).test(rest) ? code : rest;
}
