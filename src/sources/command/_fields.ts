/** Reads values of a document before their shape is checked. */

import { isObject } from "../../text/own_property.ts";

/** A map of whatever values. */
export type Fields = Readonly<Record<string, unknown>>;

/** The maps in a list, with their positions; none if it is not a list. */
export function fieldsOf(list: unknown): [number, Fields][] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((item, index): [number, Fields][] => isObject(item) ? [[index, item]] : []);
}
