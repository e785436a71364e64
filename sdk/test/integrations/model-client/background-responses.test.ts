import { expect, it } from "vitest";
import { BackgroundResponses } from "../../../src/integrations/model-client/background-responses.js";

it("notices once that a response in progress is complete", () => {
  const responses = new BackgroundResponses();
  const states = ["queued", "in_progress", "completed", "completed"];
  expect(states.map((status) => responses.update({ id: "resp_1", status }))).toEqual([
    false,
    false,
    true,
    false,
  ]);
  expect(responses.update({ id: "resp_2", status: "completed" })).toBe(false);
  expect(responses.update(undefined)).toBe(false);
});

it("forgets the oldest of more than a thousand responses", () => {
  const responses = new BackgroundResponses();
  for (let index = 0; index <= 1000; index++) responses.update({ id: `resp_${index}`, status: "queued" });
  expect(responses.update({ id: "resp_0", status: "completed" })).toBe(false);
  expect(responses.update({ id: "resp_1", status: "completed" })).toBe(true);
});
