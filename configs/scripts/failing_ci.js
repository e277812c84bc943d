// The newest failed run of each workflow of GitHub Actions, with the end of the log of what failed.
// Config: gh. Input: {"branch": "main", "lines": 10}.
const where = input?.branch === undefined ? {} : { branch: input.branch };
const fields = ["databaseId", "workflowName", "conclusion", "displayTitle", "headSha"];
const { data: runs } = await call("gh_run_list", { ...where, limit: 50, json: fields });
const newest = new Map();
for (const run of runs) if (!newest.has(run.workflowName)) newest.set(run.workflowName, run);
const failed = [...newest.values()].filter(({ conclusion }) => conclusion === "failure");
return await all(failed.map((run) => async () => {
  const { text } = await call("gh_run_view", { run_id: run.databaseId, log_failed: true });
  const lines = text.trim().split("\n").slice(-(input?.lines ?? 10)).map((line) =>
    line.split("\t").at(-1)
  );
  return {
    workflow: run.workflowName,
    commit: run.headSha.slice(0, 9),
    title: run.displayTitle,
    end: lines,
  };
}));
