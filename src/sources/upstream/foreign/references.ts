/** Translates the references in other clients' files to those of climax; what a client takes literally stays literal. */

import { basename, isAbsolute, relative, resolve, sep } from "node:path";
import { escapeReferences, homeVariable } from "../../../files/expand.ts";
import { optionalVariable, systemPath } from "../../../io.ts";
import type { Dialect } from "./dialects.ts";

const references =
  /(\$*)(\$\{\{.*?\}\}|\$\{[^{}]*\}|\$\{(?=\w+:-)|\$[A-Za-z_]\w*)|\{(?:env|file):[^{}]*\}/g;

/**
 * Returns what translates texts of a server that runs in `cwd`; `root` is the folder of its project, if it has one. It
 * collects the references that climax does not know, and sentences on those that it may take otherwise.
 */
export function translatorOf({ grammar }: Dialect, root: string | undefined, cwd?: string) {
  const unknown: string[] = [];
  const warnings = new Set<string>();
  const knows = (kind: Dialect["grammar"][number]) => grammar.includes(kind);
  const workspace = root === undefined ? undefined : seenFrom(root, cwd);
  const known: Readonly<Record<string, string | undefined>> = {
    ...{ workspaceFolder: workspace, CLAUDE_PROJECT_DIR: workspace },
    workspaceFolderBasename: root && basename(resolve(systemPath(root))),
    ...{ userHome: `\${${homeVariable}}`, pathSeparator: sep, "/": sep },
  };

  function inBraces(inner: string): string | undefined {
    const [, kind, name = ""] = /^(env|input):(.*)$/s.exec(inner) ?? [];
    if (kind === "env" && /^[A-Za-z_]\w*$/.test(name)) return `\${${name}}`;
    if (knows("editor") && Object.hasOwn(known, inner)) return known[inner];
    if (knows("editor") && kind === "input") {
      // Without a beginning of its own, a question named `path` would be filled in from PATH
      const variable = variableName(`input_${name}`);
      warnings.add(`'\${${inner}}' is a question of the client; climax takes $${variable} instead`);
      return `\${${variable}}`;
    }
    const isName = knows("braces") ? /^[A-Za-z_]\w*(?::-[^$]*)?$/ : /^[A-Z_][A-Z0-9_]*$/;
    return isName.test(inner) && !knows("opencode") ? `\${${inner}}` : undefined;
  }

  function one(reference: string): string | undefined {
    if (knows("literal")) return escapeReferences(reference);
    if (knows("doubtful")) return undefined;
    const [, env] = /^\{env:([A-Za-z_]\w*)\}$/.exec(reference) ?? [];
    if (!reference.startsWith("$")) return knows("opencode") && env ? `\${${env}}` : undefined;
    const [, inner] = /^\$\{(.*)\}$/s.exec(reference) ?? [];
    if (inner !== undefined) return inBraces(inner);
    if (reference === "${") return undefined;
    if (knows("own")) return reference;
    if (!knows("names")) return escapeReferences(reference);
    if (optionalVariable(reference.slice(1)) === undefined) {
      warnings.add(`'${reference}' is no variable that is set; climax takes it for one`);
    }
    return reference;
  }

  /** With `expandsHome`, a leading `~` is the home folder, as in a path to start or to run in. */
  function translate(text: string, expandsHome = false): string {
    if (knows("literal") && !expandsHome) return escapeReferences(text);
    const translated = text.replace(references, (whole, dollars = "", reference = whole) => {
      const known = one(reference);
      if (known === undefined) unknown.push(reference);
      return (knows("own") ? dollars : dollars.repeat(2)) + (known ?? reference);
    });
    const isLiteral = !expandsHome && !knows("own") && /^~(?=$|[/\\])/.test(text);
    return isLiteral ? `$${translated}` : translated;
  }

  return { translate, unknown, warnings };
}

/** Returns the path of `root` for a program that runs in `cwd`. */
function seenFrom(root: string, cwd: string | undefined): string {
  if (cwd === undefined || isAbsolute(root)) return root;
  const isFar = /^[$~]/.test(cwd) || isAbsolute(cwd);
  return isFar ? resolve(systemPath(root)) : relative(cwd, root) || ".";
}

/** Makes a name of a variable from the words of `text`. */
export function variableName(text: string): string {
  const words = text.replace(/([a-z0-9])([A-Z])/g, "$1_$2").replace(/[^A-Za-z0-9]+/g, "_");
  const name = words.replace(/^_|_$/g, "").toUpperCase();
  return /^[A-Z]/.test(name) ? name : `MCP_${name}`;
}
