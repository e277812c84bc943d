/**
 * Divides the bundle of the program into modules: what a server needs, what frequent commands need beside it, and the
 * rest, with each compressed text in a module of its own. A start reads and hashes every byte of the modules that it imports.
 *
 * Esbuild's own splitting makes a module of each set of files that are used together: 380, of which a start
 * needs some 80.
 */

import { packedText } from "./_packed_modules.ts";
import { notBuilt } from "./_problems.ts";
import { type DynamicImport, type Unit, unitsOf } from "./_units.ts";

/**
 * Modules that a server imports when it starts, and with its first call; the static imports of `main.ts` are needed
 * anyway.
 */
const startModules = [
  "init_serve_configs",
  "init_read_config",
  "init_lint",
  "init_audit_log",
  "init_meta_calls",
  "init_tool_index",
  "init_suspended_calls",
  "init_call",
  "init_run_plan",
  "init_orphans",
] as const;

/** Files of the commands that people and scripts run most, and of what they load. */
const commandModules = [
  "src/cli/run_program.ts",
  ...["call", "help", "list", "search", "version"].map((name) => `src/cli/commands/${name}.ts`),
] as const;

/** Names of the first parts, and the modules that each has, by the function that runs one, or by its file. */
type Layers = readonly (readonly [name: string, modules: readonly string[]])[];

const layersOfProgram: Layers = [["core.mjs", startModules], ["commands.mjs", commandModules]];

/** A module of the divided program. */
export interface Part {
  /** Its file name. */
  readonly name: string;
  readonly code: string;
}

/** The number of the first part. Static imports lead to smaller numbers only; those of compressed texts are last. */
const core = 0;

/**
 * Divides `code`, an unminified bundle. The last part, `start.mjs`, has the statements that run the program;
 * `replace` may change one of them.
 *
 * @throws {ClimaxError} when a module of `layers` is not in `code`
 */
export function partsOf(
  code: string,
  replace: (statement: string) => string,
  layers: Layers = layersOfProgram,
): Part[] {
  const program = new Program(unitsOf(code), layers);
  program.assign();
  return program.parts(replace);
}

class Program {
  readonly #units: readonly Unit[];
  readonly #owners = new Map<string, Unit>();
  /** Statements that must be in one module: a module cannot assign to a variable of another one. */
  readonly #groups = new Map<Unit, Set<Unit>>();
  readonly #places = new Map<Unit, number>();
  readonly #roots: readonly Unit[];
  readonly #layers: Layers;
  #start: number;

