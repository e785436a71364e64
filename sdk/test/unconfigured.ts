/** Runs in each file of a shared process: a file that configures the SDK would do so for those after it. */
import { afterAll, expect } from "vitest";
import { recordingState } from "../src/runtime/runtime.js";

afterAll(() => {
  const reason =
    "A file that configures the SDK has it from fresh-sdk.ts, or belongs to CONFIGURING in vitest.config.ts.";
  expect(recordingState.phase, reason).not.toBe("frozen");
});
