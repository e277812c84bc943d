/** What everybody types first, each program served alone: the right tool is the first. */

import assert from "node:assert/strict";
import { toolIndexOf } from "../../src/catalog/tool_index.ts";
import { openSession } from "../../src/session/session.ts";

const queries: readonly [config: string, query: string, ...right: string[]][] = [
  ["git", "show history", "git_log"],
  ["git", "what changed", "git_diff", "git_status"],
  ["git", "undo last commit", "git_reset_soft", "git_revert"],
  ["git", "which branch am I on", "git_branch_current", "git_status"],
  ["git", "create a branch", "git_branch_create", "git_switch"],
  ["git", "list branches", "git_branch_list"],
  ["docker", "running containers", "docker_ps"],
  ["docker", "show containers", "docker_ps"],
  ["docker", "list images", "docker_images"],
  ["docker", "show volumes", "docker_volume_ls"],
  ["docker", "container logs", "docker_logs"],
  ["docker", "remove image", "docker_rmi"],
  ["gh", "list issues", "gh_issue_list"],
  ["gh", "open issues", "gh_issue_list"],
  ["gh", "my pull requests", "gh_pr_list", "gh_pr_status"],
  ["gh", "open pull requests", "gh_pr_list"],
  ["gh", "show pull requests", "gh_pr_list"],
  ["gh", "create pull request", "gh_pr_create"],
  ["gh", "merge a pull request", "gh_pr_merge"],
  ["gh", "show releases", "gh_release_list"],
  ["npm", "search packages", "npm_search"],
  ["npm", "why is this package installed", "npm_explain"],
  ["npm", "outdated packages", "npm_outdated"],
  ["npm", "list dependencies", "npm_ls"],
  ["npm", "installed packages", "npm_ls"],
  ["kubectl", "list pods", "kubectl_get"],
  ["kubectl", "show pods", "kubectl_get"],
  ["kubectl", "show nodes", "kubectl_get"],
  ["kubectl", "list deployments", "kubectl_get"],
  ["kubectl", "describe a pod", "kubectl_describe"],
  ["kubectl", "pod logs", "kubectl_logs"],
  ["kubectl", "scale deployment", "kubectl_scale"],
  ["kubectl", "restart a deployment", "kubectl_rollout_restart"],
];

for (const config of new Set(queries.map(([config]) => config))) {
  Deno.test(`search() with ${config} alone has the right tool first for what everybody types`, async () => {
    await using session = await openSession({ configs: [config] });
    const index = toolIndexOf(session.index);
    const wrong = queries.filter(([of]) => of === config).flatMap(([, query, ...right]) => {
      const [first] = index.search({ query });
      return right.includes(first!.tool_name) ? [] : [`${query}: ${first!.tool_name}`];
    });
    assert.deepEqual(wrong, []);
  });
}
