/** A line of somebody's configuration as it may be shown: what looks like a credential is `***`. */

import { isLiteral, namesCredential, secretParts } from "../sources/upstream/credentials.ts";

/** `line`, whose credentials are told by their names or by their shapes, masked. */
export function maskedLine(line: string): string {
  const named = line.replace(
    /(["']?)([\w-]+)\1(\s*[:=]\s*)("(?:[^"\\]|\\.)*"|'[^']*')/g,
    (found, quote: string, name: string, between: string, value: string) => {
      const isSecret = namesCredential(name) && isLiteral(value.slice(1, -1));
      return isSecret ? `${quote}${name}${quote}${between}${value[0]}***${value[0]}` : found;
    },
  );
  // A string alone: behind it, a quote is no part of a credential
  return named.replace(/[^"']+/g, (text) => {
    return secretParts(text).reduce((left, part) => left.replaceAll(part, "***"), text);
  });
}
