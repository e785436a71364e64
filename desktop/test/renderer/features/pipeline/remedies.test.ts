import { expect, it } from "vitest";
import { remedyOf } from "../../../../src/renderer/features/pipeline/remedies.js";

it("gives advice for known events, and none for the rest", () => {
  const refused = {
    time: "",
    first_time: "",
    count: 1,
    method: "POST",
    path: "/",
    status: 401,
    message: "",
    client: "",
    user_agent: "",
  };
  expect(remedyOf({ ...refused, code: "unauthorized" })).toContain("X-API-Key");
  expect(remedyOf({ ...refused, code: "internal_error" })).toBe("–");
  expect(remedyOf({ ...refused, code: "queue_unavailable" })).toContain("queue.url");
});
