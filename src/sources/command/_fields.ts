/** Reads values of a document before their shape is checked. */

export type Fields = Readonly<Record<string, unknown>>;

/** The maps in a list, with their positions; none if it is not a list. */
export function fieldsOf(list: unknown): [number, Fields][] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((item, index): [number, Fields][] => isFields(item) ? [[index, item]] : []);
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
