import { describe, expect, it } from "vitest";
import { recordingSdk } from "../fresh-sdk.js";

describe("attributes and events", () => {
  it("a span is never larger than a collector accepts", async () => {
    const { observe, takeSpans } = await recordingSdk();
    observe("huge", (span) => {
      for (let index = 0; index < 50; index++) span.setAttribute(`text.${index}`, "x".repeat(900_000));
      span.setAttribute("last", "small");
    });
    const [span] = takeSpans();
    expect(JSON.stringify(span).length).toBeLessThan(5_000_000);
    expect(span?.attributes?.["last"]).toBe("small");
  });

  it("an attribute that is set again counts once towards the size of its span", async () => {
    const { observe, takeSpans } = await recordingSdk();
    const values = ["x".repeat(500_000), { text: "y".repeat(500_000) }, ["z", 1, true, null], 7, true, "end"];
    observe("repeated", (span) => {
      span.setAttributes({ first: "x".repeat(9000), flag: true, count: 1, text: "short" });
      for (let round = 0; round < 20; round++)
        for (const key of ["first", "flag", "count", "text"])
          for (const value of values) span.setAttribute(key, value);
      for (let index = 0; index < 3; index++) span.setAttribute(`large.${index}`, "x".repeat(900_000));
    });
    const [span] = takeSpans();
    expect(Object.keys(span?.attributes ?? {})).toEqual([
      ...["first", "flag", "count", "text"],
      ...["large.0", "large.1", "large.2"],
    ]);
    expect(span?.attributes?.["first"]).toBe("end");
  });

  it("a span does not shrink below its size, however often an attribute is set", async () => {
    const { observe, takeSpans } = await recordingSdk();
    observe("repeated", (span) => {
      span.setAttributes({ a: true, b: 1, c: "text" });
      for (let round = 0; round < 5000; round++)
        span
          .setAttribute("a", round % 2 === 0)
          .setAttribute("b", round)
          .setAttribute("c", `${round}`);
      for (let index = 0; index < 8; index++) span.setAttribute(`large.${index}`, "x".repeat(900_000));
    });
    expect(JSON.stringify(takeSpans()).length).toBeLessThan(4_300_000);
  });

  it("invalid attributes are left out, and the others are kept", async () => {
    const unreadable = new Proxy(
      {},
      {
        ownKeys() {
          throw new Error("proxy");
        },
      },
    );
    const { observe, takeSpans } = await recordingSdk();
    observe("block", (span) => {
      span.setAttributes({
        a: 1,
        gone: undefined,
        nan: NaN,
        nothing: null,
        ["__proto__"]: "kept",
        list: [1],
      });
      span.setAttributes(unreadable);
      span.setAttribute("b", Infinity).setAttribute("a", 2);
    });
    const attributes = takeSpans()[0]?.attributes ?? {};
    expect(Object.entries(attributes)).toEqual([
      ["a", 2],
      ["nothing", null],
      ["__proto__", "kept"],
      ["list", [1]],
    ]);
  });

  it("at most 128 events are kept, with names of at most 256 characters", async () => {
    const { observe, takeSpans } = await recordingSdk();
    observe("many", (span) => {
      for (let count = 0; count < 200; count++) span.addEvent("x".repeat(300));
    });
    const events = takeSpans()[0]?.events ?? [];
    expect([events.length, events[0]?.name.length]).toEqual([128, 256]);
  });
});

describe("values that the types forbid and JavaScript allows", () => {
  it("a missing name is replaced by the kind of the span", async () => {
    const { observe, startSpan, takeSpans, tool } = await recordingSdk();
    const nothing = undefined as unknown as string;
    startSpan({ name: nothing }).end();
    startSpan(nothing).end();
    observe({ name: 5 as unknown as string, spanType: "task" }, () => 1);
    startSpan({ name: "typed", spanType: 5 as unknown as string }).end();
    tool({ name: {} as unknown as string }, () => 1)();
    expect(takeSpans().map(({ name, span_type }) => [name, span_type])).toEqual([
      ["span", "span"],
      ["span", "span"],
      ["task", "task"],
      ["typed", "span"],
      ["tool", "tool"],
    ]);
  });

  it("names of spans and events are clipped at 256 characters (contract 1)", async () => {
    const { startSpan, takeSpans } = await recordingSdk();
    startSpan("n".repeat(1e6)).addEvent("e".repeat(1e6)).end();
    const [span] = takeSpans();
    expect([span?.name.length, span?.events?.[0]?.name.length]).toEqual([256, 256]);
  });

  it("keys, statuses and events of the wrong type are left out, and other spans are not affected", async () => {
    const { startSpan, stats, takeSpans } = await recordingSdk();
    const wrong = [Symbol("s"), 7, undefined, null, {}] as unknown as string[];
    for (const value of wrong) {
      startSpan("wrong").setAttribute(value, 1).setStatus(value).addEvent(value).end();
    }
    startSpan("right").end();
    expect(stats()).toMatchObject({ enqueued: 6, pending: 6 });
    const spans = takeSpans();
    expect(spans.at(-1)?.name).toBe("right");
    expect(spans.every(({ status, attributes, events }) => status === "OK" && attributes && !events)).toBe(
      true,
    );
    expect(spans[0]?.attributes).toEqual({});
  });
});
