/** Addresses of views: `#/tools`, `#/tools/NAME`, `#/tools?query=WORDS&cli=NAME`. */

/** Returns the address of a view, of a tool in it, or with a query. */
export function addressOf(view, { name, query = {} } = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== "");
  const words = new URLSearchParams(given).toString();
  return `#/${view}${name === undefined ? "" : `/${encodeURIComponent(name)}`}${
    words && `?${words}`
  }`;
}

/** Returns the view of an address. */
export function viewOf(hash) {
  const [path, query = ""] = hash.split(/\?([^]*)/);
  const [, view = "tools", name] = path.split("/");
  return { view, name: decoded(name), query: Object.fromEntries(new URLSearchParams(query)) };
}

function decoded(name) {
  try {
    return name && decodeURIComponent(name);
  } catch {
    return name;
  }
}
