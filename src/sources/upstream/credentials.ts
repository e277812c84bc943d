/** Finds credentials in configs: values of names such as `token`, and texts in the format of a known key. */

import type { Finding, Path } from "../../files/finding.ts";

const keyShapes: readonly RegExp[] = [
  /\bsk-[A-Za-z0-9_-]{16,}/, // Anthropic, OpenAI, OpenRouter
  /\bgh[pousr]_[A-Za-z0-9]{20,}/,
  /\bgithub_pat_[A-Za-z0-9_]{20,}/,
  /\bglpat-[A-Za-z0-9_-]{16,}/,
  /\bxox[abeprs]-[A-Za-z0-9-]{10,}/,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/,
  /\bAIza[0-9A-Za-z_-]{30,}/,
  /\bya29\.[0-9A-Za-z_-]{20,}/,
  /\b(?:hf|gsk|npm|ntn|secret|figd|lin_api|dop_v1|pat)_[A-Za-z0-9_-]{20,}/,
  /\b(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,}/,
  /\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/,
  /(?<![\w-])(?=[\w-]*\beyJ)[\w-]{13,}\.[\w-]{10,}\.[\w-]*/, // JSON Web Token
  /-----BEGIN [A-Z ]*PRIVATE KEY/,
  /:\/\/[^\s/:@]+:(?!\$)[^\s/@]+@/,
];

/** Matches the ends of names of credentials. `key` counts only after some words, as in `api_key`. */
const secretWord =
  /(?:^|_)(?:token|secret|password|passwd|passphrase|pwd|credentials?|authorization|bearer|pat)$/;
const secretKey = /(?:^|_)(?:api|access|auth|private|secret|service|signing|account)_?key$/;

export function namesCredential(name: string): boolean {
  const words = name.replace(/([a-z0-9])([A-Z])/g, "$1_$2").replace(/[^A-Za-z0-9]+/g, "_")
    .replace(/^_+/, "").toLowerCase();
  return secretWord.test(words) || secretKey.test(words) || words === "cookie";
}

export function isCredential(text: string): boolean {
  return keyShapes.some((shape) => shape.test(text)) || secretParameters(text).length > 0;
}

function secretParameters(text: string): { name: string; value: string }[] {
  return [...text.matchAll(/[?&]([\w.-]+)=([^&#\s]+)/g)]
    .map(([, name, value]) => ({ name: name!, value: value! }))
    .filter(({ name, value }) => namesCredential(name) && isLiteral(value));
}

export function secretParts(text: string): string[] {
  return [
    ...keyShapes.flatMap((shape) => shape.exec(text)?.[0] ?? []),
    ...secretParameters(text).map(({ value }) => value),
  ];
}

/** Returns whether `text`, the value of a name such as `token`, is the credential itself and no reference to it. */
export function isLiteral(text: string): boolean {
  const rest = text.replace(/\$\{[^{}]*\}|\$[A-Za-z_]\w*/g, "").replace(
    /^(?:Bearer|Basic|Token)\b/i,
    "",
  );
  return rest.trim() !== "" && !/^(?:~|\.{0,2})[/\\].*\.\w{1,6}$/.test(rest);
}

export function findCredentials(value: unknown, path: Path = []): Path[] {
  if (typeof value === "string") return isCredential(value) ? [path] : [];
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => {
      const at = [...path, index];
      const named = isLiteralOption(item) ||
        (isOption(value[index - 1]) && isLiteral(String(item)));
      return named ? [at] : findCredentials(item, at);
    });
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const at = [...path, key];
    const named = typeof inner === "string" && namesCredential(key) && isLiteral(inner);
    return named ? [at] : findCredentials(inner, at);
  });
}

export function checkCredentials(value: unknown, at: Path = []): Finding[] {
  return findCredentials(value, at).map((path) => ({
    path,
    message: `'${path.join(".")}' looks like a credential, which does not belong in this file`,
    hint: 'Set an environment variable and refer to it: "$NAME"',
  }));
}

function isOption(item: unknown): boolean {
  return typeof item === "string" && /^--?[A-Za-z][\w-]*$/.test(item) && namesCredential(item);
}

function isLiteralOption(item: unknown): boolean {
  const parts = typeof item === "string" ? /^-{0,2}([A-Za-z][\w-]*)[=:](.+)$/s.exec(item) : null;
  return parts !== null && namesCredential(parts[1]!) && isLiteral(parts[2]!.trimStart());
}
