import { describe, expect, it } from "vitest";
import { listenToConsole, recordingSdk } from "../fresh-sdk.js";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = "00f067aa0ba902b7";

describe("W3C trace context", () => {
  it("spans join the trace of the header, and the current header names the innermost span", async () => {
    const { withTrace, observe, currentTraceparent, takeSpans } = await recordingSdk();
    const header = withTrace(`00-${TRACE}-${PARENT}-01`, () => {
      expect(currentTraceparent()).toBe(`00-${TRACE}-${PARENT}-01`);
      return observe("served", () => currentTraceparent());
    });
    const [span] = takeSpans();
    expect(span).toMatchObject({ trace_id: TRACE, parent_span_id: PARENT });
    expect(header).toBe(`00-${TRACE}-${span?.span_id ?? ""}-01`);
    expect(currentTraceparent()).toBeUndefined();
  });

  it("flags are passed on unchanged, and a later version is accepted", async () => {
    const { withTrace, observe, currentTraceparent } = await recordingSdk();
    expect(withTrace(`cc-${TRACE}-${PARENT}-00-more`, () => observe("a", currentTraceparent))).toMatch(
      /-00$/,
    );
  });

  it.each([
    undefined,
    null,
    "",
    "nonsense",
    `00-${TRACE.toUpperCase()}-${PARENT}-01`,
    `ff-${TRACE}-${PARENT}-01`,
    `00-${TRACE}-${PARENT}-01-more`,
    `00-${"0".repeat(32)}-${PARENT}-01`,
    `00-${TRACE}-${"0".repeat(16)}-01`,
    [`00-${TRACE}-${PARENT}-01`, `00-${TRACE}-${PARENT}-01`],
  ])("%s starts a new trace", async (header) => {
    const { withTrace, observe, takeSpans, currentTraceparent } = await recordingSdk();
    withTrace(header, () => {
      expect(currentTraceparent()).toBeUndefined();
      observe("one", () => 1);
      observe("two", () => 2);
    });
    const spans = takeSpans();
    expect(spans[0]?.trace_id).not.toBe(TRACE);
    expect(spans[0]?.parent_span_id).toBeUndefined();
    expect(new Set(spans.map((span) => span.trace_id)).size).toBe(1);
  });

  it("withTrace() returns the result of the function", async () => {
    const { withTrace } = await recordingSdk();
    expect(await withTrace(undefined, async () => 7)).toBe(7);
  });
});

describe("session, user and agent of the current trace", () => {
  it("are on all spans of the trace that have not ended, and on no other span", async () => {
    const { observe, setSession, setUser, setAgent, takeSpans } = await recordingSdk();
    observe("request", () => {
      observe("before", () => 1);
      observe("middle", () => {
        setSession("s1");
        setUser("u1");
        setAgent("support");
      });
      observe("after", () => 1);
    });
    observe("other", () => 1);
    const named = takeSpans().map(({ name, attributes }) => [name, attributes]);
    const all = { session_id: "s1", user_id: "u1", agent: "support" };
    expect(named).toEqual([
      ["before", {}],
      ["middle", all],
      ["after", all],
      ["request", all],
      ["other", {}],
    ]);
  });

  it("can be set before the first span, inside withTrace()", async () => {
    const { withTrace, setSession, observe, takeSpans } = await recordingSdk();
    withTrace(undefined, () => {
      setSession("s1");
      observe("request", () => 1);
    });
    expect(takeSpans()[0]?.attributes).toEqual({ session_id: "s1" });
  });

  it("do not replace the name of an agent wrapper, or attributes that a span sets itself", async () => {
    const { agent, setAgent, observe, setSession, takeSpans } = await recordingSdk();
    agent("billing", () => {
      setAgent("other");
      setSession("s1");
      observe({ name: "own", attributes: { session_id: "mine" } }, () => 1);
    })();
    expect(takeSpans().map(({ attributes }) => attributes)).toEqual([
      { agent: "billing", session_id: "mine" },
      { agent: "billing", session_id: "s1" },
    ]);
  });

  it("outside every trace have no effect, and one warning says so", async () => {
    const heard = listenToConsole();
    const { setSession } = await recordingSdk();
    setSession("s1");
    setSession("s2");
    expect(heard.warnings).toEqual([expect.stringContaining("sessionId was set outside every span")]);
  });
});

it("currentSpan() returns a span that does nothing outside every span", async () => {
  const { currentSpan, takeSpans } = await recordingSdk();
  currentSpan().setAttribute("a", 1).setAttributes({ b: 2 }).addEvent("c").setStatus("ERROR").recordError(1);
  expect(currentSpan().isRecording).toBe(false);
  expect(takeSpans()).toEqual([]);
});

describe("bind()", () => {
  it("a bound function runs in the context of bind(), with its arguments, this, name and length", async () => {
    const { agent, task, bind, currentSpan, takeSpans } = await recordingSdk();
    const later: ((value: number) => number)[] = [];
    const owner = { base: 1 };
    agent("run", () => {
      later.push(
        bind(function add(this: typeof owner, value: number) {
          return task("step", () => this.base + value)();
        }),
      );
    })();
    const [add] = later;
    expect([add?.name, add?.length, currentSpan().spanId]).toEqual(["add", 1, ""]);
    expect(agent("other", () => add?.call(owner, 2))()).toBe(3);
    const [run, step] = takeSpans();
    expect(step).toMatchObject({ name: "step", trace_id: run?.trace_id, parent_span_id: run?.span_id });
  });
});
