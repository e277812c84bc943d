/** Sends requests to the server of this page, and to no other host, and makes the addresses of views. */

const key = "climax-token";

/** Takes the token out of the page's address and stores it, so that it is neither seen nor bookmarked. */
export function takeToken() {
  const [, token] = /^#token=([A-Za-z0-9_-]+)$/.exec(location.hash) ?? [];
  if (token === undefined) return;
  sessionStorage.setItem(key, token);
  history.replaceState(history.state, "", "/#/tools");
}

async function send(path, init) {
  const headers = { "x-climax-token": sessionStorage.getItem(key) ?? "", ...init?.headers };
  let response;
  try {
    response = await fetch(path, { ...init, headers, redirect: "error" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The program behind this page does not answer: it has probably been ended");
  }
  if (response.ok) return response;
  const { error } = await response.json().catch(() => ({}));
  throw new Error(error?.message ?? `The answer was ${response.status}`);
}

export async function read(path, query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== "");
  const words = new URLSearchParams(given).toString();
  return await (await send(words === "" ? path : `${path}?${words}`)).json();
}

function post(path, value, signal) {
  const headers = { "content-type": "application/json" };
  return send(path, { method: "POST", headers, body: JSON.stringify(value), signal });
}

/** Sends `value` to `path` in a POST request, and returns the answer. */
export async function write(path, value) {
  return await (await post(path, value)).json();
}

/** Makes a call and yields each JSON line of the response as it arrives. */
export async function* stream(path, value, signal) {
  const response = await post(path, value, signal);
  const parts = response.body.pipeThrough(new TextDecoderStream());
  let rest = [];
  for await (const part of parts) {
    const lines = part.split("\n");
    // A long line arrives in many parts; joining them once at its end takes linear time
    rest.push(lines[0]);
    for (const line of lines.slice(1)) {
      const whole = rest.join("");
      rest = [line];
      if (whole !== "") yield JSON.parse(whole);
    }
  }
}

/** Returns the address of a view, of a tool in it, or with a query: `#/tools/NAME`, `#/tools?query=WORDS`. */
export function addressOf(view, { name, query = {} } = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== "");
  const words = new URLSearchParams(given).toString();
  return `#/${view}${name === undefined ? "" : `/${encodeURIComponent(name)}`}${
    words && `?${words}`
  }`;
}

/** Returns the address of a tool with `args` in its form; opening the address makes no call. */
export function callAddress(name, args) {
  return addressOf("tools", { name, query: { args: JSON.stringify(args) } });
}

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
