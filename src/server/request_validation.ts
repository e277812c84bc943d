/** Errors that the SDK would answer with "internal error", or not (`tests/upstream_faults/server_sdk_test.ts`). */

import {
  CLIENT_CAPABILITIES_META_KEY,
  isInitializeRequest,
  type JSONRPCMessage,
  PROTOCOL_VERSION_META_KEY,
  ProtocolErrorCode,
  type StandardSchemaV1,
} from "@modelcontextprotocol/server";
import { describeValue, quote } from "../text/excerpt.ts";
import { isObject } from "../text/own_property.ts";

/** The first revision with an envelope in each request. */
export const envelopeRevision = "2026-07-28";

/** The name of the tasks extension. */
export const tasksExtension = "io.modelcontextprotocol/tasks";

/** A JSON-RPC error. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Returns the error of an invalid request. */
export function validateRequest(message: JSONRPCMessage): RpcError | undefined {
  if (!("method" in message && "id" in message)) return undefined;
  const claimed = message.params?._meta?.[PROTOCOL_VERSION_META_KEY];
  if (claimed !== undefined && claimed !== envelopeRevision) {
    if (typeof claimed !== "string") {
      return invalid(`'${PROTOCOL_VERSION_META_KEY}' must be the name of a protocol revision`);
    }
    return {
      code: ProtocolErrorCode.UnsupportedProtocolVersion,
      message: `Unsupported protocol version: ${quote(claimed)}`,
      data: { supported: [envelopeRevision], requested: claimed },
    };
  }
  if (message.method === "initialize" && claimed === undefined && !isInitializeRequest(message)) {
    return invalid(
      "expected 'protocolVersion' (a string), 'capabilities' (an object) and 'clientInfo' (an " +
        "object with the strings 'name' and 'version')",
    );
  }
  // Models write them, and the schema of the SDK would answer with the JSON of its issues
  const args = message.method === "tools/call" ? message.params?.["arguments"] : undefined;
  if (args !== undefined && !isObject(args)) {
    return invalid(`'arguments' must be an object, found ${describeValue(args)}`);
  }
  return validateSubscription(message);
}

/** Returns why a subscription to task notifications is invalid: its client must declare tasks. */
export function validateSubscription(
  { method, params }: { readonly method: string; readonly params?: unknown },
): RpcError | undefined {
  if (method !== "subscriptions/listen") return undefined;
  const { notifications, _meta } = (params ?? {}) as Record<string, Record<string, unknown> | null>;
  if (notifications?.["taskIds"] === undefined) return undefined;
  const capabilities = _meta?.[CLIENT_CAPABILITIES_META_KEY] as
    | { readonly extensions?: Record<string, unknown> }
    | undefined;
  if (capabilities?.extensions?.[tasksExtension] !== undefined) return undefined;
  return {
    code: ProtocolErrorCode.MissingRequiredClientCapability,
    message: "Missing required client capabilities: extensions",
    data: { requiredCapabilities: { extensions: { [tasksExtension]: {} } } },
  };
}

/** A schema of the parameters that `read` takes. Written by hand: a schema library would take longer to load. */
export function paramsOf<Params>(
  read: (value: unknown) => Params | undefined,
  message: string,
): StandardSchemaV1<unknown, Params> {
  return {
    "~standard": {
      version: 1,
      vendor: "climax",
      validate(value) {
        const params = read(value);
        return params === undefined ? { issues: [{ message }] } : { value: params };
      },
    },
  };
}

function invalid(what: string): RpcError {
  return { code: ProtocolErrorCode.InvalidParams, message: `Invalid params: ${what}` };
}
