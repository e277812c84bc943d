/** Parses a usage line into words and nested brackets. */

/** A token, or the content of brackets. */
export type Node =
  | { readonly kind: "word"; readonly text: string }
  | { readonly kind: "group"; readonly open: string; readonly nodes: readonly Node[] };

/** The source text of a node, white space aside. */
export function textOf(node: Node): string {
  if (node.kind === "word") return node.text;
  const close = { "[": "]", "{": "}", "(": ")", "<": ">" }[node.open] ?? "";
  return `${node.open}${node.nodes.map(textOf).join(" ")}${close}`;
}

const pairs: Readonly<Record<string, string>> = { "[": "]", "{": "}", "(": ")", "<": ">" };

/** Deepest nesting that is parsed; deeper brackets stay text. */
const maxDepth = 20;

/** Parses a form. */
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
      if (closing !== undefined && depth < maxDepth && !/[=\w-]$/.test(word)) {
        flush();
        const inner = parseUntil(closing, depth + 1);
        nodes.push({ kind: "group", open: character, nodes: inner });
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
