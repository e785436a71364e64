import type { TraceSummary } from "@obspan/collector-core/api-schema";
import { formatWhole } from "../../format.js";
import { useTraceView } from "./trace-page-context.js";

/** The keys, what the marks mean, and the sum: what came, and what was lost. */
export function TraceFoot({ trace }: { trace: TraceSummary }) {
  const isTimeline = useTraceView((state) => state.view === "timeline");
  return (
    <div className="foot">
      <span className="foot-keys" aria-hidden>
        <Keys names={["↑", "↓"]} does="move" />
        <Keys names={["←", "→"]} does="fold" />
        <Keys names={["E"]} does="next error" />
        <Keys names={["1", "2"]} does="views" />
      </span>
      {isTimeline && <Legend />}
      <span className="grow" />
      <Totals trace={trace} />
    </div>
  );
}

function Keys({ names, does }: { names: readonly string[]; does: string }) {
  return (
    <span className="keys">
      {names.map((name) => (
        <kbd key={name}>{name}</kbd>
      ))}{" "}
      {does}
    </span>
  );
}

function Legend() {
  return (
    <span className="wf-legend">
      <span className="t-llm">
        <i className="hatch" />
        <span className="faint">waiting for the first token</span>
      </span>
      <span className="t-llm">
        <i className="full" />
        <span className="faint">streaming</span>
      </span>
      <span>
        <i className="path" />
        critical path
      </span>
    </span>
  );
}

function Totals({ trace }: { trace: TraceSummary }) {
  const { span_count: spans, llm_calls: models, tool_calls: tools, dropped_spans: dropped } = trace;
  return (
    <span className="totals">
      <Amount count={spans} one="span" many="spans" /> ·{" "}
      <Amount count={models} one="model call" many="model calls" /> ·{" "}
      <Amount count={tools} one="tool call" many="tool calls" /> ·{" "}
      {dropped === 0 ? (
        "nothing dropped"
      ) : (
        <span
          className="is-error"
          title="A trace keeps at most trace_store.max_spans_per_trace spans; the first to arrive were dropped. Tokens, cost and calls include them."
        >
          <Amount count={dropped} one="span" many="spans" /> dropped: over max_spans_per_trace
        </span>
      )}
      {trace.partial && (
        <span className="is-warn" title="The trace was evicted, and these spans came after">
          {" "}
          · earlier spans evicted
        </span>
      )}
    </span>
  );
}

function Amount({ count, one, many }: { count: number; one: string; many: string }) {
  return (
    <>
      <span className="num">{formatWhole(count)}</span> {count === 1 ? one : many}
    </>
  );
}
