/** The tasks of `agent_tasks.ts`: what a model calls, what a shell is told, and how it is seen that it is done. */

/** The place of a task, for calls that depend on what a model has read. */
export interface Place {
  /** Everything that the model has read today. */
  readonly seen: string;
  readonly repo: string;
}

type Args = Readonly<Record<string, unknown>>;

/** A tool with its arguments. */
export type Step = readonly [tool: string, args: Args | ((place: Place) => Args)];

/**
 * A goal that one call reaches. `guess` is what a model writes that has read nothing, in the words of the known agents'
 * tools and of the programs; `right` what it writes when it has read of the tool, of which the first that exists is called.
 */
export interface Goal {
  readonly guess?: Step;
  /** What it searches for where an answer does not say what is right. */
  readonly query?: string;
  readonly right?: readonly Step[];
  /** A way around, for want of a tool. */
  readonly detour?: readonly Step[];
  /** A pattern of the right answer. @default an answer that is no error */
  readonly done?: RegExp;
}

export interface Task {
  readonly name: string;
  readonly goals: readonly Goal[];
  readonly shell: readonly string[];
  /** Exits with 0 when the task is done; `$ANSWER` is a file with what was read. */
  readonly check: string;
}

const guess = (tool: string, args: Args, more: Omit<Goal, "guess"> = {}): Goal => {
  return { guess: [tool, args], ...more };
};
const read = (file_path: string) => guess("Read", { file_path });
const edit = (file_path: string, old_string: string, new_string: string) => {
  return guess("Edit", { file_path, old_string, new_string, replace_all: false }, {
    query: "edit a file",
    right: [["files_edit", { path: file_path, old: old_string, new: new_string }]],
  });
};
const answerHas = (...texts: readonly string[]) => {
  return texts.map((text) => `grep -qF -- '${text}' "$ANSWER"`).join(" && ");
};

const rules = `const cart = 'x';\n${
  Array.from({ length: 200 }, (_, at) => {
    return `export const rule${
      String(at).padStart(3, "0")
    } = { id: ${at}, name: "rule ${at}", limit: ${
      at * 10
    }, note: \`uses \${cart} and "quotes" \\\\ slash\` };\n`;
  }).join("")
}`;

const rates =
  "  AT: 0.2,\n  CH: 0.081,\n  CZ: 0.21,\n  DE: 0.19,\n  FR: 0.2,\n  IT: 0.22,\n  LI: 0.081,\n";

/** The block between the marks of a conflict in a file that was read. */
function conflict({ repo }: Place): Args {
  const text = Deno.readTextFileSync(`${repo}/src/tax.ts`);
  const [block] = /<{7}[^]*>{7} feature\/swiss\n/.exec(text) ?? [""];
  const kept = /<{7}[^\n]*\n([^]*?)={7}/.exec(block)?.[1] ?? "";
  // What both sides have stands around the marks
  const own = kept.includes("CH:") ? rates.slice(rates.indexOf("  CH:")) : rates;
  return { file_path: "src/tax.ts", old_string: block, new_string: mergedLines(text, block, own) };
}

/** The lines of `own` that the file does not have around `block`. */
function mergedLines(text: string, block: string, own: string): string {
  const around = text.replace(block, "");
  return own.split("\n").filter((line) => line === "" || !around.includes(line)).join("\n");
}

/** The hash in front of the subject of a commit, as a log has shown it. */
function commitOf({ seen }: Place, subject: string): string {
  return [...seen.matchAll(RegExp(`\\b([0-9a-f]{7,40}) (?:\\([^)]*\\) )?${subject}`, "g"))].at(-1)
    ?.[1] ?? "HEAD";
}

const sums =
  `const names = Array.from({ length: 12 }, (_, at) => "data/csv/sales-2026-" + String(at + 1).padStart(2, "0") + ".csv");
const texts = await all(names.map((path) => () => call("Read", { file_path: path })));
const sums = {};
for (const { text } of texts) {
  for (const line of text.trim().split("\\n").slice(1)) {
    const [, , country, quantity, price] = line.split(",");
    sums[country] = (sums[country] ?? 0) + quantity * price;
  }
}
return sums;`;

const renames =
  `const { text } = await call("rg_files_with_matches", { pattern: "cartTotal", path: ["src", "test"] });
