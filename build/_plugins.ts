/**
 * Plugins of esbuild for the bundle of the program: a start reads and runs less of it, since what few functions use is
 * made or loaded on first use. Each fails where the file that it replaces is no longer there.
 */

import { builtinModules } from "node:module";
import { basename } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { parse } from "acorn";
import {
  build,
  type BuildOptions,
  type OnLoadResult,
  type Plugin,
  type PluginBuild,
} from "esbuild";
import { builtConfig } from "./_compiled_configs.ts";

/** A plugin that replaces the contents of the files whose paths match `filter`, of which there must be one. */
function replacing(
  name: string,
  filter: RegExp,
  load: (path: string, options: BuildOptions) => OnLoadResult | Promise<OnLoadResult>,
): Plugin {
  return {
    name,
    setup({ initialOptions, onLoad, onEnd }) {
      let isUsed = false;
      onLoad({ filter }, async ({ path }) => {
        isUsed = true;
        return await load(path, initialOptions);
      });
      onEnd(() => isUsed ? {} : { errors: [{ text: `No module has the path ${filter}` }] });
    },
  };
}

/** Adds the module `id` with `contents`. */
function addModule({ onResolve, onLoad }: PluginBuild, id: string, contents: string): void {
  const filter = new RegExp(`^${id}$`);
  onResolve({ filter }, () => ({ path: id, namespace: "climax" }));
  onLoad({ filter, namespace: "climax" }, () => ({ contents }));
}

/** Modules of Node.js that every start uses, or that load in no time after one of these. */
const loadedBuiltins = new Set(["buffer", "events", "path", "path/posix", "url", "util"]);

/** Stands for a module of Node.js whose exports are `keys`. Esbuild asks for `__esModule` when it imports it. */
const lazyBuiltin = `module.exports = (id, keys) => {
  let value;
  const all = () => value ??= process.getBuiltinModule(id);
  return new Proxy(function () {}, {
    apply: (_, self, args) => Reflect.apply(all(), self, args),
    construct: (_, args, target) => Reflect.construct(all(), args, target),
    get: (_, key) => key === "__esModule" ? undefined : all()[key],
    set: (_, key, one) => Reflect.set(all(), key, one),
    has: (_, key) => key in all(),
    ownKeys: () => ["prototype", ...keys],
    getOwnPropertyDescriptor: (own, key) => Reflect.getOwnPropertyDescriptor(own, key) ??
      { enumerable: true, configurable: true },
  });
};`;

/**
 * Stands for the module with `createRequire`: the result loads modules of Node.js and no others. A bundle contains all
 * it needs, and a package found beside it may come from anyone: the folder of a binary counts as one in the folder for
 * temporary files.
 */
const ownRequire = `exports.createRequire = () => (id) => {
  const all = process.getBuiltinModule(id);
  if (all === undefined) throw new Error("Not in this bundle: " + id);
  return all;
};`;

/**
 * Defers loading the modules of Node.js that only some functions use. Every start would load Deno's `crypto`, `http`
 * and the like, which takes half of the start, for functions that most servers never call.
 */
export const lazyBuiltins: Plugin = {
  name: "lazy builtins",
  setup(build) {
    const { onResolve, onLoad } = build;
    addModule(build, "climax:builtin", lazyBuiltin);
    const names = new Set(builtinModules);
    onResolve({ filter: /^(?:node:)?[\w/]+$/ }, ({ path, kind }) => {
      const id = path.replace(/^node:/, "");
      if (id === path && !names.has(id)) return undefined;
      const isEager = loadedBuiltins.has(id) && kind === "import-statement";
      return isEager ? { path: `node:${id}`, external: true } : { path: id, namespace: "node" };
    });
    onLoad({ filter: /./, namespace: "node" }, async ({ path }) => {
      if (path === "process") return { contents: "module.exports = process;" };
      if (path === "module") return { contents: ownRequire };
      const id = JSON.stringify(`node:${path}`);
      const keys = Object.keys(await import(`node:${path}`)).filter((key) => key !== "default");
      const load = loadedBuiltins.has(path)
        ? `process.getBuiltinModule(${id})`
        : `require("climax:builtin")(${id}, ${JSON.stringify(keys)})`;
      return { contents: `module.exports = ${load};` };
    });
  },
};

/** Stands for a schema that is made when it is first used. */
const lazySchema = `export const lazySchema = (make) => {
  let made;
  const schema = () => made ??= make();
  return new Proxy({}, {
    get(_, key) {
      const one = schema()[key];
      return typeof one === "function" && key !== "constructor" ? one.bind(schema()) : one;
    },
    set: (_, key, one) => Reflect.set(schema(), key, one),
    has: (_, key) => key in schema(),
    getPrototypeOf: () => Object.getPrototypeOf(schema()),
  });
};`;

/**
 * Defers making the schemas of the MCP SDK. It makes some two hundred when it is loaded, which takes a sixth of a
 * start, and a server uses a tenth of them until its first call.
 */
export const lazySchemas: Plugin = {
  name: "lazy schemas",
  setup(build) {
    addModule(build, "climax:schema", lazySchema);
    const files = /[\\/]@modelcontextprotocol[\\/]core[\\/]dist[\\/](?:schemas|auth)-[^\\/]+\.mjs$/;
    return replacing("", files, async (path) => {
      return { contents: withLazySchemas(await Deno.readTextFile(path)) };
    }).setup(build);
  },
};

