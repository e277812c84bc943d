/**
 * Makes the scratch repository of a developer's day: a small shop in TypeScript with tests, a branch with a conflict, one
 * to rebase, one with a large diff, a fault to bisect, changes that are not committed, CSV files, a database, and a log.
 * It is the same each time.
 */

import { dirname, join } from "node:path";

/** Makes it in `place`/shop, with its remote beside it. `npm install` fetches tsx, typescript and prettier. */
export async function makeShop(
  place: string,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const shop = join(place, "shop");
  await Deno.mkdir(shop);
  const maker = new Maker(shop, env);
  await maker.sh(
    "git init -q -b main && git config user.name 'Ada Dev' && git config user.email ada@shop.example",
  );
  await maker.history();
  await maker.branches();
  await maker.remote();
  await maker.leftovers();
  await maker.sh("npm install --silent --no-audit --no-fund --no-package-lock");
  return shop;
}

class Maker {
  #seconds = 1_790_000_000;
  #seed = 7;

  constructor(readonly folder: string, readonly env: Readonly<Record<string, string>>) {}

  async sh(command: string, cwd = this.folder): Promise<void> {
    this.#seconds += 3600;
    const date = `${this.#seconds} +0000`;
    const { success, stderr } = await new Deno.Command("sh", {
      args: ["-ec", command],
      cwd,
      clearEnv: true,
      env: { ...this.env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date },
      stdout: "null",
      stderr: "piped",
    }).output();
    if (!success) throw new Error(`${command}: ${new TextDecoder().decode(stderr)}`);
  }

