/** The names of files for names of variables. */

/** `dockerCompose` as `docker-compose`. */
export function kebabCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
