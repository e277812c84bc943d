/** Describes the keys of executors and sandboxes; see `_schema_words.ts`. */

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

/** The keys of an executor. */
export const executorWords = {
  ...sandboxWords,
  type: [
    "Where programs run: this machine, a sandbox on it, a container, a pod, or another machine",
    {
      otherwise: "local",
    },
  ],
  image: ["The image of the containers", { example: "debian:12" }],
  volumes: ["What the containers see of this machine", { example: ["./work:/work:ro"] }],
  working_dir: ["The directory there", { example: "/work" }],
  network: "The network of the containers; none or host for a sandbox",
  namespace: "The namespace of the pods; absent: kubectl's",
  context: "The context of kubectl; absent: its own",
  service_account: "What the pods may do in the cluster",
  limits: ["The most that a pod may use", { example: { cpu: "500m", memory: "256Mi" } }],
  host: ["The machine that ssh reaches", { example: "tools@build.example.org" }],
  port: "The port of ssh",
  identity: "The key of ssh, and no other",
  config: "The configuration of ssh",
  sandbox: "Refused: run climax with --sandbox on that machine instead",
} as const;
