/** Reads the statements of a bundle that esbuild wrote, and what they have to do with each other. */

import { type AnyNode, parse, type Pattern } from "acorn";

/** A statement at the top of a bundle. */
export interface Unit {
  readonly text: string;
  readonly kind: AnyNode["type"];
  readonly declared: readonly string[];
  /** Names at the top of the bundle that it uses, those of dynamic imports left out. */
  readonly used: ReadonlySet<string>;
  readonly assigned: ReadonlySet<string>;
  readonly imports: readonly DynamicImport[];
}

/** `import("…")` of a module in the bundle. */
export interface DynamicImport {
  /** Its place in the text of the statement. */
  readonly start: number;
  readonly end: number;
  readonly kind: ModuleKind;
  /** The function that runs the module. */
  readonly init: string;
  /** The object with its exports; none of CommonJS, whose function returns it. */
  readonly exports?: string;
}

/** Reads `code`, an unminified bundle: no name of an inner scope is one of the top. */
export function unitsOf(code: string): Unit[] {
  const { body } = parse(code, { ecmaVersion: "latest", sourceType: "module" });
  const units = body.map((node) => new Reader(code, node).read());
  const top = new Set(units.flatMap(({ declared }) => declared));
  return units.map((unit) => ({ ...unit, used: unit.used.intersection(top) }));
}

class Reader {
  readonly #code: string;
  readonly #node: AnyNode;
  readonly #used = new Set<string>();
  readonly #assigned = new Set<string>();
  readonly #imports: DynamicImport[] = [];

  constructor(code: string, node: AnyNode) {
    this.#code = code;
    this.#node = node;
  }

  read(): Unit {
    const kind = this.#node.type;
    if (kind !== "ImportDeclaration") this.#visit(this.#node);
    return {
      text: this.#textOf(this.#node),
      kind,
      declared: declaredBy(this.#node),
      used: this.#used,
      assigned: this.#assigned,
      imports: this.#imports,
    };
  }

  #textOf({ start, end }: AnyNode): string {
    return this.#code.slice(start, end);
  }

  #visit(node: AnyNode): void {
    const imported = this.#dynamicImport(node);
    if (imported !== undefined) {
      this.#imports.push(imported);
      if (imported.kind === "CommonJS") this.#used.add("__toESM");
      return;
    }
    if (node.type === "Identifier") this.#used.add(node.name);
    for (const pattern of assignedBy(node)) this.#assigned.add(pattern);
    for (const child of childrenOf(node)) this.#visit(child);
  }

  #dynamicImport(node: AnyNode): DynamicImport | undefined {
    if (node.type !== "CallExpression" || node.callee.type !== "MemberExpression") return undefined;
    if (node.callee.property.type !== "Identifier" || node.callee.property.name !== "then") return;
    const text = this.#textOf(node);
    const form = forms.find(({ pattern }) => pattern.test(text));
    if (form === undefined) return undefined;
    const { init, exports } = form.pattern.exec(text)!.groups as Record<string, string>;
    const place = { start: node.start - this.#node.start, end: node.end - this.#node.start };
    return {
      ...place,
      kind: form.kind,
      init: init!,
      ...(exports === undefined ? {} : { exports }),
    };
  }
}

/** The kinds of modules that are imported. */
type ModuleKind = "module" | "CommonJS" | "asynchronous";

/** How esbuild writes a dynamic import of each kind. */
const forms: readonly {
  readonly kind: ModuleKind;
  readonly pattern: RegExp;
}[] = [
  {
    kind: "module",
    pattern: /^Promise\.resolve\(\)\.then\(\(\) => \((?<init>[\w$]+)\(\), (?<exports>[\w$]+)\)\)$/,
  },
  {
    kind: "CommonJS",
    pattern: /^Promise\.resolve\(\)\.then\(\(\) => __toESM\((?<init>[\w$]+)\(\)\)\)$/,
  },
  {
    kind: "asynchronous",
    pattern: /^(?<init>[\w$]+)\(\)\.then\(\(\) => (?<exports>[\w$]+)\)$/,
  },
];

/** The names that a statement at the top declares. */
function declaredBy(node: AnyNode): string[] {
  switch (node.type) {
    case "ImportDeclaration":
      return node.specifiers.map(({ local }) => local.name);
    case "FunctionDeclaration":
    case "ClassDeclaration":
      return node.id === null ? [] : [node.id.name];
    case "VariableDeclaration":
      return node.declarations.flatMap(({ id }) => namesIn(id));
    default:
      return [];
  }
}

function assignedBy(node: AnyNode): string[] {
  switch (node.type) {
    case "AssignmentExpression":
      return namesIn(node.left);
    case "UpdateExpression":
      return node.argument.type === "Identifier" ? [node.argument.name] : [];
    case "ForInStatement":
    case "ForOfStatement":
      return node.left.type === "VariableDeclaration" ? [] : namesIn(node.left);
    default:
      return [];
  }
}

function namesIn(pattern: Pattern): string[] {
  switch (pattern.type) {
    case "Identifier":
      return [pattern.name];
    case "ObjectPattern":
      return pattern.properties.flatMap((each) => {
        return namesIn(each.type === "Property" ? each.value : each.argument);
      });
    case "ArrayPattern":
      return pattern.elements.flatMap((each) => each === null ? [] : namesIn(each));
    case "AssignmentPattern":
      return namesIn(pattern.left);
    case "RestElement":
      return namesIn(pattern.argument);
    case "MemberExpression":
      return [];
  }
}

/** The nodes in `node`, without names that are those of properties and labels. */
function childrenOf(node: AnyNode): AnyNode[] {
  const named = node as { readonly computed?: boolean };
  return Object.entries(node).flatMap(([key, value]) => {
    if ((key === "property" || key === "key") && named.computed === false) return [];
    if (key === "label") return [];
    return (Array.isArray(value) ? value : [value]).filter(isNode);
  });
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}
