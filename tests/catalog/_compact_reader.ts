/**
 * What the scripted agent makes of a search result: a reader of its own for both formats, which shares no
 * code with what writes them.
 */

/** What is known of what an argument may be. */
export interface Kind {
  /** `string`, `integer`, `number`, `boolean`, `array` or `any`. */
  readonly type: string;
  readonly values?: readonly unknown[];
  /** Of a number, or of the items of a list. */
  readonly min?: number;
  readonly max?: number;
  readonly items?: Kind;
}

/** What is known of an argument. */
export interface KnownArgument extends Kind {
  readonly isRequired: boolean;
}

/** What is known of a tool. */
export interface KnownTool {
  readonly name: string;
  readonly args: ReadonlyMap<string, KnownArgument>;
  /** Whether the answer says that there is more to know. */
  readonly isCut: boolean;
}

/** The tools of an answer in JSON that have their schema: of the contract, or a whole one in the others. */
export function readJson(text: string): KnownTool[] {
  return entriesOf(text).filter(({ input_schema }) => input_schema !== undefined).map(readEntry);
}

function entriesOf(text: string): Entry[] {
  const answer = JSON.parse(text);
  return answer.results ?? [answer];
}

/** The tools of a compact answer, the names on its last line, and the limit that it says shows more. */
export function readLines(text: string) {
  const tools: KnownTool[] = [];
  let limit: number | undefined;
  let others: string[] = [];
  for (const line of text.split("\n")) {
    const more = /^… \d+ more with limit (\d+)$/.exec(line);
    if (more !== null) limit = Number(more[1]);
    else if (line.startsWith("… also ")) others = line.slice("… also ".length).split(", ");
    else if (line.includes("(")) tools.push(readSignature(line));
  }
  return { tools, others, limit };
}

interface Entry {
  readonly tool_name: string;
  readonly input_schema: {
    readonly properties?: Readonly<Record<string, JsonSchema>>;
    readonly required?: readonly string[];
  };
}

interface JsonSchema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: JsonSchema;
}

function readEntry({ tool_name: name, input_schema }: Entry): KnownTool {
  const { properties = {}, required = [] } = input_schema;
  const args = Object.entries(properties).map(([arg, schema]) => {
    return [arg, { ...kindOf(schema), isRequired: required.includes(arg) }] as const;
  });
  return { name, args: new Map(args), isCut: false };
}

function kindOf({ type = "any", enum: values, items, ...schema }: JsonSchema): Kind {
  const min = schema.minimum ?? schema.minItems;
  const max = schema.maximum ?? schema.maxItems;
  return {
    type,
    ...(values === undefined ? {} : { values }),
    ...(min === undefined ? {} : { min }),
    ...(max === undefined ? {} : { max }),
    ...(items === undefined ? {} : { items: kindOf(items) }),
  };
}

/** `name(a, b?: integer 1..9, c: x|y = "x") effect: …` */
export function readSignature(line: string): KnownTool {
  const open = line.indexOf("(");
  const parts = partsOf(line.slice(open + 1), ", ", ")");
  const args = parts.filter((part) => part !== "" && part !== "…").map(readArgument);
  const isCut = parts.some((part) => partsOf(part, "…").length > 1);
  return { name: line.slice(0, open), args: new Map(args), isCut };
}

function readArgument(text: string): [name: string, argument: KnownArgument] {
  const [head, preset] = partsOf(text, " = ") as [string, string | undefined];
  const [marked, type = "string"] = partsOf(head, ": ") as [string, string | undefined];
  const isMarked = marked.endsWith("?");
  const name = isMarked ? marked.slice(0, -1) : marked;
  const isRequired = !isMarked && preset === undefined;
  return [name.startsWith('"') ? JSON.parse(name) : name, { ...readKind(type), isRequired }];
}

function readKind(text: string): Kind {
  const range = /^(.*?) ?(-?[\d.]*\d)?\.\.(-?[\d.]*\d)?$/.exec(text);
  const [type, low, high] = range === null ? [text] : range.slice(1);
  const bounds = {
    ...(low === undefined ? {} : { min: Number(low) }),
    ...(high === undefined ? {} : { max: Number(high) }),
  };
  const list = /^(.*)\[\]$/.exec(type!)?.[1];
  if (list !== undefined) {
    const items = readKind(list.startsWith("(") ? list.slice(1, -1) : list);
    return { type: "array", items, ...bounds };
  }
  const name = type === "" ? "string" : type!;
  if (/^(string|integer|number|boolean|any|object)$/.test(name)) return { type: name, ...bounds };
  const values = partsOf(name, "|").map((word) => word.startsWith('"') ? JSON.parse(word) : word);
  return { type: "string", values };
}

/** `text` up to `end`, parted at `separator` where that is neither quoted nor within brackets. */
function partsOf(text: string, separator: string, end?: string): string[] {
  const parts: string[] = [];
  let from = 0;
  let depth = 0;
  let at = 0;
  for (; at < text.length; at++) {
    const character = text[at]!;
    if (depth === 0 && character === end) break;
    if (depth === 0 && text.startsWith(separator, at)) {
      parts.push(text.slice(from, at));
      at += separator.length - 1;
      from = at + 1;
    } else if (character === '"') {
      for (at++; text[at] !== '"' && at < text.length; at++) if (text[at] === "\\") at++;
    } else if ("([{".includes(character)) depth++;
    else if (")]}".includes(character)) depth--;
  }
  return [...parts, text.slice(from, at)];
}
