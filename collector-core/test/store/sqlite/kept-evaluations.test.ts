import type { Span } from "@obspan/sdk/wire";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FILE_FORMAT } from "../../../src/store/sqlite/file/migrations.js";
import { aModelCall, anEvaluation, aSpan, pipelineSpans } from "../span-batches.js";
import { openDurableStore, type DurableStore } from "./durable-store.js";

describe("the evaluations that a file keeps", () => {
  let durable: DurableStore;
  beforeEach(async () => {
    durable = await openDurableStore({ maxTraces: 2 });
  });
  afterEach(() => durable.close());

  const append = (...spans: Span[]): Promise<void> => durable.store.append(pipelineSpans(spans));
  const kept = async () =>
    (await durable.store.evaluations(0, 100)).map(({ span, labels }) => [span.trace_id, labels]);

  it("have the model and agent of what a user scored, also after its trace was evicted", async () => {
    const answered = (trace_id: string) => [
      aSpan({ trace_id, span_id: "root", attributes: { agent: "support" } }),
      aModelCall({ trace_id, span_id: "call", parent_span_id: "root", attributes: { model: "large" } }),
    ];
    const score = (trace_id: string, attributes: Span["attributes"] = {}): Span =>
      anEvaluation("user", 1, { trace_id, attributes });
    await append(...answered("of a span"), score("of a span", { evaluated_span_id: "call" }));
    await append(...answered("of a trace"), score("of a trace"));
    await append(...answered("judged"), score("judged", { model: "judge's own" }));
    await append(score("only a score"), score("of an unknown span", { evaluated_span_id: "?" }));
    const expected = [
      ["of a span", { model: "large", agent: "" }],
      ["of a trace", { model: "large", agent: "support" }],
      ["judged", undefined],
      ["only a score", undefined],
      ["of an unknown span", undefined],
    ];
    expect((await durable.store.list({})).traces).toHaveLength(2);
    expect(await kept()).toEqual(expected);
    await durable.reopen();
    expect(await kept()).toEqual(expected);
    // A rebuild has no spans of evicted traces.
    const { directory, clock } = durable;
    await durable.store.stop();
    durable = await openDurableStore({
      directory,
      clock,
      format: { ...FILE_FORMAT, version: FILE_FORMAT.version + 1 },
    });
    expect(await kept()).toEqual(expected);
  });
});
