import { describe, expect, it } from "vitest";
import { describeError } from "../../src/span/describe-error.js";

describe("error_type is the class, with a code or a status if the class is not specific", () => {
  class RateLimitError extends Error {
    status = 429;
  }
  class APICallError extends Error {
    statusCode = 503;
  }
  class BadRequest extends Error {
    override name = "BadRequestError";
    code = "context_length_exceeded";
  }
  const refused = new TypeError("fetch failed", {
    cause: Object.assign(new Error("connect"), { code: "ECONNREFUSED" }),
  });
  const circular = new Error("round");
  circular.cause = circular;

  it.each([
    [new TypeError("x"), "TypeError"],
    [new RateLimitError("x"), "RateLimitError"],
    [new APICallError("x"), "APICallError 503"],
    [new BadRequest("x"), "BadRequestError"],
    [refused, "TypeError ECONNREFUSED"],
    [Object.assign(new Error("x"), { code: "ETIMEDOUT" }), "Error ETIMEDOUT"],
    [new DOMException("x", "TimeoutError"), "TimeoutError"],
    [circular, "Error"],
    ["text", "string"],
    [undefined, "undefined"],
    [null, "null"],
    [{ message: "plain" }, "Object"],
    [Object.create(null), "Error"],
  ])("%s", (error, type) => {
    expect(describeError(error).type).toBe(type);
  });

  it("an error that cannot be read is described too", () => {
    const unreadable = new Proxy(new Error("x"), {
      get() {
        throw new Error("no");
      },
    });
    expect(describeError(unreadable)).toEqual({
      type: "unreadable error",
      message: undefined,
      stack: undefined,
    });
  });
});
