/**
 * Calls of tools as language models write them, right or wrong, with the answer and what runs. The first part are the
 * habits that a model showed in an hour of work, the second those of models in other people's reports and of our own.
 */

/** The parameters of `tools/call`, as they are sent. */
export type Request = readonly [name: string, args?: unknown];

/** The outcome of a call. */
export interface Outcome {
  /** Command lines that ran, or requests to servers, in order: none for a refused call. */
  readonly ran: readonly string[];
  /** Patterns that the first text matches, all of them. */
  readonly says?: readonly RegExp[];
  /** A pattern that the first text does not match. */
  readonly hides?: RegExp;
  /** A pattern that the second text matches. Without it there is no second text. */
  readonly note?: RegExp;
  readonly isError: boolean;
  /** Commands of git that prepare a fresh repository; `changed` writes a file. Rows without any change nothing. */
  readonly given?: readonly string[];
  /** Commands of git, and what they print afterwards. */
  readonly then?: Readonly<Record<string, string>>;
}

/** A habit, the call, and its outcome. */
export type Habit = readonly [habit: string, request: Request, outcome: Outcome];

type Details = Partial<Omit<Outcome, "ran" | "isError">>;

/** A request of `climax_call` as a model should write it. */
const call = (tool_name: string, args?: unknown): Request => {
  return ["climax_call", { tool_name, ...(args === undefined ? {} : { args }) }];
};

/** A request of `climax_call` with other keys. */
const sent = (args: unknown): Request => ["climax_call", args];

const ran = (line: string, details: Details = {}): Outcome => {
  return { ran: [line], isError: false, ...details };
};

/** Runs nothing and answers. */
const answered = (says: readonly RegExp[], details: Details = {}): Outcome => {
  return { ran: [], says, isError: false, ...details };
};

const refused = (says: readonly RegExp[], details: Details = {}): Outcome => {
  return { ran: [], says, isError: true, ...details };
};

/** Refused with what the tool takes instead. */
const takes = (...says: RegExp[]): Outcome => refused([...says, /takes: /i]);

const log = (...words: string[]) => {
  const line = ["git log --no-textconv", ...words].join(" ");
  return line.includes(" -- ") ? line : `${line} --`;
};
const log1 = log("--max-count=1");
const one = { max_count: 1 };

/** Two stashes, of which the older one is `stash@{1}`. */
const twoStashes = ["changed", "stash push -m older", "changed", "stash push -m newer"];
const changed = ["changed"];
const stillChanged = { "status --short": " M main.ts\n" };
const notPushed = { "log -1 --format=%s origin/main": "third\n" };

