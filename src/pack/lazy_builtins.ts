/**
 * A bundle whose start does not load the parts of Node.js that only some of its functions use.
 *
 * Imports are hoisted out of the modules they stood in, so in a bundle they cost every start what
 * Deno's implementations of `crypto`, `http` and the like take to load, half of it, for functions
 * that most servers never call. What the first of them costs when it is used is more than it would
 * have cost at the start, since all of Node.js is looked through then.
 */

/** Modules that every start uses, or that are loaded in no time once one of these is. */
const loaded = new Set(["buffer", "events", "path", "path/posix", "url", "util"]);

/** An import of a bundle. */
const statement = /(?<=^|[;}\n])import ?([^;"'`()]*?) ?from ?"node:([\w/]+)";/g;

/** One name of an import: `a`, `a as b`, `* as b`, or the default. */
const clause = /\* ?as ([\w$]+)|([\w$]+) as ([\w$]+)|([\w$]+)/g;

/** Stands for a module, or for something in it, that is loaded when it is used in any way. */
const lazyValue = `(load=>{let value;const all=()=>value??=load();return new Proxy(function(){},{` +
  `apply:(_,self,args)=>Reflect.apply(all(),self,args),` +
  `construct:(_,args,target)=>Reflect.construct(all(),args,target),` +
  `get(_,key){const one=all()[key];return typeof one==="function"?one.bind(all()):one},` +
  `set(_,key,one){all()[key]=one;return true},has:(_,key)=>key in all()})})`;

/**
 * Stands for `createRequire`: what it makes loads modules of Node.js, and no others. A bundle has all it
 * needs inside, and a package that is looked for beside it may be anybody's: the folder of a binary
 * counts as one in the folder for temporary files. `ws` does without the two that it tries to load.
 */
const lazyRequire = `(()=>id=>{const all=process.getBuiltinModule(id);` +
  `if(all===undefined)throw new Error("Not in this bundle: "+id);return all})`;

/** `code`, which Deno's bundler made, with those imports put off until they are used. */
export function lazyBuiltins(code: string): string {
  return code.replace(statement, (whole: string, names: string, id: string) => {
    if (loaded.has(id)) return whole;
    const declarations = names.matchAll(clause).map(([, all, name, local, own]) => {
      if (name === "createRequire") return `${local}=${lazyRequire}`;
      // A name in braces means itself; one without them the default, which is the module
      const key = name ?? (names.includes("{") ? own : undefined);
      const property = key === undefined ? "" : `.${key}`;
      return `${
        all ?? local ?? own
      }=${lazyValue}(()=>process.getBuiltinModule("node:${id}")${property})`;
    });
    return `const ${declarations.toArray().join(",")};`;
  });
}
