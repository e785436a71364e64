import { expect, it } from "vitest";
import { OpenRuns } from "../../../src/integrations/run-spans/open-runs.js";

it("closes the oldest run when more than 10,000 are open", () => {
  const closed: number[] = [];
  const runs = new OpenRuns<number>((run) => closed.push(run));
  for (let run = 0; run < 10_001; run++) runs.add(`run-${run}`, run);
  expect(closed).toEqual([0]);
  expect([runs.get("run-0"), runs.get("run-1"), runs.get(undefined)]).toEqual([undefined, 1, undefined]);
  expect([runs.take("run-1"), runs.take("run-1")]).toEqual([1, undefined]);
});
