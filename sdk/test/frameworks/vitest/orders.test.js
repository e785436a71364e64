import { expect, it } from "vitest";
import { support } from "./support.js";

it("answers questions about orders", async () => {
  expect(await support("What about orders?")).not.toBe("");
});
