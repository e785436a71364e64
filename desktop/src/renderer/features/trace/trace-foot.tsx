import type { TraceSummary } from "@obspan/collector-core/api-schema";
import { useTrace } from "../../app-context.js";
import { KeyHint } from "../../components/key-hint.js";
import { formatWhole } from "../../format.js";
import { isMac } from "../frame/top-bar.js";
import { hasGroups, VIEWS } from "./trace-address.js";
import { useTracePage, useTraceView } from "./trace-page-context.js";
import pageStyles from "../../components/page.module.css";
import spanTypeStyles from "../../components/span-type.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./trace-foot.module.css";

/** Keyboard hints, the legend, and totals with losses. */
export function TraceFoot({ trace }: { trace: TraceSummary }) {
  const { shown, selected } = useTracePage();
  const isSpanShown = useTraceView((state) => state.isSpanOpen || !hasGroups(shown));
  const isContextTab = useTraceView(({ tab, isPaneOpen }) => tab === "context" && isPaneOpen);
  const isContext = isContextTab && isSpanShown && selected?.span.span_type === "llm";
  return (
    <div className={pageStyles.foot}>
      <span className={pageStyles.footKeys} aria-hidden>
        {isContext ? (
          <ContextKeys />
        ) : shown === "flame" ? (
          <FlameKeys />
        ) : shown === "graph" ? (
          <GraphKeys />
        ) : (
          <SpanKeys />
        )}
      </span>
      {shown === "timeline" && !isContext && <Legend />}
      <span className={textStyles.grow} />
      {isContext ? (
        <span>Total is the provider’s; the parts are estimated from the text and scaled to it (≈)</span>
      ) : (
        <Totals trace={trace} />
      )}
    </div>
  );
}

function SpanKeys() {
  return (
    <>
      <KeyHint keys={["↑", "↓"]}>move</KeyHint>
      <KeyHint keys={["←", "→"]}>fold</KeyHint>
      <KeyHint keys={["E"]}>next error</KeyHint>
      <KeyHint keys={["1"]} to={String(VIEWS.length)}>
        views
      </KeyHint>
    </>
  );
}

function ContextKeys() {
  return (
    <>
      <KeyHint keys={["↑", "↓"]}>move</KeyHint>
      <KeyHint keys={["⇧2"]}>context</KeyHint>
      <KeyHint keys={isMac() ? ["⌥←", "⌥→"] : ["Alt ←", "Alt →"]}>previous, next call of this agent</KeyHint>
      <KeyHint keys={["D"]}>diff with the call before</KeyHint>
    </>
  );
}

function GraphKeys() {
  return (
    <>
      <KeyHint keys={["↑", "↓", "←", "→"]}>next node</KeyHint>
      <KeyHint keys={["↵"]}>open the span</KeyHint>
      <KeyHint keys={[",", "."]}>step back, forward</KeyHint>
      <KeyHint keys={["O"]}>next loop</KeyHint>
      <GraphLegend />
    </>
  );
}

function GraphLegend() {
  const width = useTraceView((state) => state.edgeWidth);
  return (
    <span className={styles.legend}>
      <span>
        <i className={styles.full} />
        width is {width}
      </span>
      <span>
        <i className={styles.dashed} />
        back to the caller
      </span>
    </span>
  );
}

function FlameKeys() {
  return (
    <>
      <KeyHint keys={["↑", "↓", "←", "→"]}>move</KeyHint>
      <KeyHint keys={["↵"]}>zoom in</KeyHint>
      <KeyHint keys={["Esc"]}>zoom out</KeyHint>
      <KeyHint keys={["T"]}>time · tokens · cost</KeyHint>
      <KeyHint keys={["R"]}>fold repeats</KeyHint>
      <KeyHint keys={["/"]}>search</KeyHint>
    </>
  );
}

function Legend() {
  return (
    <span className={styles.legend}>
      <span className={spanTypeStyles.llm}>
        <i className={styles.hatch} />
        <span className={textStyles.faint}>waiting for the first token</span>
      </span>
      <span className={spanTypeStyles.llm}>
        <i className={styles.full} />
        <span className={textStyles.faint}>streaming</span>
      </span>
      <span>
        <i className={styles.path} />
        critical path
      </span>
    </span>
  );
}

function Totals({ trace }: { trace: TraceSummary }) {
  const { span_count: spans, llm_calls: models, tool_calls: tools, dropped_spans: dropped } = trace;
  const shown = useTrace((state) => state.spans.length);
  return (
    <span>
      {shown < spans && (
        <span
          className={textStyles.warn}
          data-tip="A page of more spans would be slow. The search of the list and the export have all of them."
        >
          first {formatWhole(shown)} of{" "}
        </span>
      )}
      <Amount count={spans} one="span" many="spans" /> ·{" "}
      <Amount count={models} one="model call" many="model calls" /> ·{" "}
      <Amount count={tools} one="tool call" many="tool calls" /> ·{" "}
      {dropped === 0 ? (
        "nothing dropped"
      ) : (
        <span
          className={textStyles.error}
          data-tip="A trace keeps at most trace_store.max_spans_per_trace spans; the first to arrive were dropped. Tokens, cost and calls include them."
        >
          <Amount count={dropped} one="span" many="spans" /> dropped: over max_spans_per_trace
        </span>
      )}
      {trace.partial && (
        <span className={textStyles.warn} data-tip="The trace was evicted before these spans arrived">
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
      <span className={textStyles.number}>{formatWhole(count)}</span> {count === 1 ? one : many}
    </>
  );
}
