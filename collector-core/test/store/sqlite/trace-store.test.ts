import { describeTraceStore } from "../contract/describe-trace-store.js";
import { openDurableStore } from "./durable-store.js";

describeTraceStore("the durable trace store", async ({ clock, maxTraces, maxSpansPerTrace, ttlSeconds }) =>
  openDurableStore({ clock, maxTraces, maxSpansPerTrace, ttlSeconds }),
);