  async write(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, text] of Object.entries(files)) {
      const path = join(this.folder, name);
      await Deno.mkdir(dirname(path), { recursive: true });
      await Deno.writeTextFile(path, text);
    }
  }

  async change(name: string, ...changes: readonly (readonly [string, string])[]): Promise<void> {
    const text = await Deno.readTextFile(join(this.folder, name));
    for (const [old] of changes) if (!text.includes(old)) throw new Error(`${name}: no ${old}`);
    await this.write({ [name]: changes.reduce((all, [old, own]) => all.replace(old, own), text) });
  }

  async commit(message: string, files: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.write(files);
    await this.sh(`git add -A && git commit -qm '${message}'`);
  }

  /** A number from 0 to below `most`, the same in each run. */
  random(most: number): number {
    this.#seed = (Math.imul(this.#seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor(this.#seed / 2 ** 32 * most);
  }

  async history(): Promise<void> {
    await this.commit("Start orderly: cart, money and tax", start);
    await this.commit("Print invoices", invoices);
    await this.commit("Add server and command line", programs);
    await this.commit("Twelve reports over carts", reports("value"));
    await this.commit("Settings", settings);
    for (let note = 0; note < 6; note++) await this.#note(note);
    await this.change("src/cart.ts", ["Math.round(net * (1 -", "Math.floor(net * (1 -"]);
    await this.commit("Speed up discounts", { "docs/perf.md": "# Perf\n\nfloor is faster\n" });
    for (let note = 6; note < 12; note++) await this.#note(note);
    await this.change("test/cart.test.ts", ["// more", rounding]);
    await this.commit("Test rounding of discounts");
    await this.sh("git tag v1.2.0 HEAD~5");
  }

  async #note(number: number): Promise<void> {
    await this.commit(`Note ${number}`, {
      [`docs/note${number}.md`]: `# Note ${number}\n\nSome words.\n`,
    });
  }

  async branches(): Promise<void> {
    await this.sh("git switch -qc feature/swiss");
    await this.change("src/tax.ts", ["CH: 0.081", "CH: 0.077"], [
      "  FR: 0.2,\n",
      "  FR: 0.2,\n  LI: 0.077,\n",
    ]);
    await this.commit("Tax for Liechtenstein, older Swiss rate");
    await this.commit("Document LI", { "docs/swiss.md": "# Swiss\n\nLI follows CH.\n" });
    await this.sh("git switch -q main");
    await this.change("src/tax.ts", ["CH: 0.081", "CH: 0.081,\n  CZ: 0.21"], [
      "  FR: 0.2,\n",
      "  FR: 0.2,\n  IT: 0.22,\n",
    ]);
    await this.commit("Tax for Italy and Czechia");
    await this.sh("git switch -qc topic/readme HEAD~3");
    await this.change("README.md", ["Tests: ", "## License\n\nMIT\n\nTests: "]);
    await this.commit("Name the license");
    await this.commit("Contributing guide", {
      "docs/contributing.md": "# Contributing\n\nSend patches.\n",
    });
    await this.sh("git switch -q main && git switch -qc big/catalog");
    const row = (_: unknown, at: number) =>
      `  { sku: "item-${at}", price: ${100 + this.random(9900)}, group: "${
        "ABCDE"[this.random(5)]
      }" },\n`;
    await this.change("src/cart.ts", ["percent < 0 || percent > 100", "percent < 0"]);
    await this.change("src/server.ts", ['"127.0.0.1"', '"0.0.0.0"']);
    await this.commit("Catalog of products", {
      "src/catalog.ts": `export const CATALOG = [\n${
        Array.from({ length: 1900 }, row).join("")
      }];\n`,
      ...reports("first"),
    });
    await this.sh("git switch -q main");
    await this.change("src/money.ts", ['"EUR"', '"EURO"']);
    await this.commit("Currency names", { "config/notes.env": "COLOUR=blue\n" });
  }

  async remote(): Promise<void> {
    const other = join(dirname(this.folder), "other");
    await this.sh(
      "git init -q --bare -b main ../remote.git && git remote add origin ../remote.git && " +
        "git push -q origin main feature/swiss && git clone -q ../remote.git ../other",
    );
    await this.sh(
      "git config user.name 'Bo Other' && git config user.email bo@shop.example && git switch -qc bo/currency && " +
        "printf '# Currency\\n\\nAlways EUR.\\n' > docs/currency.md && git add -A && " +
        "git commit -qm 'Note on currency' && git push -q origin bo/currency",
      other,
    );
  }

  async leftovers(): Promise<void> {
    await this.change(
      "src/invoice.ts",
      ["export function invoice", "/** Text of an invoice. */\nexport function invoice"],
      ["  lines.push(`total", '  lines.push("-".repeat(40));\n  lines.push(`total'],
    );
    await this.write({
      "notes.txt": "todo: ask about CH rate\n",
      "fix-health.patch": patch,
      "scripts/slow.sh": "for i in $(seq 1 8); do echo tick $i; sleep 1; done; echo done\n",
      "logs/app.log": Array.from({ length: 50_000 }, (_, at) => this.#logLine(at)).join(""),
    });
    for (let month = 1; month <= 12; month++) {
      const date = `2026-${String(month).padStart(2, "0")}`;
      const rows = Array.from({ length: 400 }, () => {
        return `${date}-${10 + this.random(18)},item-${this.random(100)},${this.#country()},${
          1 + this.random(5)
        },${100 + this.random(9900)}\n`;
      });
      await this.write({
        [`data/csv/sales-${date}.csv`]: `date,sku,country,quantity,price_cents\n${rows.join("")}`,
      });
    }
    await this.write({ "data/shop.sql": this.#sql() });
    await this.sh(
      "sqlite3 data/shop.db < data/shop.sql && rm data/shop.sql && mkdir -p .cache/gen",
    );
    await this.sh(
      "for i in $(seq 1 30); do head -c 20000 /dev/zero > .cache/gen/c$i.bin; done; head -c 9000000 /dev/zero > .cache/huge.bin",
    );
  }

  #country(): string {
    return ["AT", "CH", "DE", "FR"][this.random(4)]!;
  }

  #logLine(at: number): string {
    const time = new Date(Date.UTC(2026, 8, 1) + at * 1700).toISOString().replace(/\.\d+Z/, "Z");
    const request = `request=${at.toString(16).padStart(6, "0")}`;
    if (at >= 31_200 && at < 31_420 && at % 2 === 0) {
      return `${time} ERROR db connection refused host=db-2 ${request} retry=${at % 5}\n`;
    }
    if (this.random(500) === 0) {
      return `${time} ERROR payment declined code=${this.random(50)} ${request}\n`;
    }
    if (this.random(50) === 0) {
      return `${time} WARN  slow request ms=${900 + this.random(3000)} ${request}\n`;
    }
    const page = ["health", "total", "cart", "items"][this.random(4)];
    return `${time} INFO  GET /${page} 200 ms=${this.random(90)} ${request}\n`;
  }

  #sql(): string {
    const customers = Array.from(
      { length: 200 },
      (_, at) => `(${at + 1},'Customer ${at + 1}','${this.#country()}')`,
    );
    const orders = Array.from({ length: 5000 }, (_, at) => {
      const status = ["paid", "open", "cancelled"][this.random(3)];
      return `(${at + 1},${1 + this.random(200)},'2026-0${1 + this.random(9)}-1${
        this.random(10)
      }',${500 + this.random(89_500)},'${status}')`;
    });
    return `create table customers(id integer primary key, name text, country text);
create table orders(id integer primary key, customer_id integer references customers(id), placed text, total_cents integer, status text);
insert into customers values ${customers.join(",")};
insert into orders values ${orders.join(",")};
`;
  }
}

