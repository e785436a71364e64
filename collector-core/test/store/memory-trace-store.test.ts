import { createMemoryTraceStore } from "../../src/store/memory-trace-store.js";
import { describeTraceStore } from "./trace-store-contract.js";

describeTraceStore("the memory trace store", createMemoryTraceStore);
describeTraceStore("the memory trace store in small segments", (options) =>
  createMemoryTraceStore({ ...options, segmentBytes: 4096 }),
);
