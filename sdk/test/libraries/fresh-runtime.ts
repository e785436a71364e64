/** Runs before each file of a shared process: the SDK is as in a new process. */
import { vi } from "vitest";

Reflect.deleteProperty(globalThis, Symbol.for("obspan.sdk.v0"));
vi.resetModules();
