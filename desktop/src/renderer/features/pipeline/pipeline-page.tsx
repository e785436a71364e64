import { useEffect, useMemo, useState } from "react";
import { useConnection, usePipeline, useStores } from "../../app-context.js";
import { MetricsError } from "../metrics/metrics-states.js";
import { countersOf, ratesOf, windowCounters } from "./counters.js";
import type { Edge } from "./edge-path.js";
import { Edges } from "./edges.js";
import { LedgerBar, type LedgerScope } from "./ledger-bar.js";
import { RecentEvents } from "./recent-events.js";
import {
  EvaluationStage,
  ExportStage,
  MetricsStage,
  QueueStage,
  ReceivedStage,
  RedactionStage,
  SamplingStage,
  type StageProps,
} from "./stages.js";
import { StoreStage } from "./store-stage.js";
import { ThroughChart } from "./through-chart.js";
import pageStyles from "../../components/page.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./pipeline-page.module.css";

/** The Pipeline page: rates and losses at each stage. */
export function PipelinePage() {
  const { pipeline } = useStores();
  const [scope, setScope] = useState<LedgerScope>("start");
  const config = usePipeline((state) => state.config);
  const stats = usePipeline((state) => state.stats);
  const events = usePipeline((state) => state.events);
  const snapshots = usePipeline((state) => state.snapshots);
  const error = usePipeline((state) => state.error);
  const status = useConnection((connection) => connection.status);
  useEffect(() => pipeline.getState().watch(), [pipeline]);

  const recent = useMemo(() => (stats === undefined ? undefined : windowCounters(stats)), [stats]);
  const now = useMemo(() => countersOf(snapshots.at(-1)?.values ?? []), [snapshots]);
  const isKnown = snapshots.length > 0;
  const rates = useMemo(() => ratesOf(snapshots), [snapshots]);

  return (
    <main className={pageStyles.page} aria-busy={stats === undefined && error === undefined}>
      <h1 className={textStyles.screenReader}>Pipeline</h1>
      <LedgerBar ledger={status?.ledger} recent={recent} scope={scope} onScope={setScope} />
      {error !== undefined && (
        <MetricsError
          error={error}
          hasPanels={stats !== undefined}
          onRetry={() => void pipeline.getState().load()}
        />
      )}
      <div className={styles.pipelineBody}>
        {config !== undefined && stats !== undefined && recent !== undefined && isKnown ? (
          <Flow
            config={config}
            status={status}
            stats={stats}
            counts={scope === "start" ? now : recent}
            gauges={now}
            rates={rates}
          />
        ) : (
          <div className={styles.flowCanvas} role="status" aria-label="Loading" />
        )}
        <RecentEvents events={events} />
      </div>
    </main>
  );
}

function Flow(props: StageProps) {
  const [canvas, setCanvas] = useState<HTMLElement | null>(null);
  const { config, status } = props;
  const isExporting = typeof config["exporter.otlp_endpoint"]?.value === "string";
  return (
    <div className={styles.flowCanvas} ref={setCanvas}>
      <Edges canvas={canvas} edges={edgesOf(props, isExporting, status?.store !== null)} />
      <div className={styles.way}>
        <ReceivedStage {...props} />
        <QueueStage {...props} />
        <MetricsStage {...props} />
        <SamplingStage {...props} />
        <RedactionStage {...props} />
      </div>
      <div className={styles.ends}>
        <StoreStage {...props} />
        <ExportStage {...props} />
        <EvaluationStage {...props} />
      </div>
      <ThroughChart stats={props.stats} isExporting={isExporting} />
    </div>
  );
}

function edgesOf({ rates, config }: StageProps, isExporting: boolean, hasStore: boolean): Edge[] {
  const kept = rates.sum("obs_sampling_spans_total", { decision: "kept" });
  const processed = rates.sum("obs_spans_processed_total");
  const exported = rates.sum("obs_export_spans_total", { outcome: "exported" });
  const evaluated = rates.sum("obs_evaluations_total");
  return [
    { from: "received", to: "queue", rate: rates.sum("obs_spans_accepted_total") },
    { from: "queue", to: "metrics", rate: processed },
    { from: "metrics", to: "sampling", rate: processed },
    { from: "sampling", to: "redaction", rate: kept },
    { from: "redaction", to: "store", rate: hasStore ? kept : 0, isOff: !hasStore },
    { from: "redaction", to: "export", rate: exported, isOff: !isExporting },
    {
      from: "redaction",
      to: "evaluation",
      rate: evaluated,
      isOff: config["evaluation.enabled"]?.value !== true,
    },
  ];
}
