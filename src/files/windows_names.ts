/** Finds names that Windows reads as those of other files or devices, in any folder and with any extension. */

export function isDeviceName(name: string): boolean {
  return /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])\s*(?:[.:]|$)/i.test(name);
}

/** Returns why Windows may take `name` for another file (Microsoft: Naming Files, Paths, and Namespaces). */
export function nameProblem(name: string): string | undefined {
  if (isDeviceName(name)) return `'${name}' is a device of Windows`;
  if (/[<>:"|?*]/.test(name)) return `'${name}' is not the name of a file`;
  if (/[. ]$/.test(name)) return `Windows leaves out the end of '${name}'`;
  if (/^[^.~]{1,6}~\d+(?:\.[^.]{0,3})?$/.test(name)) {
    return `'${name}' may be the short name of another file`;
  }
  return undefined;
}
