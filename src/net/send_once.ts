/**
 * Sends an HTTP request once, follows no redirect, and refuses to send a secret unencrypted to another machine. Bounds
 * the bytes and the JSON values of an answer, or of each event if the answer is a stream of events.
 */

import { causesOf, messageOf } from "../errors.ts";
import { isLoopback } from "../process/address.ts";
import { excessOf, maxMessageValues } from "../text/message_scan.ts";

export interface SendOptions {
  /** An answer, or an event of a stream, has at most this many bytes. @default 32 MiB */
  readonly maxBytes?: number;
  /** An answer, or an event of a stream, has at most this many JSON values. @default 100,000 */
  readonly maxValues?: number;
  readonly onExcess?: (() => void) | undefined;
  /** The answer may be a stream of events, which has no bound as a whole. @default false */
  readonly hasEvents?: boolean;
  readonly signal?: AbortSignal | null | undefined;
  readonly onStreamEnd?: (() => void) | undefined;
  /** Credentials in the request, which are not sent unencrypted to another machine, and are masked in errors. */
  readonly secrets?: readonly (string | undefined)[];
}

/** Says that a request has no usable answer. The MCP SDK takes only a `TypeError` for a failure of the network. */
export class NetworkError extends TypeError {
  override readonly name = "NetworkError";

  /** `unsent`: the request was not sent; `unread`: an answer came that is not accepted; `lost`: neither is certain. */
  constructor(message: string, readonly kind: "unsent" | "unread" | "lost") {
    super(message);
  }
}

export function reasonOf(error: unknown): string {
  return messageOf(causesOf(error).find((each) => each instanceof NetworkError) ?? error);
}

/** No connection is used twice: Deno may repeat a request on it (https://github.com/denoland/deno/issues/35610). */
const client = Deno.createHttpClient({ poolMaxIdlePerHost: 0, http2: false });

/** A redirect is an error, or the answer if `init.redirect` is `manual`. @throws {NetworkError} or the reason of an abort */
export async function sendOnce(
  input: string | URL,
  init: RequestInit = {},
  options: SendOptions = {},
): Promise<Response> {
  const url = new URL(input);
  const secrets = (options.secrets ?? []).filter((each) => each !== undefined);
  const mask = (text: string) => maskSecrets(text, secrets);
  requireEncryption(url, secrets);
  let isAnswered = false;
  try {
    const response = await fetch(url, { ...init, redirect: "manual", client });
    isAnswered = true;
    if (init.redirect !== "manual") await refuseRedirect(response, url);
    const bounds = { signal: init.signal, ...options };
    return await boundAnswer(response, bounds, response.ok ? undefined : mask);
  } catch (error) {
    if (error instanceof ExcessError) throw new NetworkError(error.message, "unread");
    if (!(error instanceof TypeError) || error instanceof NetworkError) throw error;
    const { cause, message } = error;
    const words = mask(messageOf(cause ?? message));
    // Only the text of Deno's error says how far a request came; a request counts as sent if the text is unclear
    const [, stage, reason = words] = /client error \((\w+)\): ([^]*)/.exec(words) ?? [];
    const isUnsent = !isAnswered && (stage === "Connect" || cause === undefined);
    const told = explain(reason);
    if (isUnsent) throw new NetworkError(`no connection to ${url.host}: ${told}`, "unsent");
    throw new NetworkError(`the connection to ${url.host} broke off: ${told}`, "lost");
  }
}

const remedies: readonly (readonly [reason: RegExp, words: string])[] = [
  [
    /UnknownIssuer/,
    "its certificate has an unknown authority: set NODE_EXTRA_CA_CERTS to its file",
  ],
  [/not valid for name/, "its certificate is for another name: use the name in the certificate"],
  [/certificate|CaUsedAsEndEntity/, "its certificate is not accepted"],
  [/corrupt message|InvalidContentType/, "it does not speak TLS: try an address with http://"],
  [/invalid HTTP version/, "it does not speak HTTP: try an address with https://"],
  [/Connection refused/, "nothing listens there, or at the proxy of HTTP_PROXY or HTTPS_PROXY"],
  [/dns error/, "its name cannot be looked up: correct the address, or connect to the network"],
];

function explain(reason: string): string {
  const [, words] = remedies.find(([pattern]) => pattern.test(reason)) ?? [];
  return words === undefined ? reason : `${words} (${reason})`;
}

/** Refuses to send `secrets` unencrypted to another machine. @throws {NetworkError} */
export function requireEncryption(url: URL, secrets: readonly string[]): void {
  if (secrets.length === 0 || !isReadableOnTheWay(url)) return;
  const text = `a credential is not sent in clear to another machine, ${url.host}`;
  throw new NetworkError(`${text}: its address must begin with https:// or wss://`, "unsent");
}

