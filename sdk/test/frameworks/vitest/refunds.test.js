import { expect, it } from "vitest";
import { support } from "./support.js";

it("answers questions about refunds", async () => {
  expect(await support("What about refunds?")).not.toBe("");
});
