/** What a person keeps of the results of a tool. */

/** The part of results that an agent gets: a table with `columns`, else a line for each item. */
export interface ResultSelect {
  /** A JSONPath (RFC 9535); absent: the value, or the items of a list. */
  readonly items?: string;
  /** Each a name, and the path of its value in an item; without a path it is a key of the item. */
  readonly columns?: readonly { readonly name: string; readonly path?: string }[];
}
