/** Values whose shape is not known: whether one is an object, and what is its own in it. */

/** Whether `value` is an object with names, as a map of JSON or YAML is. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value of `key`, unless `value` inherits it or is no object; `__proto__` is a key like any other. */
export function ownProperty<T>(
  value: Readonly<Record<string, T>> | null | undefined,
  key: string,
): T | undefined;
export function ownProperty(value: unknown, key: string): unknown;
export function ownProperty(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Record<string, unknown>)[key];
}
