/**
 * A bundle whose start does not load the parts of Node.js that only some of its functions use.
 *
 * Imports are hoisted out of the modules they stood in, so in a bundle they cost every start what
 * Deno's implementations of `fs`, `child_process` and `process` take to load, a sixth of it, and the
 * functions that use them (commander's external commands, the SDK's own stdio, what asks AWS for keys)
 * are never called.
 */

/** `import NAME from "node:…"`, and the `createRequire` that the bundler adds. */
const imports =
  /import ?(?:([\w$]+) ?|\{ ?createRequire as ([\w$]+) ?\} ?)from ?"(node:(?:child_process|fs(?:\/promises)?|https?|http2|module|os|process))";/g;

/** Stands for a module that is loaded when one of its properties is touched. */
const lazyModule =
  `(id=>{let all;const load=()=>all??=process.getBuiltinModule(id);return new Proxy({},{` +
  `get(_,key){const value=load()[key];return typeof value==="function"?value.bind(all):value},` +
  `set(_,key,value){load()[key]=value;return true},has:(_,key)=>key in load()})})`;

/** Stands for `createRequire`: what it makes loads `node:module` when it is called. */
const lazyRequire =
  `(url=>{let all;return id=>(all??=process.getBuiltinModule("node:module").createRequire(url))(id)})`;

/** `code`, which Deno's bundler made, with those imports put off until they are used. */
export function lazyBuiltins(code: string): string {
  return code.replace(imports, (_, name, createRequire, id) => {
    return createRequire === undefined
      ? `const ${name}=${lazyModule}("${id}");`
      : `const ${createRequire}=${lazyRequire};`;
  });
}
