import { AsyncLocalStorage } from "../platform/async-local-storage.js";
import { processWide } from "../process-wide.js";
import type { ContextBridge, ContextNode } from "../span/context.js";

/** The storage of the core's context, and its bridge. */
const storage = processWide("context", () => new AsyncLocalStorage<ContextNode | undefined>());
const bridges = processWide<{ bridge?: ContextBridge }>("bridges", () => ({}));

/**
 * Makes a node the context of the rest of the calling asynchronous function. For libraries that offer no hook around a call,
 * but wait for a callback directly before it: what such a callback enters holds for the call.
 */
export function enterContext(node: ContextNode | undefined): void {
  storage.enterWith(node);
  bridges.bridge?.enter(node);
}

/**
 * Prepares {@link enterContext}. Node 20 and 22 follow the context of promises only after the first use of a storage: a node
 * that is entered before would stay current in the whole process.
 */
export function prepareEntering(): void {
  storage.enterWith(storage.getStore());
  bridges.bridge?.prepareEntering();
}
