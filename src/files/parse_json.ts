/** JSON, or where and why a text is none. */

import { messageOf } from "../errors.ts";
import type { JsonFault } from "./json_errors.ts";

/** The value of a JSON text, or the fault of it. */
export async function parseJson(
  text: string,
): Promise<{ readonly value: unknown } | { readonly fault: JsonFault }> {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { fault: await faultOf(text) ?? { offset: 0, message: messageOf(error) } };
  }
}

/** Nothing where it has more levels than can be read. */
async function faultOf(text: string): Promise<JsonFault | undefined> {
  const { jsonFault } = await import("./json_errors.ts");
  try {
    return jsonFault(text);
  } catch {
    return undefined;
  }
}
