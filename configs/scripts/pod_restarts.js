// Which pods restart, and what each said before it ended last.
// Config: kubectl. Input: {"namespace": "shop"}; without it, all namespaces.
const where = input?.namespace === undefined
  ? { all_namespaces: true }
  : { namespace: input.namespace };
const [head, ...rows] = (await call("kubectl_get", { kind: "pods", ...where })).text.trim().split(
  "\n",
);
const columns = head.split(/\s{2,}/);
const pods = rows.map((row) => {
  const cells = row.split(/\s{2,}/);
  return Object.fromEntries(columns.map((column, at) => [column, cells[at]]));
});
const restarted = pods.filter(({ RESTARTS }) => Number.parseInt(RESTARTS) > 0)
  .sort((one, other) => Number.parseInt(other.RESTARTS) - Number.parseInt(one.RESTARTS)).slice(
    0,
    10,
  );
return await all(restarted.map((pod) => async () => {
  const namespace = pod.NAMESPACE ?? input?.namespace;
  const last = await call("kubectl_logs", { pod: pod.NAME, namespace, previous: true, tail: 5 })
    .then(
      ({ text }) => text.trim().split("\n").at(-1),
      ({ message }) =>
        `no log: ${message.split("\n").find((line) => line.startsWith("Error")) ?? message}`,
    );
  return { pod: `${namespace}/${pod.NAME}`, restarts: pod.RESTARTS, status: pod.STATUS, last };
}));
