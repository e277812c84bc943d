/** Parses JSON and locates the fault of a text that is not JSON. */

import { messageOf } from "../errors.ts";
import type { JsonFault } from "./json_errors.ts";

export async function parseJson(
  text: string,
): Promise<{ readonly value: unknown } | { readonly fault: JsonFault }> {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { fault: await faultOf(text) ?? { offset: 0, message: messageOf(error) } };
  }
}

async function faultOf(text: string): Promise<JsonFault | undefined> {
  const { jsonFault } = await import("./json_errors.ts");
  try {
    return jsonFault(text);
  } catch {
    return undefined;
  }
}
