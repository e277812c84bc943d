/** Where things stand in JSON as editors write it, comments and last commas included. */

/** A value and where it stands. */
export interface JsonNode {
  readonly start: number;
  /** Behind its last character. */
  readonly end: number;
  /** Absent where it is no object. */
  readonly properties?: readonly JsonProperty[];
}

/** A property of an object. */
export interface JsonProperty {
  readonly key: string;
  readonly start: number;
  readonly value: JsonNode;
  /** Where the comma behind it stands, if there is one. */
  readonly comma?: number;
}

/** Levels that a file may have. */
const maxDepth = 100;

/** The value that `text` is; nothing where there is none. @throws {SyntaxError} when it is no JSON */
export function scanJson(text: string): JsonNode | undefined {
  const start = skipTrivia(text, 0);
  if (start === text.length) return undefined;
  const node = scanValue(text, start, 0);
  if (skipTrivia(text, node.end) !== text.length) throw unexpected(text, node.end);
  return node;
}

/** The first place from `at` on that is neither space nor comment. */
function skipTrivia(text: string, at: number): number {
  const trivia = /(?:[\s\ufeff]|\/\/[^\r\n]*|\/\*[^]*?\*\/)*/y;
  trivia.lastIndex = at;
  trivia.exec(text);
  return trivia.lastIndex;
}

function scanValue(text: string, start: number, depth: number): JsonNode {
  if (depth > maxDepth) throw new SyntaxError(`more than ${maxDepth} levels`);
  if (text[start] === "{") return scanObject(text, start, depth);
  if (text[start] === "[") return scanArray(text, start, depth);
  const scalar = /"(?:[^"\\\r\n]|\\.)*"|-?\d[\d.eE+-]*|true|false|null/y;
  scalar.lastIndex = start;
  if (!scalar.test(text)) throw unexpected(text, start);
  return { start, end: scalar.lastIndex };
}

function scanObject(text: string, start: number, depth: number): JsonNode {
  const properties: JsonProperty[] = [];
  let at = skipTrivia(text, start + 1);
  while (text[at] !== "}") {
    const key = scanValue(text, at, depth + 1);
    if (text[at] !== '"') throw unexpected(text, at);
    const colon = skipTrivia(text, key.end);
    if (text[colon] !== ":") throw unexpected(text, colon);
    const value = scanValue(text, skipTrivia(text, colon + 1), depth + 1);
    const next = skipTrivia(text, value.end);
    const name = JSON.parse(text.slice(at, key.end));
    const property = { key: name, start: at, value };
    if (text[next] !== "," && text[next] !== "}") throw unexpected(text, next);
    const hasComma = text[next] === ",";
    properties.push(hasComma ? { ...property, comma: next } : property);
    at = hasComma ? skipTrivia(text, next + 1) : next;
  }
  return { start, end: at + 1, properties };
}

function scanArray(text: string, start: number, depth: number): JsonNode {
  let at = skipTrivia(text, start + 1);
  while (text[at] !== "]") {
    at = skipTrivia(text, scanValue(text, at, depth + 1).end);
    if (text[at] !== "," && text[at] !== "]") throw unexpected(text, at);
    if (text[at] === ",") at = skipTrivia(text, at + 1);
  }
  return { start, end: at + 1 };
}

function unexpected(text: string, at: number): SyntaxError {
  const line = text.slice(0, at).split("\n").length;
  const found = at < text.length ? `'${text[at]}'` : "the end of the file";
  return new SyntaxError(`line ${line}: unexpected ${found}`);
}
