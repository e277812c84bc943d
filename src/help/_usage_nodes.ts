/** Parses a usage line of a help text into words and groups in brackets. */

export type Node =
  | { readonly kind: "word"; readonly text: string }
  | {
    readonly kind: "group";
    readonly open: string;
    readonly nodes: readonly Node[];
    readonly text: string;
  };

export function groupOf(open: string, nodes: readonly Node[]): Node {
  const text = `${open}${nodes.map((each) => each.text).join(" ")}${pairs[open]}`;
  return { kind: "group", open, nodes, text };
}

const pairs: Readonly<Record<string, string>> = { "[": "]", "{": "}", "(": ")", "<": ">" };

const maxDepth = 20;

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
      if (closing !== undefined && depth < maxDepth && !/[=\w,:-]$/.test(word)) {
        flush();
        const inner = parseUntil(closing, depth + 1);
        nodes.push(groupOf(character, inner));
      } else if (closing !== undefined && word !== "") {
        word += character;
        for (let open = 1; open > 0 && at < text.length; at++) {
          open += text[at] === character ? 1 : text[at] === closing ? -1 : 0;
          word += text[at];
        }
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

export function alternativesOf(nodes: readonly Node[]): Node[][] {
  const parts: Node[][] = [[]];
  for (const node of nodes) {
    if (node.kind === "word" && node.text === "|") parts.push([]);
    else parts.at(-1)!.push(node);
  }
  return parts;
}

export function startsWithDash(node: Node): boolean {
  if (node.kind === "word") return node.text.startsWith("-");
  const [first] = node.nodes;
  return first !== undefined && startsWithDash(first) && first.text !== "--";
}

/** In `-e CODE | CODE`, the option and the argument exclude each other, so both become optional: `[-e CODE] [CODE]`. */
export function partOptions(nodes: readonly Node[]): Node[] {
  const out: Node[] = [];
  for (let at = 0; at < nodes.length; at++) {
    out.push(...partGroup(nodes[at]!));
    if (nodes[at + 1]?.text !== "|") continue;
    const left = out.slice(optionStart(out));
    const [first, next] = nodes.slice(at + 2);
    const takesNext = first !== undefined && isOption(first) && next?.kind === "word" &&
      !/^(?:-|\||\.+$)/.test(next.text);
    const right = nodes.slice(at + 2, at + (takesNext ? 4 : 3));
    if (!areMixed([left, right])) continue;
    out.splice(out.length - left.length, left.length, ...optional(left), ...optional(right));
    at += 1 + right.length;
  }
  return out;
}

function partGroup(node: Node): Node[] {
  if (node.kind === "word" || node.open === "<") return [node];
  const isNest = node.text.startsWith("[[") && isOption(node.nodes[0]!) &&
    node.nodes.some((each) => each.kind === "word" && /^\w/.test(each.text));
  if (isNest) return node.nodes.flatMap((each) => optional([each]));
  const parts = alternativesOf(node.nodes);
  if (!areMixed(parts)) return [node];
  return parts.flatMap((part) =>
    isOption(part[0]!) ? optional(part) : part.flatMap((each) => optional([each]))
  );
}

function areMixed(parts: readonly (readonly Node[])[]): boolean {
  const options = parts.filter(([first]) => first !== undefined && isOption(first));
  const others = parts.filter((part) => !options.includes(part) && part[0]?.text !== "-");
  const values = options.flat().flatMap(({ text }) => text.split(/[\s[\](){}=]+/));
  const haveValues = options.length > 1 && options.every((part) => part.length > 1);
  return options.length > 0 && others.length > 0 && others.every(([first]) =>
    first !== undefined &&
    (haveValues || /^[A-Z<]/.test(first.text) || values.includes(first.text))
  );
}

const isOption = (node: Node) => node.text !== "-" && startsWithDash(node);

function optionStart(nodes: readonly Node[]): number {
  const last = nodes.length - 1;
  const before = nodes[last - 1];
  const hasOption = before !== undefined && isOption(before) && !isOption(nodes[last]!) &&
    (before.text[0] !== "[" || /^\.+$/.test(nodes[last]!.text));
  return hasOption ? last - 1 : last;
}

function optional(nodes: readonly Node[]): Node[] {
  return nodes[0]!.text[0] === "[" ? [...nodes] : [groupOf("[", nodes)];
}
