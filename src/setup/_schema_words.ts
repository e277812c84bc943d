/** Describes each key of climax's files in one sentence, for editors. `docs/` says more. */

interface KeyWords {
  readonly says: string;
  readonly example?: unknown;
  /** The value that counts when the key is absent. */
  readonly otherwise?: unknown;
}

type Keys = Readonly<
  Record<string, string | readonly [says: string, more: Omit<KeyWords, "says">]>
>;

const env = ["Variables added to the program's environment", { example: { LANG: "C" } }] as const;
const effect = "What a call may change, at its worst; absent counts as write";
const unknownArgs = "Whether an unknown argument is refused; absent: as its effect has it";
const pattern_words = "What the pattern allows, as a refusal says it after 'expected'";
const args = "Arguments, each with a role: flag, positional, stdin or cwd";

/** The keys of a sandbox, which an executor and the rule of a tool have. */
const sandboxWords = {
  write: ["In a sandbox: what programs may write, in addition to a temporary folder", {
    otherwise: ["."],
  }],
  read: [
    "In a sandbox: what they may read in addition to the system and 'write'; / is all that is not hidden",
    { otherwise: ["/"] },
  ],
  hide: ["In a sandbox: what they do not see, in addition to keys and credentials", {
    example: ["secrets"],
  }],
  env: ["In a sandbox: variables that they may inherit in addition to PATH, HOME and such", {
    example: ["CARGO_HOME"],
  }],
} as const;

/** The key of a config and of its tools, and what is in it. */
const sandboxRequest = "In a config that comes with climax: what its programs need of a sandbox";

const sandboxRequestWords = {
  write: ["What they write, relative to the directory of a call", { example: [".git"] }],
  read: "What they read although it is hidden",
  env: "Variables that they need",
  network: "host: they need the network",
} as const;