  constructor(units: readonly Unit[], layers: Layers) {
    this.#layers = layers;
    this.#start = layers.length;
    this.#units = units.filter(({ kind }) => kind !== "ImportDeclaration");
    for (const unit of units) for (const name of unit.declared) this.#owners.set(name, unit);
    for (const unit of this.#units) this.#groups.set(unit, new Set([unit]));
    for (const unit of this.#units) {
      for (const name of unit.assigned) this.#join(unit, name);
      for (const { init, exports } of unit.imports) this.#join(this.#owners.get(init)!, exports);
      this.#join(unit, exportsOf(unit));
    }
    this.#roots = this.#units.filter((unit) => isStatement(unit) && exportsOf(unit) === undefined);
  }

  #join(unit: Unit, name: string | undefined): void {
    const other = name === undefined ? undefined : this.#owners.get(name);
    const [into, from] = [this.#groups.get(unit), other && this.#groups.get(other)];
    if (into === undefined || from === undefined || into === from) return;
    for (const each of from) {
      into.add(each);
      this.#groups.set(each, into);
    }
  }

  /** Gives each statement its part. */
  assign(): void {
    for (const [layer, [, modules]] of this.#layers.entries()) {
      const first = modules.flatMap((name) => [...this.#groups.get(this.#moduleOf(name))!]);
      const all = layer === core ? [...this.#roots, ...first] : first;
      for (const unit of this.#closure(all, (each) => this.#uses(each))) {
        if (!this.#places.has(unit)) this.#places.set(unit, layer);
      }
    }
    const rest = this.#layers.length;
    const users = this.#users();
    const packed = this.#units.filter(({ text }) => new RegExp(packedText).test(text));
    packed.forEach((unit, index) => {
      for (const each of this.#closure([unit], (of) => users.get(of) ?? [])) {
        const place = this.#places.get(each) ?? rest;
        if (place < rest) throw new Error(`A start needs a compressed text: ${unit.declared}`);
        this.#places.set(each, place + (1 << index));
      }
    });
    this.#start = rest + (1 << packed.length);
    for (const unit of this.#units) if (!this.#places.has(unit)) this.#places.set(unit, rest);
    for (const unit of this.#roots) this.#places.set(unit, this.#start);
  }

  #moduleOf(name: string): Unit {
    const owner = this.#owners.get(name) ??
      this.#units.find(({ text }) => text.includes(`"${name}"(`));
    if (owner !== undefined) return owner;
    throw notBuilt(`The bundle has no '${name}'`, "Correct the list of build/_parts.ts");
  }

  #uses(unit: Unit): Unit[] {
    const used = [...unit.used].map((name) => this.#owners.get(name)!);
    return used.filter((each) => this.#groups.has(each));
  }

  #users(): Map<Unit, Unit[]> {
    const users = new Map<Unit, Unit[]>();
    for (const unit of this.#units) {
      for (const used of this.#uses(unit)) users.set(used, [...users.get(used) ?? [], unit]);
    }
    return users;
  }

  /** Everything that is reached from `units`, with all that must be in the same module. */
  #closure(units: readonly Unit[], next: (unit: Unit) => readonly Unit[]): Set<Unit> {
    const found = new Set<Unit>();
    const open = [...units];
    for (let unit = open.pop(); unit !== undefined; unit = open.pop()) {
      if (found.has(unit)) continue;
      found.add(unit);
      open.push(...this.#groups.get(unit)!, ...next(unit));
    }
    return found;
  }

  /** Writes the modules. */
  parts(replace: (statement: string) => string): Part[] {
    const numbers = [...new Set(this.#places.values())].toSorted((a, b) => a - b);
    const names = new Names();
    const written = numbers.map((number) => {
      return [
        number,
        this.#write(number, names, number === this.#start ? replace : undefined),
      ] as const;
    });
    return written.map(([number, code]) => ({
      name: this.#nameOf(number),
      code: `${code}export{${names.exportsOf(number)}};\n`,
    }));
  }

  #nameOf(number: number): string {
    if (number === this.#start) return "start.mjs";
    const rest = this.#layers.length;
    return this.#layers[number]?.[0] ??
      (number === rest ? "rest.mjs" : `packed_${number - rest}.mjs`);
  }

  #write(number: number, names: Names, replace = (statement: string) => statement): string {
    const own = this.#units.filter((unit) => this.#places.get(unit) === number);
    const foreign = new Set<string>();
    const texts = own.map((unit) => {
      for (const name of unit.used) foreign.add(name);
      return replace(this.#withImports(unit, number, foreign, names));
    });
    const head = new Set<string>();
    for (const name of foreign) {
      const owner = this.#owners.get(name)!;
      const place = this.#places.get(owner);
      // Modules of Node.js are in every module that uses them
      if (place === undefined) head.add(owner.text);
      else if (place > number) throw new Error(`${this.#nameOf(number)} needs '${name}' too early`);
      else if (place !== number) head.add(this.#importOf(name, place, names));
    }
    // Deno loads what an import names by a literal before the program starts
    const load = "const importPart = (name) => import(name);";
    return [...head, load, ...texts, ""].join("\n");
  }

  #importOf(name: string, place: number, names: Names): string {
    return `import {${names.exported(name, place)} as ${name}} from "./${this.#nameOf(place)}";`;
  }

  /** The text of `unit` with dynamic imports of other modules; adds the names of earlier ones to `foreign`. */
  #withImports(unit: Unit, number: number, foreign: Set<string>, names: Names): string {
    return unit.imports.toReversed().reduce((text, each) => {
      const place = this.#places.get(this.#owners.get(each.init)!)!;
      if (place > number) {
        return text.slice(0, each.start) + this.#loading(each, place, names) + text.slice(each.end);
      }
      for (const name of [each.init, each.exports]) if (name !== undefined) foreign.add(name);
      return text;
    }, unit.text);
  }

  #loading({ kind, init, exports = "" }: DynamicImport, place: number, names: Names): string {
    const run = `part.${names.exported(init, place)}()`;
    const all = exports && `part.${names.exported(exports, place)}`;
    const value = {
      module: `(${run}, ${all})`,
      CommonJS: `__toESM(${run})`,
      asynchronous: `${run}.then(() => ${all})`,
    }[kind];
    return `importPart("./${this.#nameOf(place)}").then((part) => ${value})`;
  }
}

/** The short names under which modules export. */
class Names {
  readonly #all = new Map<number, Map<string, string>>();

  exported(name: string, place: number): string {
    const known = this.#all.getOrInsertComputed(place, () => new Map());
    return known.getOrInsertComputed(name, () => `$${known.size.toString(36)}`);
  }

  exportsOf(place: number): string {
    const names = this.#all.get(place) ?? new Map<string, string>();
    return [...names].map(([name, short]) => `${name} as ${short}`).join(",");
  }
}

function isStatement({ kind }: Unit): boolean {
  return kind === "ExpressionStatement";
}

/** The object whose exports a statement declares, as esbuild does it. */
function exportsOf({ text }: Unit): string | undefined {
  return /^__export\(([\w$]+),/.exec(text)?.[1];
}
