/** Prevents the AI SDK from reading the host name and printing warnings, and so must be imported before it. */

import os from "node:os";

Object.assign(os, { hostname: () => "localhost" });
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
