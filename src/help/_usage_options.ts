/**
 * Reads options of programs whose only help is a usage line, as BSD's: `[-46AaC] [-c config]`. It has no
 * descriptions.
 */

import { type OptionHead, readOptionHead } from "./_option_head.ts";
import { type Node, parseNodes, textOf } from "./_usage_nodes.ts";

/** The options in the brackets of `form`. */
export function optionsIn(form: string): OptionHead[] {
  return parseNodes(form).flatMap((node) => {
    return node.kind === "group" && node.open === "[" ? optionsOf(node.nodes) : [];
  });
}

function optionsOf(nodes: readonly Node[]): OptionHead[] {
  return alternativesOf(nodes).flatMap(([first, ...rest]) => {
    if (first?.kind !== "word" || !/^-{1,2}[A-Za-z0-9@#]/.test(first.text)) return [];
    const letters = lettersOf(first.text);
    if (letters !== undefined && rest.length === 0) {
      return letters.map((letter) => switchOf(letter));
    }
    // Words behind the value belong to another option
    const value = rest.length > 0 && !textOf(rest[0]!).startsWith("[-")
      ? ` ${textOf(rest[0]!)}`
      : "";
    return readOptionHead(first.text + value) ?? [];
  });
}

/** Splits nodes at bars. */
function alternativesOf(nodes: readonly Node[]): Node[][] {
  const parts: Node[][] = [[]];
  for (const node of nodes) {
    if (node.kind === "word" && node.text === "|") parts.push([]);
    else parts.at(-1)!.push(node);
  }
  return parts;
}

/** `-46AaC` is six options; `-force` is one. */
function lettersOf(word: string): string[] | undefined {
  const [, letters] = /^-([A-Za-z0-9@#]{2,})$/.exec(word) ?? [];
  if (letters === undefined || new Set(letters).size < letters.length) return undefined;
  return /[A-Z0-9]/.test(letters) || !/[aeiou]/.test(letters) ? [...letters] : undefined;
}

function switchOf(letter: string): OptionHead {
  return { names: [`-${letter}`], negations: [], repeated: false, joined: false, prose: "" };
}
