import { byteSizeText } from "@obspan/collector-core/api-schema";
import { Database } from "lucide-react";
import { formatOf, formatWhole } from "../../format.js";
import { ageLimit, isInMemory, keptSince, type StoreStatus } from "../../components/store-words.js";
import { Fact, Losses, PipelineNode, Rate } from "./pipeline-node.js";
import type { StageProps } from "./stages.js";
import textStyles from "../../components/text.module.css";
import pipelineNodeStyles from "./pipeline-node.module.css";
import styles from "./stages.module.css";

/** The trace store: how much it keeps, where, and its limits. */
export function StoreStage({ status, counts, rates }: StageProps) {
  const store = status?.store ?? null;
  const unsaved = counts.by("obs_trace_store_unsaved_spans_total", "reason").filter(([, spans]) => spans > 0);
  return (
    <PipelineNode
      id="store"
      name="Store"
      icon={Database}
      isOff={status !== undefined && store === null}
      warning={store?.state === "degraded" ? (isInMemory(store) ? "in memory" : "not keeping") : undefined}
      figure={<Rate value={rates.sum("obs_sampling_spans_total", { decision: "kept" })} />}
      losses={unsaved.length > 0 ? <Losses title="Not kept" losses={unsaved} /> : undefined}
    >
      {store === null ? (
        <p className={pipelineNodeStyles.hint}>
          No traces are kept. Set <span className={textStyles.mono}>trace_store.enabled</span> to keep the
          latest.
        </p>
      ) : (
        <>
          <Fullness {...store} />
          <Fact name="Traces">{formatOf(store.traces, store.max_traces)}</Fact>
          <Fact name="Spans">{formatWhole(store.spans)}</Fact>
          <Fact name="Kept since">{keptSince(store.oldest_at, new Date()) ?? "–"}</Fact>
          {store.disk_bytes === null ? (
            <Fact name="In memory">{byteSizeText(store.bytes)}</Fact>
          ) : (
            <Fact name="On disk">
              {byteSizeText(store.disk_bytes)}
              {store.disk_max_bytes !== null && ` of ${byteSizeText(store.disk_max_bytes)}`}
            </Fact>
          )}
          <Fact name="Age limit">{ageLimit(store.ttl_seconds)}</Fact>
          <Fact name="Evicted">{formatWhole(counts.sum("obs_trace_store_evicted_total"))}</Fact>
          {isInMemory(store) && store.state === "ok" && (
            <p className={pipelineNodeStyles.hint}>
              Lost when the collector stops. Set <span className={textStyles.mono}>trace_store.path</span> to
              keep them.
            </p>
          )}
        </>
      )}
    </PipelineNode>
  );
}

/** How much of the limit is in use. */
function Fullness(store: StoreStatus) {
  const shares = [
    store.max_traces === null ? 0 : store.traces / store.max_traces,
    store.disk_bytes === null || store.disk_max_bytes === null ? 0 : store.disk_bytes / store.disk_max_bytes,
  ];
  return (
    <div className={styles.gauge} aria-hidden>
      <i style={{ width: `${Math.min(100, Math.max(...shares) * 100)}%` }} />
    </div>
  );
}
