/** Formats a call as an agent writes it, for texts that suggest the next call. */

type Args = Readonly<Record<string, string | number>>;

/** `output_read {"id": "k1", "from_line": 3}` */
export function formatCall(tool: string, args: Args): string {
  return `${tool} {${formatArguments(args)}}`;
}

/** `"id": "k1", "from_line": 3` */
export function formatArguments(args: Args): string {
  const pairs = Object.entries(args).map((pair) => {
    return pair.map((part) => JSON.stringify(part)).join(": ");
  });
  return pairs.join(", ");
}
