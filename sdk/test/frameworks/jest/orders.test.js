const { support } = require("./support.js");

it("answers questions about orders", async () => {
  expect(await support("What about orders?")).not.toBe("");
});
