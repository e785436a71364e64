import { ERROR_CATALOGUE } from "@obspan/collector-core/api-schema";
import { expect, it } from "vitest";
import { drops, refusals, sumOf } from "../../../../src/renderer/features/traces/loss-list.js";

const ledger = {
  received: 9,
  accepted: 4,
  processed: 1,
  queued: 0,
  in_flight: 0,
  rejected: { rate_limited: 3, unauthorized: 2, of_a_later_version: 1, queue_full: 0 },
  dropped: { evicted_oldest: 3, shutdown: 0, dead_letter: 2 },
};

it("contract 4: lists each refusal with its status and meaning, and only reasons that occurred", () => {
  const refused = refusals(ledger);
  expect(refused.map(({ reason, spans }) => [reason, spans])).toEqual([
    ["429 rate_limited", 3],
    ["401 unauthorized", 2],
    ["of_a_later_version", 1],
  ]);
  expect(refused[0]?.meaning).toBe(ERROR_CATALOGUE.rate_limited.meaning);
  expect(refused[1]?.meaning).toContain("OBS_API_KEY");
  expect(sumOf(refused)).toBe(6);
});

it("contract 4: explains why accepted spans were dropped", () => {
  expect(drops(ledger)).toMatchObject([
    { reason: "evicted_oldest", spans: 3 },
    { reason: "dead_letter", spans: 2 },
  ]);
  expect(drops(ledger)[0]?.meaning).toContain("drop_oldest");
  expect(drops(ledger)[1]?.meaning).toContain("obspan:dead");
  expect(drops(undefined)).toEqual([]);
});
