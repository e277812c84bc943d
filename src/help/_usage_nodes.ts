/** Parses the brackets of usage lines. */

export type Node =
  | { readonly kind: "word"; readonly text: string }
  | {
    readonly kind: "group";
    readonly open: string;
    readonly nodes: readonly Node[];
    readonly text: string;
  };

/** Makes a group; its text has no white space of its own. */
export function groupOf(open: string, nodes: readonly Node[]): Node {
  const text = `${open}${nodes.map((each) => each.text).join(" ")}${pairs[open]}`;
  return { kind: "group", open, nodes, text };
}

const pairs: Readonly<Record<string, string>> = { "[": "]", "{": "}", "(": ")", "<": ">" };

/** Brackets are parsed to this depth; deeper ones stay text. */
const maxDepth = 20;

/** Parses a form of a usage into words and bracketed groups. */
export function parseNodes(text: string): Node[] {
  let at = 0;
  const parseUntil = (close: string | undefined, depth: number): Node[] => {
    const nodes: Node[] = [];
    let word = "";
    const flush = () => {
      if (word !== "") nodes.push({ kind: "word", text: word });
      word = "";
    };
    while (at < text.length) {
      const character = text[at++]!;
      const closing = pairs[character];
      // `--file=<path>` is one word
      if (closing !== undefined && depth < maxDepth && !/[=\w,:-]$/.test(word)) {
        flush();
        const inner = parseUntil(closing, depth + 1);
        nodes.push(groupOf(character, inner));
      } else if (closing !== undefined && word !== "") {
        const end = text.indexOf(closing, at);
        const stop = end === -1 ? text.length : end + 1;
        word += character + text.slice(at, stop);
        at = stop;
      } else if (character === close) {
        break;
      } else if (/\s/.test(character)) {
        flush();
      } else {
        word += character;
      }
    }
    flush();
    return nodes;
  };
  return parseUntil(undefined, 0);
}

/** Splits nodes at the bars between them. */
export function alternativesOf(nodes: readonly Node[]): Node[][] {
  const parts: Node[][] = [[]];
  for (const node of nodes) {
    if (node.kind === "word" && node.text === "|") parts.push([]);
    else parts.at(-1)!.push(node);
  }
  return parts;
}

/** Returns whether a node is an option, or a group that begins with one. */
export function startsWithDash(node: Node): boolean {
  if (node.kind === "word") return node.text.startsWith("-");
  const [first] = node.nodes;
  return first !== undefined && startsWithDash(first) && first.text !== "--";
}
