import { describe, expect, it } from "vitest";
import type { Evaluation } from "../../src/api-schema/evaluations.js";
import type { LiveReset } from "../../src/api-schema/live.js";
import type { TraceSummary } from "../../src/api-schema/trace.js";
import { span, startCollector } from "../running-collector.js";
import { listen } from "./live-reader.js";

/** An evaluation as an app sends one, in a trace of its own. */
const scored = (id: string) =>
  span({
    trace_id: id,
    span_type: "evaluation",
    attributes: { evaluation_type: "relevance", evaluation_score: 0.5, evaluated_span_id: "s1" },
  });

describe("contract 3: GET /v1/live and evaluations", () => {
  it("sends the evaluations that ended while a reader was disconnected, each once", async () => {
    const { url, post, settled } = await startCollector();
    const first = await listen(url);
    await post({ spans: [scored("seen")] });
    const { id } = await first.next<TraceSummary>("trace");
    first.response.destroy();
    await post({ spans: [scored("missed-1"), scored("missed-2")] });
    await settled();
    const second = await listen(url, id);
    await second.next<TraceSummary>("trace");
    const sent = second.events.filter(({ event }) => event === "evaluation");
    expect(sent.map(({ data }) => (data as Evaluation).trace_id)).toEqual(["missed-1", "missed-2"]);
    // What it has seen now does not come again.
    const third = await listen(url, second.events.findLast((each) => each.id !== undefined)?.id);
    await post({ spans: [scored("later")] });
    await third.next<Evaluation>("evaluation");
    const later = third.events.filter(({ event }) => event === "evaluation");
    expect(later.map(({ data }) => (data as Evaluation).trace_id)).toEqual(["later"]);
  });

  it("does not send earlier evaluations to a new reader", async () => {
    const { url, post, settled } = await startCollector();
    const first = await listen(url);
    await post({ spans: [scored("before")] });
    await first.next<Evaluation>("evaluation");
    await settled();
    const second = await listen(url);
    await post({ spans: [scored("after")] });
    const { data } = await second.next<Evaluation>("evaluation");
    expect(data.trace_id).toBe("after");
  });

  it("sends reset when too many evaluations ended at once", async () => {
    const { url, post, settled } = await startCollector();
    const first = await listen(url);
    await post({ spans: [span({ trace_id: "seen" })] });
    const { id } = await first.next<TraceSummary>("trace");
    first.response.destroy();
    await post({ spans: Array.from({ length: 60 }, (_, index) => scored(`missed-${index}`)) });
    await settled();
    const second = await listen(url, id);
    expect((await second.next<LiveReset>("reset")).data).toEqual({ reason: "burst" });
    expect(second.events.some(({ event }) => event === "evaluation")).toBe(false);
  });
});