const start = {
  "package.json": `${
    JSON.stringify(
      {
        name: "orderly",
        version: "1.3.0",
        type: "module",
        private: true,
        description: "Orders, taxes and invoices for a small shop",
        scripts: {
          test: "node --import tsx --test --test-reporter=spec test/*.test.ts",
          build: "tsc -p .",
          format: "prettier --write src test",
          slow: "sh scripts/slow.sh",
        },
        devDependencies: { tsx: "^4.7.0", typescript: "^5.4.0", prettier: "^3.2.0" },
      },
      null,
      2,
    )
  }\n`,
  "tsconfig.json": `${
    JSON.stringify(
      {
        compilerOptions: {
          target: "ES2022",
          module: "NodeNext",
          moduleResolution: "NodeNext",
          types: [],
          noCheck: true,
          outDir: "dist",
          strict: true,
        },
        include: ["src"],
      },
      null,
      2,
    )
  }\n`,
  ".gitignore": "node_modules/\ndist/\nlogs/\ndata/\n*.zip\n.cache/\n",
  "README.md":
    "# orderly\n\nOrders, taxes and invoices for a small shop.\n\n- `src/cart.ts` adds items and totals\n- `src/tax.ts` tax per country\n- `src/invoice.ts` prints an invoice\n- `src/server.ts` a small HTTP server (port from `PORT`)\n\nTests: `npm test`\n",
  "src/money.ts": `export type Cents = number;

/** Rounds half up, away from zero for negative amounts. */
export function roundCents(value: number): Cents {
  return Math.sign(value) * Math.round(Math.abs(value));
}

export function formatMoney(value: Cents, currency = "EUR"): string {
  const sign = value < 0 ? "-" : "";
  const rest = String(Math.abs(value) % 100).padStart(2, "0");
  return \`\${sign}\${Math.floor(Math.abs(value) / 100)}.\${rest} \${currency}\`;
}
`,
  "src/tax.ts": `import { roundCents, type Cents } from "./money.js";

const RATES: Record<string, number> = {
  AT: 0.2,
  CH: 0.081,
  DE: 0.19,
  FR: 0.2,
};

export function computeTax(net: Cents, country: string): Cents {
  const rate = RATES[country];
  if (rate === undefined) throw new Error(\`no tax rate for \${country}\`);
  return roundCents(net * rate);
}
`,
  "src/cart.ts": `import { computeTax } from "./tax.js";
import type { Cents } from "./money.js";

export interface Item {
  sku: string;
  price: Cents;
  quantity: number;
}

export function subtotal(items: Item[]): Cents {
  return items.reduce((sum, item) => sum + item.price * item.quantity, 0);
}

export function applyDiscount(net: Cents, percent: number): Cents {
  if (percent < 0 || percent > 100) throw new RangeError("percent out of range");
  return Math.round(net * (1 - percent / 100));
}

export function cartTotal(items: Item[], country: string, percent = 0): Cents {
  const net = applyDiscount(subtotal(items), percent);
  return net + computeTax(net, country);
}
`,
  "test/cart.test.ts": `import test from "node:test";
import assert from "node:assert/strict";
import { applyDiscount, cartTotal, subtotal } from "../src/cart.js";

const items = [
  { sku: "cup", price: 1299, quantity: 2 },
  { sku: "pot", price: 4550, quantity: 1 },
];

test("subtotal multiplies by quantity", () => {
  assert.equal(subtotal(items), 7148);
});

test("discount keeps the range", () => {
  assert.throws(() => applyDiscount(100, 101), RangeError);
});

test("total with tax and discount", () => {
  assert.equal(cartTotal(items, "DE"), 8506);
  assert.equal(cartTotal(items, "AT", 10), 7720);
});
// more
`,
};

