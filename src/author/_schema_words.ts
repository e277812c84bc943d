/** What the keys of our files mean, in one sentence each, for editors. `docs/` says more. */

/** Of a key. */
export interface KeyWords {
  readonly says: string;
  readonly example?: unknown;
  /** What counts where the key is absent. */
  readonly otherwise?: unknown;
}

type Keys = Readonly<
  Record<string, string | readonly [says: string, more: Omit<KeyWords, "says">]>
>;

const env = ["Variables added to the environment of the program", {
  example: { LANG: "C" },
}] as const;
const effect = "What a call may change, at its worst; not known counts as write";
const args = "Arguments, each with a role: flag, positional, stdin or cwd";

/** The keys of each kind of map. */
export const schemaWords: Readonly<Record<string, Keys>> = {
  config: {
    name: ["What agents see and filter by", { example: "gh" }],
    description: "What the program is for",
    command: ["The program, and words before those of every tool; split at white space, no shell", {
      example: "gh",
    }],
    env,
    inherit_env: "Variables that the program gets of the server's own; absent: all of them",
    mask: "What is masked in what programs print",
    working_dir: ["The directory programs run in", { example: "~/project" }],
    category: ["What agents filter by", { example: "vcs" }],
    tags: "Words that search finds the tools by",
    effect: `${effect}; of tools that do not say their own`,
    open_world: "Whether others than this machine are involved; of tools that do not say",
    soft_timeout: "Seconds after which calls go on behind an answer; of tools that do not say",
    global_args: "Arguments whose default is put at the end of every command",
    tools: "The tools",
  },
  tool: {
    name: ["Unique; up to 64 letters, digits, '_' and '-' work everywhere", {
      example: "gh_issue_list",
    }],
    description: "What agents read and search",
    command: ["Words after the config's own, split at white space", { example: "issue list" }],
    argv: "The rest of the command line as a template",
    args,
    timeout: ["Seconds a call may take", { otherwise: 30 }],
    soft_timeout: "Seconds after which a call goes on behind an answer; 0: it never does",
    background: "true: calls go on behind an answer at once; false: they never do",
    env,
    working_dir: "The directory this tool runs in",
    start_in:
      "Where the program is started, though the call's directory is another, which 'argv' has",
    output: ["What the program prints", { otherwise: "text" }],
    csv: "How the CSV is read that the program prints",
    select: ["What of the values a result has: a JSONPath, columns, or both", {
      example: "$.items[*].metadata.name",
    }],
    output_schema: "A JSON Schema (draft 2020-12) of the structured result, declared and checked",
    stdin: "A text for the program's standard input",
    effect,
    risk: "The same as effect",
    confirm_message:
      "What a person is asked besides the command line; {name} is an argument's value",
    idempotent: "Whether a second call changes nothing more",
    open_world: "Whether others than this machine are involved",
    examples: "Requests in people's words that this tool answers",
    aliases: "Names it had: called as before, not listed",
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
    description: "What agents read and search",
    type: ["What the value is", { otherwise: "string" }],
    required: ["Whether it has to be given", { otherwise: false }],
    default: "Used when the agent gives nothing",
    value: "The value of every call; such an argument is shown to nobody",
    examples: "Values that show what is meant",
    flag: ["The option the value follows; joined to it where it ends in '='", {
      example: "--limit=",
    }],
    positional: "true: the value stands by itself",
    cwd: "true: the value is the directory the program runs in",
    stdin: "true: the value is the program's standard input",
    enum: "The values there are",
    items: "Of a list: what each item is",
    min_items: "Of a list: how many items at least",
    max_items: ["Of a list: how many items at most", { otherwise: 1000 }],
    separator: ["Of a list: joins the items to one text", { example: "," }],
    text: [
      "Characters a text may have: line (no line breaks), multiline, url (no white space) or any",
      { otherwise: "line, or multiline for the standard input" },
    ],
    pattern: "An RE2 expression that the whole value matches",
    min: "The least number",
    max: "The greatest number",
    within: "A directory that the value, as a path, lies in",
    holds_links: "true: links in the directory to run in are held to within, too",
    excludes: ["Texts that the value may not contain, letter case aside", { example: ["--"] }],
    never: ["Names, beginnings of names (.env*) and directories a path may not go through", {
      example: [".git"],
    }],
  },
  items: {
    type: ["What each item is", { otherwise: "string" }],
    enum: "The values there are",
    pattern: "An RE2 expression that each whole item matches",
  },
  policy: {
    executor: "Where programs run",
    default: ["enabled also serves tools that are not listed, without constraints", {
      otherwise: "disabled",
    }],
    effects: "Only tools of these effects; absent: all",
    categories: "Only tools of these categories; absent: all",
    deny: ["Tools that are not served, whatever else is said, by name or kind", {
      example: ["git_push", "effect:destructive"],
    }],
    confirm: "A person is asked before each call of a tool with this effect or a worse one",
    unknown_args: ["Whether a key that no argument has is refused", { otherwise: "ignore" }],
    results: ["What agents read of tools", { otherwise: "contract" }],
    tools: ["The tools, by name, glob or kind; nothing behind a key lists them as they are", {
      example: { "git_log": null },
    }],
  },
  rule: {
    description: "Shown and searched instead of the config's",
    args: "Constraints, by argument",
    concurrency: "Calls of this tool that may run at once",
    max_output: "KiB kept of the beginning and of the end of each output stream",
    background: "true: calls go on behind an answer at once; false: they never do",
    confirm: "Whether a person is asked before each call",
    effect: "What counts instead of the effect that the config or the server says",
    unknown_args: "Whether a key that no argument has is refused",
  },
  constraint: {
    required: "true: to leave it out is no way around the other keys",
    value: "The value of every call; the argument is shown to nobody",
    max_length: "Characters of the value as text, at most",
    pattern: "An RE2 expression that the whole value matches, as text",
    min: "The least number",
    max: "The greatest number",
    within: ["A directory that the value, as a path, lies in", { example: "./notes" }],
    allow_leading_dash: ["Whether a value that no option consumes may begin with '-'", {
      otherwise: false,
    }],
    secret: ["Whether *** stands for the value in logs", { otherwise: false }],
  },
  executor: {
    type: ["Where programs run: this machine, a container, a pod, or another machine", {
      otherwise: "local",
    }],
    image: ["The image of the containers", { example: "debian:12" }],
    volumes: ["What the containers see of this machine", { example: ["./work:/work:ro"] }],
    working_dir: ["The directory there", { example: "/work" }],
    network: "The network of the containers",
    namespace: "The namespace of the pods; absent: kubectl's",
    context: "The context of kubectl; absent: its own",
    service_account: "What the pods may do in the cluster",
    limits: ["The most that a pod may use", { example: { cpu: "500m", memory: "256Mi" } }],
    host: ["The machine that ssh reaches", { example: "tools@build.example.org" }],
    port: "The port of ssh",
    identity: "The key of ssh, and no other",
    config: "The configuration of ssh",
  },
  project: {
    $schema: "Where editors find what this file may have",
    version: ["The version of this format", { example: "1.0.0" }],
    mcpServers: "The MCP servers whose tools are taken",
    cliConfigs: ["Configs of command-line programs, by name or path", { example: ["git"] }],
    llmProvider: "The language model of sub-agents",
    embeddings: "A server for embeddings, by which tools are searched by meaning too",
    results: ["What agents read of tools, where a policy does not say", { otherwise: "contract" }],
    projectContext: "What sub-agents are told about the project",
    groupingConstraints: "How many groups there may be, and how many tools in each",
  },
  server: {
    name: ["What its tools are called after", { example: "files" }],
    transport: "How it is reached",
    command: ["The program of a stdio server", { example: "npx" }],
    args: "Its arguments",
    env: ["Its variables; $NAME is one of the environment", { example: { TOKEN: "${TOKEN}" } }],
    cwd: "The directory it runs in",
    url: "The address of an http or websocket server",
    headers: "Headers of its requests; $NAME is a variable of the environment",
    timeout: "Seconds a call may take",
  },
  provider: {
    type: "Who serves the model",
    model: "Its name; needed where the provider has no usual one",
    credentialSource: "Where its credentials come from",
    endpointOverride: "Another address of the provider",
  },
  embeddings: {
    endpoint: "The address of the server",
    model: "The name of its model",
    apiKeyVariable: "The variable that holds its key",
  },
  context: {
    agentFilePath: ["A file that tells agents about the project", { example: "AGENTS.md" }],
    claudeFilePath: ["Another one", { example: "CLAUDE.md" }],
    domain: "What the project is about",
    customHints: "Further sentences",
  },
  constraints: {
    minToolsPerGroup: "Tools in a group, at least",
    maxToolsPerGroup: "Tools in a group, at most",
    minGroups: "Groups, at least",
    maxGroups: "Groups, at most",
  },
};

/** The words on `key` of a map of this `kind`. */
export function wordsOn(kind: string, key: string): KeyWords | undefined {
  const words = schemaWords[kind]?.[key];
  return typeof words === "string" ? { says: words } : words && { says: words[0], ...words[1] };
}
