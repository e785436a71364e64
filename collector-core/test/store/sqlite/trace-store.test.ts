import { describeTraceStore } from "../contract/describe-trace-store.js";
import { openDurableStore } from "./durable-store.js";

describeTraceStore("the durable trace store", async ({ maxBytes: _maxBytes, ...options }) =>
  openDurableStore(options),
);
