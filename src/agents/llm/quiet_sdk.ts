/** Prevents the AI SDK from reading the host name and printing warnings. This module must be imported before the SDK. */

import os from "node:os";

Object.assign(os, { hostname: () => "localhost" });
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
