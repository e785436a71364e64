import { expect, it } from "vitest";
import { TroubleLog } from "../../src/export/trouble-log.js";

it("one warning an episode, and its count when it is over", () => {
  const said: string[] = [];
  let nowMs = 0;
  const log = new TroubleLog({
    warn: (message) => said.push(`warn: ${message}`),
    inform: (message) => said.push(`info: ${message}`),
    nowMs: () => nowMs,
  });
  log.delivered();
  log.lost(100, "it answered 500");
  for (let count = 0; count < 50; count++) {
    // Some get through all along.
    log.delivered();
    log.lost(1, "the buffer is full");
    nowMs += 1000;
  }
  nowMs += 40_000;
  log.delivered();
  log.delivered();
  log.lost(1, "it answered 401, is the key right?");
  expect(said).toEqual([
    "warn: 100 spans were dropped: it answered 500. stats() counts on.",
    "info: All is delivered again; 150 spans were dropped in the meantime.",
    "warn: 1 span was dropped: it answered 401, is the key right? stats() counts on.",
  ]);
});
