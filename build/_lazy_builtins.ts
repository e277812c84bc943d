/**
 * Defers loading the parts of Node.js that only some functions of a bundle use.
 *
 * A bundle hoists imports out of their modules, so every start would load Deno's `crypto`, `http` and the
 * like, which takes half of the start, for functions that most servers never call. The first use of a
 * deferred module costs more than loading it at the start, since it searches all of Node.js.
 */

import { notBuilt } from "./_problems.ts";

/** Modules that every start uses, or that load in no time after one of these. */
const loaded = new Set(["buffer", "events", "path", "path/posix", "url", "util"]);

/** An import in a bundle. */
const statement = /(?<=^|[;}\n])import ?([^;"'`()]*?) ?from ?"node:([\w/]+)";/g;

/** One name of an import: `a`, `a as b`, `* as b`, or the default. */
const clause = /\* ?as ([\w$]+)|([\w$]+) as ([\w$]+)|([\w$]+)/g;

/** Stands for a module, or one of its exports, that is loaded on first use. */
const lazyValue = `(load=>{let value;const all=()=>value??=load();return new Proxy(function(){},{` +
  `apply:(_,self,args)=>Reflect.apply(all(),self,args),` +
  `construct:(_,args,target)=>Reflect.construct(all(),args,target),` +
  `get(_,key){const one=all()[key];return typeof one==="function"?one.bind(all()):one},` +
  `set(_,key,one){all()[key]=one;return true},has:(_,key)=>key in all()})})`;

/**
 * Stands for `createRequire`: the result loads modules of Node.js and no others. A bundle contains all it
 * needs, and a package found beside it may come from anyone: the folder of a binary counts as one in the
 * folder for temporary files. `ws` works without the two packages that it tries to load.
 */
const lazyRequire = `(()=>id=>{const all=process.getBuiltinModule(id);` +
  `if(all===undefined)throw new Error("Not in this bundle: "+id);return all})`;

/** What an import that was overlooked looks like: a static one, of a module that a start does not load. */
const eager = /(?:^|[;}\n])import[^;"'`()]*["']node:([\w/]+)["']/g;

/** Defers those imports in `code`, a bundle of Deno's. @throws {ClimaxError} when an import is left */
export function lazyBuiltins(code: string): string {
  const lazy = code.replace(statement, (whole: string, names: string, id: string) => {
    if (loaded.has(id)) return whole;
    const declarations = names.matchAll(clause).map(([, all, name, local, own]) => {
      if (name === "createRequire") return `${local}=${lazyRequire}`;
      // A name in braces is the export's name; one without them the default, which is the module
      const key = name ?? (names.includes("{") ? own : undefined);
      const property = key === undefined ? "" : `.${key}`;
      return `${
        all ?? local ?? own
      }=${lazyValue}(()=>process.getBuiltinModule("node:${id}")${property})`;
    });
    return `const ${declarations.toArray().join(",")};`;
  });
  const left = lazy.matchAll(eager).map(([, id]) => id!).filter((id) => !loaded.has(id)).toArray();
  if (left.length > 0) throw notBuilt(`The bundle imports when it starts: ${left.join(", ")}`);
  return lazy;
}
