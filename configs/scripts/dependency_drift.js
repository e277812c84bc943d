// How far the packages of an npm project are behind, the largest steps first, each with its licence now.
// Config: npm. Input: {"directory": "web"}; without it, the server's directory.
const where = input?.directory === undefined ? {} : { directory: input.directory };
// npm ends with exit code 1 when there are some
const { text } = await call("npm_outdated", where).catch((error) => ({ text: error.message }));
const rows = text.split("\n").map((line) => line.trim().split(/\s+/)).filter(([name, ...rest]) => {
  return rest.length >= 3 && name !== "Package" && /^\d/.test(rest[2]);
});
const steps = ["major", "minor", "patch"];
const stepOf = (from, to) => {
  const [a, b] = [from, to].map((version) => version.split(".").map(Number));
  return steps[[0, 1, 2].find((at) => a[at] !== b[at]) ?? 2];
};
const found = await all(rows.map(([name, current, , latest]) => async () => {
  const { text: license } = await call("npm_view", {
    package: `${name}@${latest}`,
    field: ["license"],
  });
  return { name, current, latest, step: stepOf(current, latest), license: license.trim() };
}));
return found.sort((one, other) => steps.indexOf(one.step) - steps.indexOf(other.step));
