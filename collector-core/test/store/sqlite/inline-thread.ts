import { MessageChannel } from "node:worker_threads";
import type { Clock } from "../../../src/runtime/clock.js";
import type { FromThread } from "../../../src/store/sqlite/thread/protocol.js";
import type { StartThread } from "../../../src/store/sqlite/thread/thread-handle.js";
import type { EngineHost, StorageEngine } from "../../../src/store/sqlite/thread/storage-engine.js";
import { serveEngine } from "../../../src/store/sqlite/thread/command-server.js";

/**
 * A storage thread that runs in the test's own thread, with messages as between threads.
 *
 * @param clock - divides the time between spans and questions. Default: the system's.
 */
export function inlineThread(
  createEngine: (host: EngineHost) => StorageEngine | Promise<StorageEngine>,
  clock?: Pick<Clock, "monotonic">,
): StartThread {
  return ({ onMessage, onExit }) => {
    const { port1, port2 } = new MessageChannel();
    port1.on("message", (message: FromThread) => onMessage(message));
    port1.on("close", () => onExit(undefined));
    void serveEngine({ port: port2, createEngine, clock });
    return {
      postMessage: (message, transfer) => port1.postMessage(message, transfer),
      terminate: async () => port1.close(),
    };
  };
}
