/** Reads values from data of unknown shape, and writes data as JSON that is the same for equal data. */

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the value of a key that `value` itself has; `undefined` for inherited keys, and if `value` is no object. */
export function ownProperty<T>(
  value: Readonly<Record<string, T>> | null | undefined,
  key: string,
): T | undefined;
export function ownProperty(value: unknown, key: string): unknown;
export function ownProperty(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Record<string, unknown>)[key];
}

/** Returns the properties of `value` that are neither null nor undefined. */
export function present<T extends object>(value: T): { [Key in keyof T]?: NonNullable<T[Key]> } {
  const entries = Object.entries(value).filter(([, each]) => each !== undefined && each !== null);
  return Object.fromEntries(entries) as { [Key in keyof T]?: NonNullable<T[Key]> };
}

/** Formats `value` as JSON with the keys of every object in one order, so that equal values give equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inner) => {
    if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => a < b ? -1 : 1));
  });
}

type Defined<T> =
  & { readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K] }
  & { readonly [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined> };

/** Returns `value` without its members that are `undefined`. */
export function withoutUndefined<T extends object>(value: T): Defined<T> {
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(entries) as Defined<T>;
}
