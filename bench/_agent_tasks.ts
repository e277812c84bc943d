/** The tasks of `agent_tasks.ts`: what a model calls by guess, what is right, and what a shell is told. */

/** A tool with its arguments. */
export type Step = readonly [tool: string, args: Readonly<Record<string, unknown>>];

/** A goal that one call reaches. */
export interface Goal {
  /** The query of an agent that does not know the tool; absent where an earlier search has found it. */
  readonly query?: string;
  /** The call of a model that has read nothing. */
  readonly guess: Step;
  /** The call of one that has read the schema. Absent: the guess is right. */
  readonly right?: Step;
  /** A pattern that a right answer matches, and no refusal. */
  readonly done?: RegExp;
}

export interface Task {
  readonly name: string;
  readonly goals: readonly Goal[];
  readonly shell: readonly string[];
}

const countNames = (call: string) =>
  `const files = ["app", "core", "docs", "site"].map((name) => "packages/" + name + "/package.json");
const shown = await all(files.map((file) => () => call(${call})));
return shown.map(({text}) => text.trim())`;

const merged = "export const greeting = 'both';\n";

export const tasks: readonly Task[] = [
  {
    name: "blame lines 3–5",
    goals: [{
      query: "who changed each line of a file last",
      guess: ["git_blame", { path: "main.ts", line_start: 3, line_end: 5 }],
      right: ["git_blame", { path: "main.ts", lines: "3,5" }],
      done: /^\S+ \([^)]* 3\)[^\n]*\n[^\n]*\n\S+ \([^)]* 5\)[^\n]*$/,
    }],
    shell: ["git blame -L 3,5 main.ts"],
  },
  {
    name: "who introduced a string",
    goals: [{
      query: "commit that added a text to a file",
      guess: ["git_log", { S: "TAX_RATE", oneline: true }],
      right: ["git_log", { search: "TAX_RATE", oneline: true }],
      done: /^[^\n]*rates$/,
    }],
    shell: ["git log -S TAX_RATE --oneline"],
  },
  {
    name: "history with renames",
    goals: [{
      query: "history of a file across renames",
      guess: ["git_log", { path: "src/total.ts", follow: true, oneline: true }],
      done: /rates/,
    }],
    shell: ["git log --follow --oneline src/total.ts"],
  },
  {
    name: "diff --stat of a range",
    goals: [{
      query: "compare two branches",
      guess: ["git_diff", { from: "main", to: "feature", stat: true }],
      right: ["git_diff", { revision: "main..feature", stat: true }],
      done: /\d+ files? changed/,
    }],
    shell: ["git diff --stat main feature"],
  },
  {
    name: "branch, edit, commit",
    goals: [
      {
        query: "create a branch and switch to it",
        guess: ["git_checkout", { branch: "topic", create: true }],
        right: ["git_switch_create", { name: "topic" }],
      },
      {
        query: "edit a file",
        guess: ["filesystem__edit_file", {
          path: "main.ts",
          edits: [{ old_string: "line 2", new_string: "line two" }],
        }],
        right: ["filesystem__edit_file", {
          path: "main.ts",
          edits: [{ oldText: "line 2", newText: "line two" }],
        }],
      },
      {
        query: "stage and commit changes",
        guess: ["git_add", { paths: ["main.ts"] }],
        right: ["git_add", { path: ["main.ts"] }],
      },
      { guess: ["git_commit", { message: "Number in words" }] },
    ],
    shell: [
      "git switch -c topic && sed -i 's/line 2/line two/' main.ts && git commit -qam 'Number in words'",
    ],
  },
  {
    name: "cherry-pick",
    goals: [
      {
        query: "apply a commit of another branch",
        guess: ["git_log", { revision: "hotfix", max_count: 1, oneline: true }],
      },
      {
        guess: ["git_cherry_pick", { commit: "hotfix" }],
        right: ["git_cherry_pick", { revision: "hotfix" }],
      },
    ],
    shell: ["git log -1 --oneline hotfix && git cherry-pick hotfix"],
  },
  {
    name: "merge with a conflict",
    goals: [
      {
        query: "merge a branch",
        guess: ["git_merge", { branch: "conflict" }],
        right: ["git_merge", { revision: "conflict" }],
        done: /CONFLICT/,
      },
      {
        query: "write a file",
        guess: ["filesystem__write_file", { path: "greeting.ts", content: merged }],
      },
      {
        query: "stage and commit changes",
        guess: ["git_add", { path: ["greeting.ts"] }],
      },
      { guess: ["git_commit", { message: "Merge conflict" }] },
    ],
    shell: [
      "git merge conflict",
      `echo "${merged.trim()}" > greeting.ts && git add greeting.ts && git commit -qm 'Merge conflict'`,
    ],
  },
  {
    name: "sqlite join",
    goals: [
      {
        query: "schema of a SQLite database",
        guess: ["sqlite3_schema", { database: "shop.db" }],
      },
      {
        query: "run a SQL query",
        guess: ["sqlite3_query", {
          database: "shop.db",
          query:
            "SELECT name, sum(total) FROM users JOIN orders ON orders.user_id = users.id GROUP BY name",
        }],
        right: ["sqlite3_query", {
          database: "shop.db",
          sql:
            "SELECT name, sum(total) FROM users JOIN orders ON orders.user_id = users.id GROUP BY name",
        }],
      },
    ],
    shell: [
      "sqlite3 shop.db .schema",
      `sqlite3 -header shop.db 'SELECT name, sum(total) FROM users JOIN orders ON orders.user_id = users.id GROUP BY name'`,
    ],
  },
  {
    name: "jq group_by",
    goals: [{
      query: "group the objects of a JSON file by a field",
      guess: ["jq_query", {
        filter: "group_by(.kind) | map({kind: .[0].kind, n: length})",
        file: "items.json",
      }],
      right: ["jq_file", {
        filter: "group_by(.kind) | map({kind: .[0].kind, n: length})",
        path: ["items.json"],
      }],
    }],
    shell: ["jq 'group_by(.kind) | map({kind: .[0].kind, n: length})' items.json"],
  },
  {
    name: "rg count",
    goals: [{
      query: "count the matches of a text in each file",
      guess: ["rg_count", { pattern: "TODO", glob: "*.ts" }],
    }],
    shell: ["rg --count TODO -g '*.ts'"],
  },
  {
    name: "npm view",
    goals: [{
      query: "versions and licence of an npm package",
      guess: ["npm_view", { package: "leven", fields: ["version", "license"] }],
      right: ["npm_view", { package: "leven", field: ["version", "license"] }],
      done: /^version = /m,
    }],
    shell: ["npm view leven version license"],
  },
  {
    name: "4 packages (script)",
    goals: [
      {
        query: "read a field of package.json",
        guess: ["jq_file", { filter: ".name", path: "packages/app/package.json" }],
      },
      {
        query: "run a script that makes many calls",
        guess: ["script_run", { code: countNames(`"jq_file", {filter: ".version", file}`) }],
        right: ["script_run", {
          code: countNames(`"jq_file", {filter: ".version", path: [file]}`),
        }],
      },
    ],
    shell: ["for name in app core docs site; do jq .version packages/$name/package.json; done"],
  },
  {
    name: "60 patches",
    goals: [{
      query: "history with patches",
      guess: ["git_log", { max_count: 60, patch: true }],
    }],
    shell: ["git log -n 60 --patch"],
  },
];