/** git, ripgrep, sqlite3, jq and npm with scripts, two MCP servers, results as in the contract. */
const programs: readonly Habit[] = [
  [
    "a text for a list",
    call("git_log", { ...one, path: "main.ts" }),
    ran(log("--max-count=1", "-- main.ts")),
  ],

  [
    "a category in capitals",
    ["climax_search", { query: "log", category: "VCS" }],
    answered([/"git_log"/]),
  ],
  ["an earlier name of a tool", call("git_branch"), ran("git branch --list")],

  ["an option", call("git_log", { "--max-count": 1 }), ran(log1)],
  ["a typing error", call("git_log", { revison: "HEAD" }), takes(/'revison'.*revision/)],

  [
    "one underscore after the server's name",
    call("memory_open_nodes", { names: ["Ann"] }),
    ran('memory open_nodes {"names":["Ann"]}'),
  ],
  [
    "the name of another client for a server's tool",
    call("mcp__memory__search_nodes", { query: "Ann" }),
    ran('memory search_nodes {"query":"Ann"}'),
  ],

  ["a command line as arguments", call("git_log", "HEAD~1 --stat"), takes(/must be an object/)],

  [
    "a list of one for a text",
    call("git_branch_delete", { name: ["merged"] }),
    ran("git branch --delete merged", { given: [], then: { "branch --list merged": "" } }),
  ],

  // The envelope
  ["`arguments`", sent({ tool_name: "git_log", arguments: one }), ran(log1)],
  ["arguments beside the name", sent({ tool_name: "git_log", ...one }), ran(log1)],

  [
    "`args.arguments`",
    call("git_stash_pop", { arguments: { stash: "stash@{1}" } }),
    ran("git stash pop stash@{1}", {
      given: twoStashes,
      then: { "stash list": "stash@{0}: On main: newer\n" },
    }),
  ],

  [
    "the whole call in `args`, of a tool that writes",
    call("git_stash_pop", { tool_name: "git_stash_pop", args: { stash: "stash@{1}" } }),
    ran("git stash pop stash@{1}", { given: twoStashes }),
  ],

  // Arguments far from any name
  [
    "`from` and `to`",
    call("git_diff", { from: "main", to: "feature", name_only: true }),
    ran(
      "git diff --ignore-submodules=dirty --no-ext-diff --no-textconv --no-notes main..feature --name-only --",
      {
        says: [/^src\/feature\.ts$/m],
      },
    ),
  ],

  [
    "the branch to rebase",
    call("git_rebase", { upstream: "main", branch: "hotfix" }),
    ran("git rebase main hotfix", {
      given: [],
      then: { "log -1 --format=%s hotfix": "hotfix\n" },
    }),
  ],
  [
    "a side of a merge",
    call("git_restore", { path: ["main.ts"], theirs: true }),
    ran("git restore --theirs -- main.ts"),
  ],
  [
    "`dry_run` of a tool that has none",
    call("git_restore", { path: ["main.ts"], dry_run: true }),
    refused([/Unknown argument 'dry_run'[^]*Takes: git_restore\(.*\bpath: /], {
      given: changed,
      then: stillChanged,
    }),
  ],

  [
    "a letter of git's own",
    call("git_log", { L: "3,5:main.ts" }),
    takes(/argument 'L'/),
  ],

  [
    "a text for the list of a server",
    call("memory__open_nodes", { names: "Ann" }),
    ran('memory open_nodes {"names":["Ann"]}'),
  ],

  ["`tool`", sent({ tool: "git_log", args: one }), ran(log1)],

  // Names that no tool has
  ["the name that another client gives", call("mcp__climax__git_log", one), ran(log1)],

  ["other words of a name", call("git_list_branches"), ran("git branch --list")],
  [
    "a command of git that two tools replace",
    call("git_checkout", { branch: "feature" }),
    ran("git switch --no-overwrite-ignore feature"),
  ],
  [
    "the name that git's own MCP server has for an argument",
    call("git_create_branch", { repo_path: ".", branch_name: "topic", base_branch: "main" }),
    ran("git branch topic main", { given: [] }),
  ],
  [
    "a subcommand as a boolean",
    call("git_switch", { branch: "topic", create: true }),
    ran("git switch --no-overwrite-ignore --create topic --no-guess", { given: [] }),
  ],
  [
    "a subcommand as a mode",
    call("git_stash", { mode: "list" }),
    ran("git stash list"),
  ],

  [
    "a short option of a search",
    call("rg_search", { pattern: "FIVE", "-i": true }),
    ran(
      "rg --regexp=FIVE --ignore-case --max-columns=500 --line-number --heading -- .",
    ),
  ],
  [
    "a program's name: grep",
    call("grep", { pattern: "one" }),
    ran("rg --regexp=one --max-columns=500 --line-number --heading -- ."),
  ],
  [
    "a program's name: rg",
    call("rg", { pattern: "five", path: "main.ts" }),
    ran("rg --regexp=five --max-columns=500 --line-number --heading -- main.ts"),
  ],

  [
    "the tool of another server, without it",
    call("read_text_file", { path: "package.json" }),
    refused([/Did you mean: filesystem__read_text_file\b/]),
  ],
  [
    "a command of npm that nothing holds",
    call("npm_run", { script: "test" }),
    refused([/^Tool 'npm_run' is withheld.*\nAsk a person .*--sandbox/], { hides: /git_|rg_/ }),
  ],
  [
    "a command of git with three tools",
    call("git_tag"),
    ran("git tag --list"),
  ],
  [
    "a command of git without a tool",
    call("git_gc", { dry_run: true }),
    refused([/^Unknown tool: git_gc/], { hides: /git_clone/ }),
  ],
  [
    "a command of git with five tools, of which it means one",
    call("git_stash"),
    ran("git stash push --", { given: changed, then: { "status --short": "" } }),
  ],

  ["another word", call("git_history", one), ran(log1)],
  ["a tool as an MCP tool", ["git_log", one], ran(log1)],
  [
    "a tool of the client, of a server that has none of it",
    ["Bash", { command: "ls" }],
    refused([/^Unknown tool: Bash/]),
  ],
  [
    "the search through the call",
    call("climax_search", { query: "git log", limit: 1 }),
    answered([/"git_log"/]),
  ],
  [
    "the call through the call",
    call("climax_call", { tool_name: "git_log", args: one }),
    ran(log1),
  ],

  // Searches
  ["`q`", ["climax_search", { q: "git log", limit: 1 }], answered([/"git_log"/])],

  [
    "names in the query",
    ["climax_search", { query: "git_log, git_diff" }],
    answered([/"git_log"/, /"git_diff"/]),
  ],
  [
    "names as a client's own search takes them",
    ["climax_search", { query: "select:git_log,git_diff" }],
    answered([/"git_log".*"git_diff"/s]),
  ],
  ["a star", ["climax_search", { query: "*" }], answered([/^\{"mode":"summary"/])],
  ["a search that is a text", ["climax_search", "git log"], refused([/must be an object/])],

  ["another folder", call("git_log", { directory: ".." }), refused([/outside FOLDER/])],

  [
    "two tasks",
    ["climax_search", { query: "stage all files, commit and push" }],
    answered([/"git_add"/, /"git_commit"/, /"git_push"/]),
  ],

  // Guesses of the tasks
  [
    "the folder of a new repository as `directory`",
    call("git_init", { directory: "new" }),
    refused([/new/]),
  ],
  [
    "`old_string` of an edit",
    call("filesystem__edit_file", {
      path: "main.ts",
      edits: [{ old_string: "one", new_string: "two" }],
    }),
    refused([/oldText/, /Takes: filesystem__edit_file\(path/]),
  ],
  [
    "`branch` for a name",
    call("git_branch_delete", { branch: "merged" }),
    ran("git branch --delete merged", { given: [] }),
  ],
  [
    "`commit` for a revision",
    call("git_show", { commit: "HEAD~1", no_patch: true }),
    ran("git show --no-textconv HEAD~1 --no-patch --"),
  ],

  [
    "`no_edit` of a tool that never edits",
    call("git_revert", { revision: "HEAD", no_edit: true }),
    // The commit has no changes
    { ran: ["git revert --no-edit HEAD"], isError: true, given: [], says: [/nothing to commit/] },
  ],
  [
    "`file` for the text of JSON",
    call("jq_query", { filter: ".", file: "data.json" }),
    takes(/Missing required argument 'input'/, /'file'/),
  ],
  [
    "a JSON value for JSON text",
    call("jq_query", { filter: ".[0].a", input: [{ a: 1 }] }),
    ran("jq (.[0].a\n)", { says: [/^1$/m] }),
  ],
  [
    "`query` for SQL",
    call("sqlite3_query", { database: "data.db", query: "SELECT name FROM people" }),
    ran("sqlite3", { says: [/Ann/] }),
  ],
  [
    "a statement that writes",
    call("sqlite3_query", { database: "data.db", sql: "INSERT INTO people VALUES ('Bob')" }),
    refused([/SELECT, WITH, VALUES or PRAGMA/, /Takes: sqlite3_query\(database/], {
      hides: /\(\?/,
    }),
  ],
  [
    "a query plan",
    call("sqlite3_query", { database: "data.db", sql: "EXPLAIN QUERY PLAN SELECT 1" }),
    refused([/sqlite3_explain/, /Takes: sqlite3_query\(database/], { hides: /\(\?/ }),
  ],
  [
    "a search without a match",
    call("rg_search", { pattern: "nowhere", path: ["src"] }),
    ran("rg --regexp=nowhere --max-columns=500 --line-number --heading -- src", {
      says: [/nothing matched/i],
    }),
  ],

  ["a folder outside", call("rg_search", { pattern: "root", path: ["/etc"] }), refused([/FOLDER/])],
  [
    "a search without a match in a script",
    call("script_run", {
      code: 'const {text} = await call("rg_count", {pattern: "nowhere"}); return "found: " + text',
    }),
    {
      ran: ["rg --count-matches --regexp=nowhere -- .", "script_run"],
      isError: false,
      says: [/^found: /],
    },
  ],
];

/** Habits that the hour did not show. */
const others: readonly Habit[] = [
  ["`parameters`", sent({ tool_name: "git_log", parameters: one }), ran(log1)],

  [
    "`args` and `arguments` that differ",
    sent({ tool_name: "git_log", args: one, arguments: { max_count: 2 } }),
    refused([/args/, /arguments/]),
  ],
  [
    "a key beside `args` that differs from it",
    sent({ tool_name: "git_log", args: one, max_count: 2 }),
    refused([/max_count/]),
  ],

  [
    "`input` of a tool with an argument of that name",
    sent({ tool_name: "jq_query", filter: ".a", input: '{"a": 7}' }),
    ran("jq (.a\n)", { says: [/^7$/m] }),
  ],

  [
    "`dry_run` beside the name, of a tool that has it",
    sent({ tool_name: "git_push", dry_run: true }),
    ran("git push origin --dry-run", {
      given: ["commit --allow-empty -m fourth"],
      then: notPushed,
    }),
  ],

  [
    "`force` of a push",
    call("git_push", { force: true }),
    refused([/'force'/, /takes: /i], {
      given: ["commit --allow-empty -m fourth"],
      then: notPushed,
    }),
  ],

  [
    "a reason, of a tool that writes",
    call("git_add", { path: ["main.ts"], reason: "for the next commit" }),
    ran("git add -- main.ts", { given: changed, then: { "status --short": "M  main.ts\n" } }),
  ],
  [
    "an explanation, of a tool that reads",
    call("git_log", { ...one, explanation: "I look for the commit", thought: "First the log" }),
    ran(log1),
  ],

  [
    "`dry_run` of a server's tool",
    call("memory__delete_entities", { entityNames: ["Ann"], dry_run: true }),
    takes(/Unknown argument 'dry_run'/),
  ],

  ["a call as the name", call("git_log()", one), ran(log1)],

  ["a typing error in the name", call("git_lgo", one), refused([/git_log/])],
  [
    "a tool of nothing that is here",
    call("send_email", { to: "Ann" }),
    refused([/^[^\n]+\n\nThere is no tool like it$/]),
  ],

  [
    "a command line as the name",
    call("git log --oneline"),
    refused([/^Unknown tool: git log --oneline/]),
  ],

  [
    "a short option as an argument",
    call("git_commit", { "-m": "fourth" }),
    ran("git commit --message=fourth", { given: ["changed", "add main.ts"] }),
  ],

  [
    "an unknown argument in a script",
    call("script_run", { code: 'await call("git_log", {bogus: 1})' }),
    {
      ran: ["script_run"],
      isError: true,
      says: [/git_log \{"bogus":1\}/, /Unknown argument 'bogus'/],
      note: /0 calls/,
    },
  ],
];

/** With results as lines. */
const compact: readonly Habit[] = [
  [
    "German",
    ["climax_search", { query: "Verlauf der Commits" }],
    answered([/git_log/], { note: /Nothing fits well; no tool has the words: verlauf, der/ }),
  ],
  [
    "the JSON of a tool as the query",
    ["climax_search", { query: '{"tool_name": "git_log", "args": {}}' }],
    answered([/git_log/]),
  ],
  ["a refusal", call("git_blame", {}), takes(/Missing required argument 'path'/)],
];

/** `--policy readonly`. */
const readonly: readonly Habit[] = [
  ["`arguments`", sent({ tool_name: "git_log", arguments: one }), ran(log1)],
  ["a key beside the name", sent({ tool_name: "git_log", bogus: 1 }), takes(/'bogus'/)],

  [
    "a tool that is withheld",
    call("git_push"),
    refused([/^Unknown tool: git_push/], { hides: /git_pull/ }),
  ],
];

/** `--policy` with `unknown_args: ignore`: the old way, but for words that ask for a trial. */
const ignore: readonly Habit[] = [
  [
    "`dry_run` of a tool that has none",
    call("git_restore", { path: ["main.ts"], dry_run: true }),
    refused([/Unknown argument 'dry_run'/], { given: changed, then: stillChanged }),
  ],
];

/** `--classic`: every tool by its name. */
const classic: readonly Habit[] = [
  ["a tool", ["git_log", one], ran(log1)],
  ["an unknown argument", ["git_log", { bogus: 1 }], takes(/argument 'bogus'/)],
  [
    "an unknown argument, of a tool that writes",
    ["git_restore", { path: ["main.ts"], dry_run: true }],
    refused([/Unknown argument 'dry_run'/, /takes: /i], { given: changed, then: stillChanged }),
  ],
  ["arguments in `args`", ["git_log", { args: one }], takes(/argument 'args'/)],
  ["another word for a tool", ["git_history", one], ran(log1)],
];

/** Arguments of `climax run` → habits of models that meet that server. `FOLDER` is that of the repository. */
export const habits: readonly (readonly [words: readonly string[], habits: readonly Habit[]])[] = [
  [["--scripts", "--mcp", "FOLDER/../servers.json"], [...programs, ...others]],
  [["--results", "compact"], compact],
  [["--policy", "FOLDER/../readonly.yaml"], readonly],
  [["--policy", "FOLDER/../ignore.yaml"], ignore],
  [["--classic"], classic],
];
