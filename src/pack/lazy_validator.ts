/**
 * A bundle whose start does not load Ajv. The MCP SDK makes one for each server, to check what a
 * client answers to a question; it takes a seventh of a start to load, and servers are seldom asked.
 */

/** A module in an unminified bundle, with the name of the function that runs it. */
const ajvModule = /^var (init_ajvProvider\w*) = __esm\(\{[^]*?^\}\);$/gm;

/** The class it defines. */
const validatorClass = /\b(AjvJsonSchemaValidator\d*) = class\b/;

/** `code`, an unminified bundle, with Ajv put off until something is to be checked by it. */
export function lazyValidator(code: string): string {
  const lazy = code.matchAll(ajvModule).reduce((lazy, [module, init]) => {
    const name = validatorClass.exec(module)?.[1];
    if (name === undefined) return lazy;
    // Nobody but the default below looks at the class
    const eager = new RegExp(`^( *)${init}\\(\\);$`, "gm");
    const uses = new RegExp(`\\?\\? new ${name}\\(\\)`, "g");
    return lazy.replace(eager, "$1;").replace(
      uses,
      `?? { getValidator: (schema) => (${init}(), new ${name}().getValidator(schema)) }`,
    );
  }, code);
  return lazy;
}
