/** Describes the keys of a sandbox; see `_schema_words.ts`. */

/** The keys of a sandbox, which an executor and the rule of a tool have. */
export const sandboxWords = {
  write: ["In a sandbox: what programs may write, in addition to a temporary folder", {
    otherwise: ["."],
  }],
  read: [
    "In a sandbox: what they may read in addition to the system and 'write'; / is all that is not hidden",
    {
      otherwise: ["/"],
    },
  ],
  hide: ["In a sandbox: what they do not see, in addition to keys and credentials", {
    example: ["secrets"],
  }],
  env: ["In a sandbox: variables that they may inherit in addition to PATH, HOME and such", {
    example: ["CARGO_HOME"],
  }],
} as const;

/** The key of a config and of its tools, and what is in it. */
export const sandboxRequest =
  "In a config that comes with climax: what its programs need of a sandbox";

export const sandboxRequestWords = {
  write: ["What they write, relative to the directory of a call", { example: [".git"] }],
  read: "What they read although it is hidden",
  env: "Variables that they need",
  network: "host: they need the network",
} as const;