/** Wraps the value of each constant at the top of `code` that is named as a schema. */
export function withLazySchemas(code: string): string {
  const { body } = parse(code, { ecmaVersion: "latest", sourceType: "module" });
  const values = body.flatMap((node) => {
    return node.type === "VariableDeclaration" ? node.declarations : [];
  }).flatMap(({ id, init }) => {
    const isSchema = id.type === "Identifier" && /Schema$/.test(id.name);
    return isSchema && init?.type === "CallExpression" ? [init] : [];
  });
  const lazy = values.toReversed().reduce((text, { start, end }) => {
    return `${text.slice(0, start)}lazySchema(() => ${text.slice(start, end)})${text.slice(end)}`;
  }, code);
  return `import { lazySchema } from "climax:schema";\n${lazy}`;
}

/**
 * Defers loading Ajv, which the MCP SDK makes for each server to check a client's answer to a question. Loading takes a
 * seventh of a start, and most servers never ask. Both halves of the SDK bring the same one, of which one is left.
 */
export const lazyValidator: Plugin = replacing(
  "lazy validator",
  /[\\/]@modelcontextprotocol[\\/](?:client|server)[\\/]dist[\\/]shimsNode\.mjs$/,
  () => ({
    resolveDir: import.meta.dirname!,
    contents: `export { default as process } from "node:process";
      export const CORS_IS_POSSIBLE = false;
      export class DefaultJsonSchemaValidator {
        getValidator(schema) {
          const { AjvJsonSchemaValidator } = require("@modelcontextprotocol/server/validators/ajv");
          return new AjvJsonSchemaValidator().getValidator(schema);
        }
      }`,
  }),
);

/** The libraries for language models. */
const libraries: readonly string[] = [
  ...["ai", "@ai-sdk/amazon-bedrock", "@ai-sdk/anthropic", "@ai-sdk/google", "@ai-sdk/openai"],
  ...["@aws-sdk/credential-provider-node", "@openrouter/ai-sdk-provider"],
];

/**
 * Compresses the libraries for language models. They are a third of the code, which every start would read, and are
 * used only with a model, which takes a thousand times as long as decompressing them.
 */
export const packedLibraries: Plugin = {
  name: "packed libraries",
  setup({ initialOptions, onResolve, onLoad }) {
    onResolve({ filter: new RegExp(`^(?:${libraries.join("|")})$`) }, ({ path }) => {
      return { path, namespace: "library" };
    });
    onLoad({ filter: /./, namespace: "library" }, ({ path }) => {
      return {
        contents: `module.exports = require("climax:libraries")[${JSON.stringify(path)}]();`,
      };
    });
    onResolve({ filter: /^climax:libraries$/ }, ({ path }) => ({ path, namespace: "libraries" }));
    onLoad({ filter: /./, namespace: "libraries" }, async () => {
      const loads = libraries.map((id) => `exports["${id}"] = () => require("${id}");`);
      const code = await bundleInside({
        ...initialOptions,
        entryPoints: [],
        stdin: { contents: loads.join("\n"), resolveDir: import.meta.dirname! },
        format: "cjs",
        // They are written as modules, and "require" would take what they have for others
        conditions: ["import", "deno"],
        define: { "import.meta.url": '"file:///"' },
      });
      return {
        contents: `const code = ${unpacking(code)}.toString();
          new Function("exports", code)(exports);`,
      };
    });
  },
};

/** The modules in the sources that locate the code of a thread, each with that code. */
const threads: readonly (readonly [locates: RegExp, entry: string])[] = [
  [/[\\/]src[\\/]worker[\\/]_worker_code\.ts$/, "_worker.ts"],
  [/[\\/]src[\\/]sources[\\/]scripts[\\/]_thread_code\.ts$/, "_thread.ts"],
];

/**
 * Compresses the code of each kind of thread: a worker loads a URL, and there is no second file beside a bundle. A
 * worker with a bounded heap loads no blob URL.
 */
export const packedThreads: Plugin = {
  name: "packed threads",
  setup(build) {
    for (const [locates, entry] of threads) {
      const plugin = replacing(entry, locates, async (path, options) => {
        const code = await bundleInside({
          ...options,
          entryPoints: [path.replace(/[^\\/]+$/, entry)],
        });
        return {
          contents: `let url;
            export const threadUrl = () => url ??= "data:text/javascript;base64," +
              ${unpacking(code)}.toString("base64");`,
        };
      });
      plugin.setup(build);
    }
  },
};

/** Puts JSON with the text and the parsed value in the place of each bundled config's YAML. */
export const builtConfigs: Plugin = {
  name: "built configs",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]configs[\\/][\w-]+\.yaml$/ }, async ({ path }) => {
      const contents = await builtConfig(basename(path, ".yaml"), await Deno.readTextFile(path));
      return { contents, loader: "text" };
    });
  },
};

/** Bundles a part of a bundle, without what stands in front of the program. */
async function bundleInside({ banner: _, ...options }: BuildOptions): Promise<string> {
  const { outputFiles } = await build({ ...options, plugins: [lazyBuiltins] });
  return outputFiles![0]!.text;
}

/** Returns an expression for the bytes of `text`, which it has compressed. */
function unpacking(text: string): string {
  // The highest level takes twenty times as long for a tenth less
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
  const base64 = brotliCompressSync(text, { params }).toString("base64");
  return `process.getBuiltinModule("node:zlib").brotliDecompressSync(` +
    `Uint8Array.fromBase64("${base64}"))`;
}
