import { expect, test } from "vitest";
import { nextFound } from "../../../../../src/renderer/features/session/model/next-found.js";
import { summary } from "../../../fake-api.js";

test("a search goes from match to match, over turns that were not fetched, and begins again at the end", () => {
  const turns = ["d", "e", "f", "g"].map((id) => summary(id));
  const [d, , f, g] = turns;
  const found = ["a", "b", "e", "g"];
  expect(nextFound(found, turns, d, 1)).toBe("e");
  expect(nextFound(found, turns, f, 1)).toBe("g");
  expect(nextFound(found, turns, g, 1)).toBe("a");
  expect(nextFound(found, turns, f, -1)).toBe("e");
  expect(nextFound(found, turns, d, -1)).toBe("b");
  expect(nextFound(found, turns, undefined, -1)).toBe("g");
  expect(nextFound([], turns, d, 1)).toBeUndefined();
});
