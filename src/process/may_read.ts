/** Whether this process may read a path, without a question to the person. */

export function mayRead(path: string): boolean {
  return Deno.permissions.querySync({ name: "read", path }).state === "granted";
}
