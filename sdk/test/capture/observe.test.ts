import { describe, expect, expectTypeOf, it } from "vitest";
import { recordingSdk } from "../fresh-sdk.js";

describe("observe and startSpan", () => {
  it("runs a block, passes it the span and returns its result", async () => {
    const { observe, currentSpan, takeSpans } = await recordingSdk();
    const result = await observe({ name: "checkout", attributes: { shop: 1 } }, async (span) => {
      span.setAttribute("cart", 3).addEvent("paid", { amount: 12 }).setStatus("CANCELLED");
      expect(currentSpan()).toBe(span);
      return "done";
    });
    expectTypeOf(result).toEqualTypeOf<string>();
    expect(result).toBe("done");
    expect(takeSpans()).toEqual([
      expect.objectContaining({
        name: "checkout",
        span_type: "span",
        status: "CANCELLED",
        attributes: { shop: 1, cart: 3 },
        events: [{ name: "paid", time: expect.any(Number), attributes: { amount: 12 } }],
      }),
    ]);
  });

  it("wraps a function that is the only argument", async () => {
    const { observe, takeSpans } = await recordingSdk();
    const wrapped = observe(function half(value: number) {
      return value / 2;
    });
    expectTypeOf(wrapped).parameters.toEqualTypeOf<[value: number]>();
    expect([wrapped(4), wrapped.name]).toEqual([2, "half"]);
    expect(takeSpans()).toEqual([expect.objectContaining({ name: "half", span_type: "span" })]);
  });

  it("startSpan() returns a span that ends once, by hand, and is the parent of the spans that run() starts", async () => {
    const { startSpan, task, currentSpan, takeSpans } = await recordingSdk();
    const span = startSpan({ name: "request", spanType: "agent" });
    expect(currentSpan().traceId).toBe("");
    span.run(() => task("inner", () => 1)());
    span.end();
    span.end();
    span.setAttribute("late", 1).addEvent("late").recordError(new Error("late"));
    const [inner, request] = takeSpans();
    expect(inner?.parent_span_id).toBe(span.spanId);
    expect(request).toMatchObject({ status: "OK", span_type: "agent", attributes: { agent: "request" } });
    expect(request?.attributes).not.toHaveProperty("late");
    expect(takeSpans()).toEqual([]);
  });
});