const rounding = `
test("discount rounds half up", () => {
  assert.equal(applyDiscount(1299, 50), 650);
  assert.equal(applyDiscount(999, 33), 669);
});
`;

const invoices = {
  "src/invoice.ts": `import { formatMoney } from "./money.js";
import { cartTotal, subtotal, type Item } from "./cart.js";

export function invoice(items: Item[], country: string): string {
  const lines = items.map((item) => \`\${item.sku.padEnd(20)} \${item.quantity} \${formatMoney(item.price * item.quantity)}\`);
  lines.push(\`net   \${formatMoney(subtotal(items))}\`);
  lines.push(\`tax   \${country}\`);
  lines.push("");
  lines.push("Thank you for your order");
  lines.push("Orderly, Main Street 1");
  lines.push("");
  lines.push(\`total \${formatMoney(cartTotal(items, country))}\`);
  return lines.join("\\n");
}
`,
  "test/invoice.test.ts": `import test from "node:test";
import assert from "node:assert/strict";
import { invoice } from "../src/invoice.js";

test("invoice ends with the total", () => {
  assert.match(invoice([{ sku: "cup", price: 1000, quantity: 1 }], "DE"), /total 11\\.90 EUR/);
});
`,
};

const programs = {
  "src/server.ts": `import http from "node:http";
import { cartTotal } from "./cart.js";

const port = Number(process.env.PORT ?? 8123);
http
  .createServer((request, response) => {
    if (request.url === "/health") return response.end("ok\\n");
    if (request.url === "/total") return response.end(String(cartTotal([{ sku: "cup", price: 1000, quantity: 1 }], "DE")) + "\\n");
    response.statusCode = 404;
    response.end("not found\\n");
  })
  .listen(port, "127.0.0.1", () => console.log(\`listening on \${port}\`));
`,
  "src/cli.ts": `import { cartTotal } from "./cart.js";
const [country = "DE", price = "1000"] = process.argv.slice(2);
console.log(cartTotal([{ sku: "x", price: Number(price), quantity: 1 }], country));
`,
};

const patch = `diff --git a/src/server.ts b/src/server.ts
--- a/src/server.ts
+++ b/src/server.ts
@@ -4,6 +4,7 @@
 const port = Number(process.env.PORT ?? 8123);
 http
   .createServer((request, response) => {
+    response.setHeader("content-type", "text/plain");
     if (request.url === "/health") return response.end("ok\\n");
     if (request.url === "/total") return response.end(String(cartTotal([{ sku: "cup", price: 1000, quantity: 1 }], "DE")) + "\\n");
     response.statusCode = 404;
`;

const settings = {
  "config/app.yaml":
    "# main settings of the shop\nserver:\n  port: 8123        # loopback only\n  host: 127.0.0.1\n\nlimits:\n  max_items: 50   # per cart\n  timeout_ms: 3000\n\nfeatures: [invoice, discount]   # keep sorted?\n",
  "config/flags.json":
    '{\n  "discounts": { "enabled": true, "max": 30 },\n  "exports": {"csv": true, "pdf": false},\n  "regions": ["AT", "CH",\n    "DE", "FR"],\n  "retries": 3\n}\n',
};

/** Twelve modules that use `cartTotal`, with a variable of the name `local`. */
function reports(local: string): Record<string, string> {
  return Object.fromEntries(Array.from({ length: 12 }, (_, at) => {
    const number = String(at + 1).padStart(2, "0");
    return [
      `src/reports/r${number}.ts`,
      `import { cartTotal, type Item } from "../cart.js";

export function report${number}(items: Item[]): number {
  const ${local} = cartTotal(items, "DE", ${at + 1});
  return ${local} - cartTotal(items, "AT", ${at + 1});
}
`,
    ];
  }));
}
