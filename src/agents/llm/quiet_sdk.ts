/**
 * Must be imported before the AI SDK. One of its packages reads the host name while it loads, to send it at a login, which
 * takes a permission; and the SDK prints warnings for developers.
 */

import os from "node:os";

Object.assign(os, { hostname: () => "localhost" });
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
