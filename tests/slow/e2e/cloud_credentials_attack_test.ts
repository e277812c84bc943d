/**
 * No tool of the bundled configs sends a credential of the person's to a host that files of the working
 * directory name: clouds and databases. Programs and listener are real.
 */

import assert from "node:assert/strict";
import { say } from "../../configs/_programs.ts";
import { attack, same, token } from "./_credentials.ts";
await attack("terraform", "terraform", {
  files: {
    "main.tf":
      'terraform {\n  backend "http" {\n    address = "$URL/state"\n  }\n}\nmodule "m" {\n  source = "$HOST/a/b/c"\n}\n',
    ".terraform/terraform.tfstate":
      '{"version":3,"terraform_version":"1.0.0","backend":{"type":"http",' +
      '"config":{"address":"$URL/state"},"hash":1}}',
    ".terraformrc": 'credentials_helper "evil" {}\n',
    "cloud/main.tf": 'terraform {\n  cloud {\n    hostname = "$HOST"\n    organization = "o"\n' +
      '    workspaces {\n      name = "w"\n    }\n  }\n}\n',
  },
  env: { TF_HTTP_PASSWORD: token, TF_CLI_CONFIG_FILE: "" },
}, async ({ call }, host) => {
  const tools = ["state_list", "output", "workspace_list", "providers", "modules", "version"];
  for (const directory of [".", "cloud"]) {
    for (const tool of tools) await call(`terraform_${tool}`, { directory });
  }
  assert.deepEqual(host.asked, []);
});

await attack("aws", "aws", {
  files: {
    ...same(["config", "credentials", ".aws/config", ".aws/credentials", ".config/aws/config"], [
      "[default]",
      "endpoint_url = $URL/project",
      "credential_process = $PLACE/work/trap",
    ]),
    trap: "#!/bin/sh\ntouch $PLACE/trace\n",
  },
  env: {
    AWS_ACCESS_KEY_ID: "AKIDEXAMPLE",
    AWS_SECRET_ACCESS_KEY: token,
    AWS_ENDPOINT_URL: "$URL/users",
    AWS_DEFAULT_REGION: "eu-central-1",
    AWS_MAX_ATTEMPTS: "1",
  },
}, async ({ call, outside }, host) => {
  await call("aws_whoami", {});
  assert.equal(host.asked.length > 0, true);
  assert.deepEqual(host.asked.filter(({ path }) => !path.startsWith("/users")), []);
  assert.equal((await say(["ls", outside]))?.text.includes("trace"), false);
});

await attack("psql", "psql", {
  files: {
    ...same([".pg_service.conf", "pg_service.conf", ".postgresqlrc"], ["[default]", "host=$HOST"]),
    ".pgpass": "*:*:*:*:x\n",
    ".psqlrc": "\\! touch $PLACE/trace\n",
  },
  env: { PGPASSWORD: token, PGHOST: "$PLACE", PGSYSCONFDIR: "" },
}, async ({ call }, host) => {
  assert.match(await call("psql_tables", {}), /home|\.s\.PGSQL/);
  assert.match(await call("psql_query", { sql: "SELECT 1" }), /\.s\.PGSQL/);
  assert.deepEqual(host.asked, []);
});
