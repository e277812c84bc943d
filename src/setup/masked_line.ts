/** Masks a line of a configuration: what looks like a credential becomes `***`. */

import { isLiteral, namesCredential, secretParts } from "../sources/upstream/credentials.ts";

/** Masks the credentials in `line`, which have a typical name or form. */
export function maskLine(line: string): string {
  const named = line.replace(
    /(["']?)([\w-]+)\1(\s*[:=]\s*)("(?:[^"\\]|\\.)*"|'[^']*')/g,
    (found, quote: string, name: string, between: string, value: string) => {
      const isSecret = namesCredential(name) && isLiteral(value.slice(1, -1));
      return isSecret ? `${quote}${name}${quote}${between}${value[0]}***${value[0]}` : found;
    },
  );
  // For a string alone: a quote behind it is not part of a credential
  return named.replace(/[^"']+/g, (text) => {
    return secretParts(text).reduce((left, part) => left.replaceAll(part, "***"), text);
  });
}
