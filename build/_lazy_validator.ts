/**
 * Defers loading Ajv in a bundle. The MCP SDK creates one for each server, to check a client's answer to a
 * question; loading takes a seventh of a start, and most servers never ask.
 */

import { notBuilt } from "./_problems.ts";

/** A module in an unminified bundle, with the name of the function that runs it. */
const ajvModule = /^var (init_ajvProvider\w*) = __esm\(\{[^]*?^\}\);$/gm;

/** The class it defines. */
const validatorClass = /\b(AjvJsonSchemaValidator\d*) = class\b/;

interface Provider {
  /** The source text of its module in the bundle. */
  readonly module: string;
  /** The function that runs the module. */
  readonly init: string;
  /** The class it defines. */
  readonly name: string;
}

/**
 * Defers Ajv in `code`, an unminified bundle, until the first check. Both halves of the SDK bring the same
 * one: the first serves both, and the other is removed.
 *
 * @throws {ClimaxError} when there is none, or its uses are not as expected
 */
export function lazyValidator(code: string): string {
  const found = code.matchAll(ajvModule).flatMap(([module, init]): Provider[] => {
    const name = validatorClass.exec(module)?.[1];
    return name === undefined ? [] : [{ module, init: init!, name }];
  }).toArray();
  const [first] = found;
  if (first === undefined) throw notBuilt("The bundle has no module of the SDK with Ajv");
  return found.reduce((lazy, provider) => {
    const put = putOff(lazy, provider, first);
    return provider === first ? put : without(put, provider);
  }, code);
}

/** Defers the uses of one provider, and replaces it with `other`. */
function putOff(code: string, { init, name }: Provider, other: Provider): string {
  // Only the default below uses the class
  const eager = new RegExp(`^( *)${init}\\(\\);$`, "gm");
  const uses = new RegExp(`\\?\\? new ${name}\\(\\)`, "g");
  const later = `(${other.init}(), new ${other.name}().getValidator(schema))`;
  for (const use of [eager, uses]) {
    if (!use.test(code)) throw notBuilt(`The bundle does not contain ${use}, which loads Ajv`);
  }
  return code.replace(eager, "$1;").replace(uses, `?? { getValidator: (schema) => ${later} }`);
}

/** Removes the module of a provider from `code`, unless something else runs it. */
function without(code: string, { module, init }: Provider): string {
  const rest = code.replace(module, () => "");
  return new RegExp(`\\b${init}\\b`).test(rest) ? code : rest;
}
