/** What a document may hold before its shape is known. */

import { isObject } from "../../text/own_property.ts";

/** A map of whatever values. */
export type Fields = Readonly<Record<string, unknown>>;

/** The maps in a list, with their positions; nothing when it is no list. */
export function fieldsOf(list: unknown): [number, Fields][] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((item, index): [number, Fields][] => isObject(item) ? [[index, item]] : []);
}