for (const path of text.trim().split("\\n")) {
  const file = await call("files_read", { path });
  await call("files_write", { path, content: file.text.replaceAll("cartTotal", "orderTotal"), overwrite: true });
}`;

const highestMinute =
  "grep ERROR logs/app.log | cut -c1-16 | sort | uniq -c | sort -rn | awk 'NR==1{print $2}'";
const paid =
  "select c.country, count(*) n, sum(o.total_cents) total from orders o join customers c on c.id = o.customer_id where o.status = 'paid' group by 1 order by 3 desc";

export const tasks: readonly Task[] = [
  {
    name: "understand the project",
    goals: [
      guess("LS", { path: "." }, {
        query: "list the files of a directory",
        right: [["files_list", { path: "." }]],
      }),
      read("README.md"),
      read("package.json"),
      guess("Read", { file_path: "src/cart.ts", offset: 1, limit: 60 }, {
        query: "read lines of a file",
        right: [["files_read", { path: ["src/cart.ts"] }]],
      }),
      guess("git_log", { oneline: true, n: 15 }),
      guess("git_status", { short: true }),
    ],
    shell: [
      "git ls-files; cat README.md package.json src/cart.ts; git log --oneline -15; git status -s",
    ],
    check: answerHas("Orders, taxes", "Currency names", "notes.txt", "Math.floor"),
  },
  {
    name: "usage of a function",
    goals: [
      guess("Grep", { pattern: "applyDiscount", path: ".", output_mode: "content", "-n": true }, {
        query: "find a text in all files",
        right: [["files_grep", { pattern: "applyDiscount", path: ["src", "test"] }], [
          "rg_search",
          { pattern: "applyDiscount", path: ["src", "test"] },
        ]],
      }),
    ],
    shell: ["grep -rn applyDiscount src test"],
    check: answerHas("cart.test.ts", "applyDiscount(999, 33)"),
  },
  {
    name: "fix by an edit",
    goals: [edit("src/cart.ts", "Math.floor(net * (1", "Math.round(net * (1")],
    shell: [
      "sed -i 's|Math.floor(net \\* (1|Math.round(net * (1|' src/cart.ts && git diff src/cart.ts",
    ],
    check: "grep -q 'Math.round(net' src/cart.ts",
  },
  {
    name: "run the tests",
    goals: [guess("npm_test", {}, { done: /pass \d/ })],
    shell: ["npm test 2>&1 | tail -60"],
    check: `grep -q 'pass 5' "$ANSWER"`,
  },
  {
    name: "one test",
    goals: [guess("npm_test", { args: ["--test-name-pattern=invoice"] }, {
      query: "run one test file",
      right: [["npm_test", { args: ["test/invoice.test.ts"] }], ["npm_run", {
        script: "test",
        args: ["test/invoice.test.ts"],
      }]],
      done: /invoice ends with the total/,
    })],
    shell: ["node --import tsx --test --test-name-pattern=invoice test/*.test.ts 2>&1 | head -30"],
    check: answerHas("invoice ends with the total"),
  },
  {
    name: "commit part of the changes",
    goals: [
      guess("git_add", { files: ["src/cart.ts"] }),
      guess("git_commit", { message: "Round discounts half up again" }),
      guess("git_diff", { path: "src/invoice.ts" }),
      {
        query: "stage only one hunk of a file",
        right: [["git_add", { path: ["src/invoice.ts"], hunks: ["1"] }]],
      },
      guess("git_commit", { message: "Comment on invoice" }),
    ],
    shell: [
      "git commit -qm 'Round discounts half up again' src/cart.ts; git diff src/invoice.ts",
      "printf 'y\\nn\\n' | git add -p src/invoice.ts >/dev/null; git diff --cached --stat; git commit -qm 'Comment on invoice'; git log --oneline -2",
    ],
    check:
      "git show HEAD | grep -q '^+/.. Text' && git diff src/invoice.ts | grep -q '^+.*repeat' && " +
      "! git show HEAD | grep -q '^+.*repeat' && git log -2 --format=%s | grep -q half",
  },
  {
    name: "amend a commit",
    goals: [guess("git_commit", { amend: true, message: "Comment on invoice()" })],
    shell: ["git commit --amend -qm 'Comment on invoice()' && git log --oneline -1"],
    check:
      "git log -1 --format=%s | grep -qF 'Comment on invoice()' && git show HEAD | grep -q Text",
  },
  {
    name: "merge with a conflict",
    goals: [
      guess("git_merge", { branch: "feature/swiss" }, { done: /CONFLICT/ }),
      read("src/tax.ts"),
      { guess: ["Edit", conflict] },
      guess("git_add", { path: "src/tax.ts" }),
      guess("git_commit", { message: "Merge feature/swiss" }),
    ],
    shell: [
      "git merge feature/swiss; git diff src/tax.ts",
      `awk '/^<<<<<<</{print "${
        rates.replaceAll("\n", "\\n").slice(0, -2)
      }"; skip=1} !skip{print} /^>>>>>>>/{skip=0}' src/tax.ts | awk '!/^  [A-Z][A-Z]:/ || !seen[$0]++' > /tmp/tax.$$ && mv /tmp/tax.$$ src/tax.ts && git add src/tax.ts && git commit -q --no-edit && git log --oneline -1`,
    ],
    check:
      "! grep -q '<<<<' src/tax.ts && [ $(grep -c '^  [A-Z][A-Z]:' src/tax.ts) = 7 ] && grep -q 'LI: 0.081' src/tax.ts && " +
      "[ $(git log -1 --format=%p | wc -w) = 2 ]",
  },
  {
    name: "rebase a branch, with changes",
    goals: [
      guess("git_rebase", { upstream: "main", branch: "topic/readme", autostash: true }, {
        query: "rebase a branch on main with uncommitted changes",
        right: [["git_rebase", { upstream: "main", branch: "topic/readme", autostash: true }]],
        detour: [["git_stash_push", { include_untracked: true }], ["git_switch", {
          branch: "topic/readme",
        }], ["git_rebase", { upstream: "main" }]],
      }),
      guess("git_checkout", { branch: "main" }, {
        query: "switch to a branch",
        right: [["git_switch", { branch: "main" }]],
      }),
    ],
    shell: [
      "git stash -u && git rebase main topic/readme && git log --oneline main..HEAD && git switch main",
    ],
    check:
      "git merge-base --is-ancestor main topic/readme && [ $(git branch --show-current) = main ]",
  },
  {
    name: "stash and restore",
    goals: [
      guess("git_stash_list", {}),
      guess("git_stash_pop", {}),
      guess("git_status", { short: true }),
    ],
    shell: ["git stash list; git stash pop -q; git status -s"],
    check:
      '[ -z "$(git stash list)" ] && git diff src/invoice.ts | grep -q repeat && [ -e notes.txt ]',
  },
  {
    name: "bisect",
    goals: [
      guess("git_stash", {}, {
        query: "put uncommitted changes aside",
        right: [["git_stash_push", {}]],
      }),
      guess("git_log", { oneline: true, n: 30 }),
      {
        guess: ["git_bisect_start", (place) => {
          return { bad: commitOf(place, "Test rounding"), good: commitOf(place, "Settings") };
        }],
      },
      guess("git_bisect_run", { command: ["grep", "-q", "Math.round(net", "src/cart.ts"] }, {
        done: /first bad commit/,
      }),
      guess("git_bisect_reset", {}),
      guess("git_stash_pop", {}),
    ],
    shell: [
      "git stash -q; git bisect start $(git log --format=%h -1 --grep='^Test rounding') $(git log --format=%h -1 --grep='^Settings') && git bisect run grep -q 'Math.round(net' src/cart.ts | tail -12; git bisect reset; git stash pop -q",
    ],
    check: `${
      answerHas("first bad commit", "Speed up discounts")
    } && [ $(git branch --show-current) = main ]`,
  },
  {
    name: "blame",
    goals: [guess("git_blame", { file: "src/cart.ts", start_line: 14, end_line: 17 }, {
      query: "who wrote these lines",
      right: [["git_blame", { path: "src/cart.ts", lines: "14,17" }]],
    })],
    shell: ["git blame -L14,17 src/cart.ts"],
    check: answerHas("Ada Dev", "percent / 100"),
  },
  {
    name: "undo a commit",
    goals: [
      guess("git_log", { oneline: true, grep: "Currency" }),
      { guess: ["git_revert", (place) => ({ commit: commitOf(place, "Currency names") })] },
    ],
    shell: [
      "git log --oneline --grep=Currency; git revert --no-edit $(git log --format=%h --grep='^Currency' -1)",
    ],
    check: `git log -1 --format=%s | grep -q 'Revert' && grep -q '"EUR"' src/money.ts`,
  },
  {
    name: "tag",
    goals: [guess("git_tag", { name: "v1.3.1", message: "Release 1.3.1" }, {
      query: "create an annotated tag",
      right: [["git_tag_create", { name: "v1.3.1", message: "Release 1.3.1" }]],
    })],
    shell: ["git tag -a v1.3.1 -m 'Release 1.3.1'"],
    check: "[ $(git cat-file -t v1.3.1) = tag ]",
  },
  {
    name: "apply a patch",
    goals: [
      guess("git_apply", { path: "fix-health.patch" }),
      guess("git_status", { short: true }),
    ],
    shell: ["git apply fix-health.patch; git status -s"],
    check: "grep -q content-type src/server.ts",
  },
  {
    name: "a branch of the remote",
    goals: [
      guess("git_fetch", {}),
      guess("git_diff", { revision: "main...origin/bo/currency" }),
    ],
    shell: ["git fetch; git diff main...origin/bo/currency"],
    check: answerHas("Always EUR"),
  },
  {
    name: "ask the database",
    goals: [
      {
        query: "schema of a SQLite database",
        right: [["sqlite3_schema", { database: "data/shop.db" }]],
        done: /create table/i,
      },
      {
        query: "run a SQL query",
        right: [["sqlite3_query", { database: "data/shop.db", sql: paid }]],
      },
    ],
    shell: [`sqlite3 data/shop.db .schema "${paid}"`],
    check: `grep -q "$(sqlite3 data/shop.db "${paid}" | head -1 | tr '|' '.')" "$ANSWER"`,
  },
  {
    name: "change values of JSON and YAML",
    goals: [
      edit("config/app.yaml", "max_items: 50", "max_items: 80"),
      edit("config/flags.json", '"max": 30', '"max": 40'),
    ],
    shell: [
      "sed -i 's/max_items: 50/max_items: 80/' config/app.yaml; sed -i 's/\"max\": 30/\"max\": 40/' config/flags.json; git diff -U0 config",
    ],
    check:
      "[ $(git diff --numstat config | awk '{n+=$1+$2} END{print n}') = 4 ] && grep -q 'max_items: 80   # per' config/app.yaml",
  },
  {
    name: "install a package",
    goals: [guess("npm_install", { package: "nanoid" }, {
      query: "install a package from npm",
      right: [["npm_install", { packages: ["nanoid"] }]],
    })],
    shell: ["npm i nanoid 2>&1 | tail -3"],
    check: "grep -q nanoid package.json && [ -e node_modules/nanoid/package.json ]",
  },
  {
    name: "the burst in a log",
    goals: [{
      query: "count lines of a log grouped by minute",
      right: [
        ["rg_tally", { pattern: "^(.{16}).* ERROR", replace: "$1", path: ["logs/app.log"] }],
        ["rg_search", { pattern: "ERROR", path: ["logs/app.log"] }],
      ],
    }],
    shell: ["grep ERROR logs/app.log | cut -c1-16 | sort | uniq -c | sort -rn | head -5"],
    check: `grep -q "$(${highestMinute})" "$ANSWER"`,
  },
  {
    name: "sums over CSV files",
    goals: [{ query: "script_run", right: [["script_run", { code: sums }]] }],
    shell: [
      `cat data/csv/*.csv | awk -F, '$1!="date"{t[$3]+=$4*$5} END{for(c in t) print c,t[c]}'`,
    ],
    check:
      `grep -q "$(cat data/csv/*.csv | awk -F, '$3=="AT"{t+=$4*$5} END{printf "%d",t}')" "$ANSWER"`,
  },
  {
    name: "rename over 16 files",
    goals: [
      {
        query: "rename a word in many files",
        right: [["files_replace", { old: "cartTotal", new: "orderTotal", path: ["src", "test"] }]],
        detour: [["script_run", { code: renames }]],
      },
      guess("npm_test", {}, { done: /pass \d/ }),
    ],
    shell: [
      "grep -rl cartTotal src test | xargs sed -i 's/\\bcartTotal\\b/orderTotal/g' && git diff --stat && npm test 2>&1 | grep -E '^. (pass|fail)'",
    ],
    check:
      "! grep -rq cartTotal src test && [ $(grep -rl orderTotal src test | wc -l) -ge 15 ] && npm test >/dev/null 2>&1",
  },
  {
    name: "delete a generated folder",
    goals: [
      guess("npm_run", { script: "build" }),
      {
        query: "delete a folder with everything in it",
        right: [["files_remove", { path: ["dist"], recursive: true }]],
      },
    ],
    shell: ["npm run build >/dev/null 2>&1; rm -rf dist"],
    check: "[ ! -e dist ] && [ -e src/cart.ts ]",
  },
  {
    name: "the biggest files",
    goals: [{
      query: "biggest files of the project, sorted by size",
      right: [["files_biggest", {}], ["files_find", { size: "+500k" }]],
    }],
    shell: ["du -a --exclude=node_modules --exclude=.git . | sort -rn | head"],
    check: answerHas("huge.bin", "app.log"),
  },
  {
    name: "pack a folder",
    goals: [{
      query: "pack a folder into a zip archive",
      right: [["zip_create", { source: ["data/csv"], destination: "sales.zip" }]],
    }],
    shell: ["zip -qr sales.zip data/csv && ls -l sales.zip"],
    check: "[ $(unzip -l sales.zip | grep -c '\\.csv') = 12 ]",
  },
  {
    name: "who listens on a port",
    goals: [{ query: "which process listens on a port", right: [["port_list", {}]] }],
    shell: ["ss -ltnp | grep $PORT"],
    check: `grep -q "$PORT" "$ANSWER"`,
  },
  {
    name: "a long command, read later",
    goals: [
      guess("npm_run", { script: "slow", run_in_background: true }, {
        query: "run a script in the background",
        right: [["npm_run", { script: "slow", background: true }]],
        done: /still running|job_/,
      }),
      {
        query: "output of a running job",
        right: [["job_result", ({ seen }) => {
          return { id: [...seen.matchAll(/"id": "(j\w+)"/g)].at(-1)?.[1] ?? "", wait: 3 };
        }]],
        done: /tick/,
      },
    ],
    shell: [
      "nohup sh scripts/slow.sh >slow.out 2>&1 & sleep 1; tail -2 slow.out",
      "tail -2 slow.out",
    ],
    check: answerHas("tick"),
  },
  {
    name: "a URL",
    goals: [
      guess("WebFetch", { url: "http://127.0.0.1:$PORT/total", prompt: "What is the total?" }, {
        query: "get a URL",
        right: [["curl_get", { url: "http://127.0.0.1:$PORT/total" }]],
      }),
    ],
    shell: ["curl -s http://127.0.0.1:$PORT/total"],
    check: answerHas("1190"),
  },
  {
    name: "compare two files",
    goals: [{
      query: "compare two files",
      right: [["files_diff", { old: "src/reports/r01.ts", new: "src/reports/r02.ts" }]],
      done: /report02/,
    }],
    shell: ["diff -u src/reports/r01.ts src/reports/r02.ts"],
    check: answerHas("report01", "report02"),
  },
  {
    name: "search the history",
    goals: [guess("git_log", { S: "Math.floor(net", oneline: true }, {
      query: "commit that added or removed a text",
      right: [["git_log", { search: "Math.floor(net", oneline: true }]],
      done: /Speed up discounts/,
    })],
    shell: ["git log --oneline -S'Math.floor(net'"],
    check: answerHas("Speed up discounts"),
  },
  {
    name: "review 2,000 lines",
    goals: [
      guess("git_diff", { revision: "main...big/catalog", stat: true }),
      guess("git_diff", {
        revision: "main...big/catalog",
        path: ["src/cart.ts", "src/server.ts", "src/reports"],
      }),
    ],
    shell: [
      "git diff --stat main...big/catalog; git diff main...big/catalog -- . ':!src/catalog.ts'; git show big/catalog:src/catalog.ts | head -5",
    ],
    check: answerHas("0.0.0.0", "+  if (percent < 0)"),
  },
  {
    name: "format",
    goals: [guess("npm_run", { script: "format" })],
    shell: ["npx prettier --write src test | grep -v unchanged"],
    check: "node_modules/.bin/prettier --check src test >/dev/null 2>&1",
  },
  {
    name: "a new file of 200 lines",
    goals: [guess("Write", { file_path: "src/rules.ts", content: rules })],
    shell: [`cat > src/rules.ts <<'EOT'\n${rules}EOT`],
    check: "[ $(wc -l < src/rules.ts) = 201 ] && grep -q 'rule199 = { id: 199' src/rules.ts",
  },
];
