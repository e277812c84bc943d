/** Reads what a config for CLImax 0.5, which is written in Python, means otherwise. */

import type { Finding, Translation } from "../../files/finding.ts";
import { listNames } from "../../text/excerpt.ts";
import { isObject } from "../../text/own_property.ts";

/** Reads tools without a `risk` as reading, if others have one. No lookup of `resolve` is made. */
export function configOfOriginal(value: unknown): Translation {
  const notes: Finding[] = [];
  if (!isObject(value) || !Array.isArray(value["tools"])) return { value, notes };
  const tools: readonly unknown[] = value["tools"];
  const without = (key: string) => tools.filter((tool) => (Object(tool)[key] ?? null) === null);
  const [safe, plain] = [without("risk"), without("effect")];
  // A config with `effect` is written for climax
  const isOurs = value["effect"] !== undefined || plain.length < tools.length;
  const isMarked = !isOurs && safe.length > 0 && safe.length < tools.length;
  if (isMarked) {
    const names = listNames(safe.map((tool) => String(Object(tool)["name"])), 10);
    const message = `Tools without 'risk' only read, as in CLImax 0.5: ${names}`;
    const hint = "Give each that changes something its 'risk'";
    notes.push({ path: ["tools", tools.indexOf(safe[0])], message, hint });
  }
  const translated = tools.map((tool, at) => {
    if (!isObject(tool)) return tool;
    const { resolve, ...others } = isMarked && safe.includes(tool)
      ? { ...tool, risk: "read" }
      : tool;
    if (!isObject(resolve)) return resolve === undefined ? others : tool;
    const message = "'resolve' is not used: the question shows no names that are looked up";
    const hint = "'confirm_with' shows what other words after the program print";
    notes.push({ path: ["tools", at, "resolve"], message, hint });
    const question = String(others["confirm_message"] ?? "").replaceAll(
      / ?\{(\w+)\}/g,
      (word, name) => {
        return Object.hasOwn(resolve, name) ? "" : word;
      },
    );
    return { ...others, confirm_message: question.replaceAll(" ()", "") };
  });
  return { value: { ...value, tools: translated }, notes };
}