export function isReadableOnTheWay({ protocol, hostname }: URL): boolean {
  return ["http:", "ws:"].includes(protocol) && !isLoopback(hostname.replace(/^\[|\]$/g, ""));
}

async function refuseRedirect({ status, headers, body }: Response, url: URL): Promise<void> {
  if (![301, 302, 303, 307, 308].includes(status)) return;
  await body?.cancel();
  const to = URL.parse(headers.get("location") ?? "", url)?.origin ?? "another address";
  throw new NetworkError(`it redirects to ${to} (${status}), which is not followed`, "unread");
}

/** Texts with fewer characters are not masked, since masking them would remove common words. */
const minSecretLength = 6;

export function maskSecrets(text: string, secrets: readonly string[]): string {
  return secretMasker(secrets)(text);
}

/** Returns a function that replaces `secrets` by `***`, also without a scheme such as `Bearer`, in JSON and URLs. */
export function secretMasker(secrets: readonly string[]): (text: string) => string {
  const forms = secrets.flatMap((secret) => [secret, secret.replace(/^\w+\s+/, "")])
    .flatMap((each) => [each, JSON.stringify(each).slice(1, -1), encodeURIComponent(each)])
    .filter(({ length }) => length >= minSecretLength)
    .toSorted((one, other) => other.length - one.length);
  return (text) => forms.reduce((rest, form) => rest.replaceAll(form, "***"), text);
}

const defaultBytes = 32 * 1024 * 1024;

class ExcessError extends Error {}

/** Reads the whole of `response`, and converts its text by `change`; passes a stream of events on. */
async function boundAnswer(
  response: Response,
  bounds: SendOptions,
  change?: (text: string) => string,
): Promise<Response> {
  const { body, headers, status, statusText } = response;
  if (body === null) return response;
  const isStream = bounds.hasEvents === true &&
    /^text\/event-stream\b/i.test(headers.get("content-type")?.trim() ?? "");
  const counter = new MessageCounter(bounds, isStream);
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      counter.add(chunk);
      controller.enqueue(chunk as Uint8Array<ArrayBuffer>);
    },
  });
  if (isStream) {
    const end = () => bounds.onStreamEnd?.();
    void body.pipeTo(writable, bounds.signal ? { signal: bounds.signal } : {}).then(end, end);
    return new Response(readable, response);
  }
  const bytes = await new Response(body.pipeThrough({ readable, writable })).bytes();
  const answer = change === undefined ? bytes : change(new TextDecoder().decode(bytes));
  const head = { status, statusText: change?.(statusText) ?? statusText, headers };
  return new Response([204, 205, 304].includes(status) ? null : answer, head);
}

const [lineFeed, carriageReturn, quote, backslash] = [0x0a, 0x0d, 0x22, 0x5c];
const [comma, openList, closeList, openObject, closeObject] = [0x2c, 0x5b, 0x5d, 0x7b, 0x7d];

/** Counts bytes, JSON values and nesting of an answer while it arrives, for each event of a stream anew. */
export class MessageCounter {
  values = 0;
  depth = 0;
  #bytes = 0;
  #open = 0;
  #isText = false;
  #isEscaped = false;
  #isLineEmpty = true;
  #isEmpty = true;
  #wasReturn = false;

  constructor(readonly bounds: SendOptions, readonly isStream: boolean) {}

  add(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]!;
      this.#bytes++;
      if (byte === lineFeed || byte === carriageReturn) this.#endLine(byte);
      else {
        this.#isEmpty = this.#isLineEmpty = this.#wasReturn = false;
        this.#count(byte);
      }
    }
    this.#check();
  }

  #count(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === quote) this.#isText = !this.#isText;
    else if (this.#isText) this.#isEscaped = byte === backslash;
    else if (byte === comma) this.values++;
    else if (byte === openObject || byte === openList) {
      this.values++;
      this.depth = Math.max(this.depth, ++this.#open);
    } else if (byte === closeObject || byte === closeList) this.#open--;
  }

  #endLine(byte: number): void {
    const isSecondHalf = byte === lineFeed && this.#wasReturn;
    this.#wasReturn = byte === carriageReturn;
    this.#isText = this.#isEscaped = false;
    if (!this.isStream || isSecondHalf) return;
    this.values++;
    if (this.#isLineEmpty && !this.#isEmpty) {
      this.#check();
      this.#isEmpty = true;
      [this.values, this.depth, this.#open, this.#bytes] = [0, 0, 0, 0];
    }
    this.#isLineEmpty = true;
  }

  #check(): void {
    const { maxBytes = defaultBytes, maxValues = maxMessageValues, onExcess } = this.bounds;
    const excess = this.#bytes > maxBytes
      ? `more than ${maxBytes} bytes`
      : excessOf(this, maxValues);
    if (excess === undefined) return;
    onExcess?.();
    throw new ExcessError(`the answer has ${excess}`);
  }
}