const executorWords = {
  ...sandboxWords,
  type: [
    "Where programs run: this machine, a sandbox on it, a container, a pod, or another machine",
    { otherwise: "local" },
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

export const schemaWords: Readonly<Record<string, Keys>> = {
  config: {
    name: ["What agents see and filter by", { example: "gh" }],
    description: "What the program is for",
    command: ["The program, and words before those of every tool; split at white space, no shell", {
      example: "gh",
    }],
    program: "Which program is meant, where others have its name",
    env,
    inherit_env: "Variables of the server that the program inherits; absent: all of them",
    sandbox: sandboxRequest,
    mask: "What is masked in what programs print",
    working_dir: ["The directory programs run in", { example: "~/project" }],
    category: ["What agents filter by", { example: "vcs" }],
    tags: "Words that search finds the tools by",
    systems: "Operating systems that have such a program; absent: all",
    effect: `${effect}; for tools that set none`,
    open_world: "Whether calls reach beyond this machine; for tools that do not set it",
    unknown_args: `${unknownArgs}; for tools that do not set it`,
    soft_timeout:
      "Seconds, 45 at most, after which calls continue in the background; for tools that set none",
    exit_codes: "What exit codes mean that are no failures; for tools that set none",
    global_args:
      "Arguments whose default is put at the end of every command, or before the -- of its 'argv'",
    tools: "The tools",
  },
  program: {
    version: ["The beginning of what it answers to --version", { example: "GNU Make " }],
    install: "How to get it",
  },
  tool: {
    sandbox: sandboxRequest,
    requires:
      "sandbox: runs code of a project, and is served only in a sandbox, or if a person confirms each call",
    name: ["Unique; 64 letters, digits, '_', '-' work everywhere", { example: "gh_issue_list" }],
    description: "What agents read and search",
    command: ["Words after the config's own, split at white space", { example: "issue list" }],
    argv: "The rest of the command line as a template",
    args,
    timeout: ["Seconds a call may take", { otherwise: 30 }],
    soft_timeout: "Seconds, 45 at most, after which a call continues in the background; 0: never",
    background: "true: calls continue in the background at once; false: never",
    env,
    working_dir: "The directory this tool runs in",
    start_in: "Directory to start the program in when 'argv' names the directory of the call",
    output: ["What the program prints", { otherwise: "text" }],
    csv: "How to read the CSV that the program prints",
    select: ["Part of the output that the result has: a JSONPath, columns, or both", {
      example: "$.items[*].metadata.name",
    }],
    output_schema: "A JSON Schema (draft 2020-12) of the structured result, declared and checked",
    stdin: "A text for the program's standard input",
    show_stderr: "false: what the program writes to its standard error is discarded",
    effect,
    risk: "The same as effect",
    unknown_args: unknownArgs,
    confirm_with:
      "For the question: a boolean argument such as dry_run, with which the call prints what it would do, or words after the program",
    confirm_message: "Extra text of the confirmation question; {name} is an argument's value",
    idempotent: "Whether a second call changes nothing more",
    open_world: "Whether calls reach beyond this machine",
    examples: "Requests in people's words that this tool answers",
    aliases:
      "Earlier names, and names that agents guess: callable, not shown; several tools may share one",
    exit_codes: "What exit codes mean that are no failures, such as 1: nothing matched",
  },
  csv: {
    delimiter: ["The character between the cells of a row", { otherwise: "," }],
    columns: "Their names, where the first line has none",
  },
  select: {
    items: ["A JSONPath (RFC 9535) of what counts as an item", { example: "$.items[*]" }],
    columns: ["Of each item: its keys, or names with JSONPaths seen from the item", {
      example: { name: "$.metadata.name", phase: "$.status.phase" },
    }],
  },
  arg: {
    name: ["Unique within the tool", { example: "limit" }],
    aliases: "Names that agents guess: taken for this one, not shown; '{from}..{to}' joins two",
    description: "What agents read and search",
    type: ["What the value is", { otherwise: "string" }],
    required: ["Whether it must be given", { otherwise: false }],
    default: "Used when the agent gives nothing",
    value: "Fixed value of every call; agents do not see the argument",
    examples: "Values that show what is meant",
    flag: ["The option the value follows; joined to it where it ends in '='", {
      example: "--limit=",
    }],
    positional: "true: the value is a word without a flag",
    cwd: "true: the value is the directory the program runs in",
    stdin: "true: the value is the program's standard input",
    enum: "The values there are",
    items: "Of a list: what each item is",
    min_items: "Of a list: how many items at least",
    max_items: ["Of a list: how many items at most", { otherwise: 1000 }],
    separator: ["Of a list: joins the items to one text", { example: "," }],
    text: [
      "Characters a text may have: line (no line breaks), multiline, json, url (no white space) or any",
      { otherwise: "line, or multiline for the standard input" },
    ],
    pattern: "An RE2 expression that the whole value matches",
    pattern_words,
    allow_leading_dash: "true: the program passes it on, so '-' may begin it",
    min: "The least number",
    max: "The greatest number",
    within: "A directory that the value, as a path, lies in",
    holds_links: "true: links in the directory to run in must stay within it too",
    excludes: ["Texts that the value must not contain, in any letter case", { example: ["--"] }],
    never: [
      "Names, beginnings of names (.env*) and directories that a path must not go through; private for all that usually hold credentials",
      { example: [".git"] },
    ],
  },
  items: {
    type: ["What each item is", { otherwise: "string" }],
    enum: "The values there are",
    pattern: "An RE2 expression that each whole item matches",
  },
  request: sandboxRequestWords,
  policy: {
    executor: "Where programs run",
    default: ["enabled: also tools that are not listed, unconstrained", { otherwise: "disabled" }],
    effects: "Only tools of these effects; absent: all",
    categories: "Only tools of these categories; absent: all",
    deny: ["Tools that are not served, whatever else is said, by name or kind", {
      example: ["git_push", "effect:destructive"],
    }],
    confirm: "A person is asked before each call of a tool with this effect or a worse one",
    unknown_args: unknownArgs,
    results: ["Format of climax_search results", { otherwise: "contract" }],
    tools: ["The tools, by name, glob or kind; a key without a value lists them unchanged", {
      example: { "git_log": null },
    }],
  },
  rule: {
    description: "Shown and searched instead of the config's",
    args: "Constraints, by argument",
    concurrency: "Calls of this tool that may run at once",
    max_output: "KiB to keep of the beginning and of the end of each output stream",
    background: "true: calls continue in the background at once; false: never",
    confirm: "Whether a person is asked before each call",
    effect: "Overrides the effect that the config or the server declares",
    select: ["Part of the values in results that agents get: a JSONPath, columns, or both", {
      example: { items: "$.items[*]", columns: ["number", "title"] },
    }],
    unknown_args: unknownArgs,
    sandbox: "Holds the programs of these tools; keys that are left out are those of the executor",
  },
  sandbox: { ...sandboxWords, network: ["none, or that of this machine", { otherwise: "none" }] },
  constraint: {
    required: "true: the argument must be given",
    value: "Fixed value of every call; agents do not see the argument",
    max_length: "Characters of the value as text, at most",
    pattern: "An RE2 expression that the whole value matches, as text",
    pattern_words,
    min: "The least number",
    max: "The greatest number",
    within: ["A directory that the value, as a path, lies in", { example: "./notes" }],
    allow_leading_dash: ["Whether a value without a flag may begin with '-'", { otherwise: false }],
    secret: ["Whether logs show *** instead of the value", { otherwise: false }],
  },
  executor: executorWords,
  project: {
    $schema: "Where editors find what this file may have",
    version: ["The version of this format", { example: "1.0.0" }],
    mcpServers: "The MCP servers whose tools are served",
    cliConfigs: ["Configs of command-line programs, by name or path", { example: ["git"] }],
    skills: ["Folders with a folder for each skill, served as resources", {
      example: ["./skills"],
    }],
    llmProvider: "The language model of sub-agents",
    embeddings: "An embedding server, for search by meaning",
    results: ["Format of climax_search results, where a policy does not set it", {
      otherwise: "contract",
    }],
    projectContext: "What sub-agents are told about the project",
    groupingConstraints: "How many groups there may be, and how many tools in each",
  },
  server: {
    name: ["What its tools are called after", { example: "files" }],
    transport: "How to reach it",
    command: ["The program of a stdio server", { example: "npx" }],
    args: "Its arguments",
    env: ["Its variables; $NAME is one of the environment", { example: { TOKEN: "${TOKEN}" } }],
    cwd: "The directory it runs in",
    url: "The address of an http or websocket server",
    headers: "Headers of its requests; $NAME is a variable of the environment",
    timeout: "Seconds a call may take",
    select: ["Part of the values in results that agents get, by the server's own names of tools", {
      example: { list_issues: ["number", "title"] },
    }],
    sandbox: "Holds a stdio server; {} is the directory of climax to write in, and no network",
    auth: "How a person logs in to an http server, where it is not as the server itself says",
  },
  auth: {
    clientId: ["A client that was registered by hand", { example: "$CLIENT_ID" }],
    clientSecret: ["The variable with its secret", { example: "$CLIENT_SECRET" }],
    clientMetadataUrl: "The address of a client-ID metadata document",
    issuer: "The only authorization server that is accepted",
    scopes: ["What to ask for instead of what the server names", { example: ["files:read"] }],
    shared: ["Over HTTP, all clients use the login of the operator", { otherwise: false }],
  },
  provider: {
    type: "Provider of the model",
    model: "Name of the model; required where the provider has no default",
    credentialSource: "Where its credentials come from",
    endpointOverride: "Address to use instead of the provider's",
  },
  embeddings: {
    endpoint: "The address of the server",
    model: "The name of its model",
    weight: ["What meaning counts beside words, from 0 to 1", { otherwise: 0.2 }],
    apiKeyVariable: "The variable that holds its key",
  },
  context: {
    agentFilePath: ["A file that tells agents about the project", { example: "AGENTS.md" }],
    claudeFilePath: ["A second such file", { example: "CLAUDE.md" }],
    domain: "What the project is about",
    customHints: "More hints, one sentence each",
  },
  constraints: {
    minToolsPerGroup: "Tools in a group, at least",
    maxToolsPerGroup: "Tools in a group, at most",
    minGroups: "Groups, at least",
    maxGroups: "Groups, at most",
  },
};

export function wordsOn(kind: string, key: string): KeyWords | undefined {
  const words = schemaWords[kind]?.[key];
  return typeof words === "string" ? { says: words } : words && { says: words[0], ...words[1] };
}
