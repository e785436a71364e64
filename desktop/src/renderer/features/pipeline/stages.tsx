import { byteSizeText } from "@obspan/collector-core/api-schema";
import type { ConfigDescription, LiveStatus, Stats } from "@obspan/collector-core/api-schema";
import { BadgeCheck, ChartLine, Dices, EyeOff, Layers, RadioTower, Upload } from "lucide-react";
import { formatWhole } from "../../format.js";
import { seriesOf, type Counters } from "./counters.js";
import { Fact, Losses, NodeSpark, PipelineNode, Rate } from "./pipeline-node.js";
import { classNames } from "../../components/class-names.js";
import textStyles from "../../components/text.module.css";
import pipelineNodeStyles from "./pipeline-node.module.css";
import styles from "./stages.module.css";

export interface StageProps {
  readonly config: ConfigDescription["config"];
  readonly status: LiveStatus | undefined;
  readonly stats: Stats;
  /** Counts of the chosen period: since the start, or the last minutes. */
  readonly counts: Counters;
  /** Current values of gauges. */
  readonly gauges: Counters;
  /** Rates per second. */
  readonly rates: Counters;
}

/** Reasons that are always shown. A queue that collectors share has one more. */
const DROP_REASONS = ["evicted_oldest", "shutdown", "internal_error"];

export function ReceivedStage({ counts, rates, stats }: StageProps) {
  return (
    <PipelineNode
      id="received"
      name="Received"
      icon={RadioTower}
      figure={<Rate value={rates.sum("obs_spans_received_total")} />}
      losses={
        <Losses title="Rejected" losses={counts.by("obs_spans_rejected_total", "reason").slice(0, 5)} />
      }
    >
      <NodeSpark values={seriesOf(stats, "obs_spans_received_total")} />
      <Fact name="Spans">{formatWhole(counts.sum("obs_spans_received_total"))}</Fact>
      <Fact name="Requests">
        {formatWhole(counts.sum("obs_http_requests_total", { route: "/v1/telemetry" }))}
      </Fact>
      <Fact name="Sent again">{formatWhole(counts.sum("obs_batches_duplicate_total"))}</Fact>
    </PipelineNode>
  );
}

export function QueueStage({ config, counts, gauges, status }: StageProps) {
  const soft = numberOf(config["backpressure.soft_limit_pct"]?.value, 80);
  const hard = numberOf(config["backpressure.hard_limit_pct"]?.value, 95);
  const pct = status?.queue_pct ?? 0;
  const dropped = counts.by("obs_spans_dropped_total", "reason");
  const reasons = new Set([...DROP_REASONS, ...dropped.map(([reason]) => reason)]);
  return (
    <PipelineNode
      id="queue"
      name="Queue"
      icon={Layers}
      warning={pct >= hard ? "at the hard limit" : pct >= soft ? "filling" : undefined}
      figure={
        <span className={textStyles.number}>
          {pct.toFixed(pct === 0 ? 0 : 1)}
          <span className={textStyles.unit}>%</span>
        </span>
      }
      losses={
        <Losses
          title="Dropped"
          losses={[...reasons].map((reason) => [reason, dropped.find(([each]) => each === reason)?.[1] ?? 0])}
        />
      }
    >
      <div
        className={styles.gauge}
        role="meter"
        aria-label="Use of the queue"
        aria-valuenow={pct}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuetext={`${pct} %; soft limit ${soft} %, hard limit ${hard} %`}
      >
        <i style={{ width: `${Math.min(100, pct)}%` }} />
        <span className={classNames(styles.mark, styles.soft)} style={{ left: `${soft}%` }} />
        <span className={classNames(styles.mark, styles.hard)} style={{ left: `${hard}%` }} />
      </div>
      <div className={styles.marks} aria-hidden>
        <span style={{ left: 0 }}>0</span>
        <span style={{ left: `${soft}%` }}>{soft}</span>
        <span style={{ left: `${hard}%` }}>{hard}</span>
      </div>
      <Fact name="Spans">
        {formatWhole(status?.queue_spans ?? 0)} of {formatWhole(status?.queue_capacity ?? 0)}
      </Fact>
      <Fact name="Bytes">
        {byteSizeText(gauges.sum("obs_queue_bytes"))} of{" "}
        {byteSizeText(numberOf(config["limits.max_queue_bytes"]?.value, 0))}
      </Fact>
      <Fact name={`At ${hard} %`}>{textOf(config["backpressure.mode"]?.value)}</Fact>
    </PipelineNode>
  );
}

export function MetricsStage({ config, counts, gauges, rates }: StageProps) {
  const over = counts.sum("obs_label_overflow_total");
  const bad = counts.sum("obs_invalid_values_total");
  return (
    <PipelineNode
      id="metrics"
      name="Metrics"
      icon={ChartLine}
      figure={<Rate value={rates.sum("obs_spans_processed_total")} />}
      losses={<p className={textStyles.note}>Counts every span, before sampling.</p>}
    >
      <Fact name="Series">
        {formatWhole(gauges.sum("obs_series"))} of{" "}
        {formatWhole(numberOf(config["limits.max_series"]?.value, 0))}
      </Fact>
      <Fact name="Over a limit" isOff={over > 0}>
        {formatWhole(over)}
      </Fact>
      <Fact name="Bad values" isOff={bad > 0}>
        {formatWhole(bad)}
      </Fact>
    </PipelineNode>
  );
}

export function SamplingStage({ config, counts, rates }: StageProps) {
  const kept = counts.sum("obs_sampling_spans_total", { decision: "kept" });
  const notKept = counts.sum("obs_sampling_spans_total", { decision: "not_kept" });
  return (
    <PipelineNode
      id="sampling"
      name="Sampling"
      icon={Dices}
      figure={<Rate value={rates.sum("obs_sampling_spans_total", { decision: "kept" })} />}
      losses={<Losses title="Not sampled" losses={[["by the rate", notKept]]} isByRule />}
    >
      <Fact name="Rate">{numberOf(config["sampling.rate"]?.value, 1)}</Fact>
      <Fact name="Kept">
        {kept + notKept === 0 ? "–" : `${((kept / (kept + notKept)) * 100).toFixed(1)} %`}
      </Fact>
      <Fact name="By">trace id</Fact>
    </PipelineNode>
  );
}

export function RedactionStage({ config, counts, rates }: StageProps) {
  const isOff = config["redaction.enabled"]?.value !== true;
  const patterns = counts.by("obs_redactions_total", "pattern");
  const failures = counts.by("obs_redaction_failures_total", "action");
  const failed = (action: string) => failures.find(([each]) => each === action)?.[1] ?? 0;
  return (
    <PipelineNode
      id="redaction"
      name="Redaction"
      icon={EyeOff}
      isOff={isOff}
      warning={failed("dropped") + failed("kept") > 0 ? "failed" : undefined}
      figure={<Rate value={rates.sum("obs_sampling_spans_total", { decision: "kept" })} />}
      losses={
        isOff ? undefined : (
          <Losses
            title="Failed"
            losses={[
              ["dropped", failed("dropped")],
              ["kept", failed("kept")],
            ]}
          />
        )
      }
    >
      {isOff ? (
        <p className={pipelineNodeStyles.hint}>
          Texts are kept as they come. <span className={textStyles.mono}>redaction.enabled</span> takes
          personal data out.
        </p>
      ) : patterns.length === 0 ? (
        <Fact name="Replaced">0</Fact>
      ) : (
        patterns.slice(0, 4).map(([pattern, count]) => (
          <Fact key={pattern} name={pattern.replaceAll("_", " ")}>
            {formatWhole(count)}
          </Fact>
        ))
      )}
    </PipelineNode>
  );
}

const EXPORT_LOSSES = ["queue_full", "retries_exhausted", "permanent", "partial", "shutdown"];

export function ExportStage({ config, counts, gauges, rates }: StageProps) {
  const endpoint = config["exporter.otlp_endpoint"]?.value;
  const isOff = typeof endpoint !== "string";
  const outcomes = counts.by("obs_export_spans_total", "outcome");
  const of = (outcome: string) => outcomes.find(([each]) => each === outcome)?.[1] ?? 0;
  const waiting = gauges.sum("obs_export_queue_size");
  const capacity = numberOf(config["exporter.max_queue_size"]?.value, 20_000);
  const exportRate = rates.sum("obs_export_spans_total", { outcome: "exported" });
  const losses = EXPORT_LOSSES.map((outcome) => [outcome, of(outcome)] as const).filter(
    ([, count]) => count > 0,
  );
  // Stuck if more waits than the batches in flight and nothing is exported, or if half of the queue is used.
  const batches = 2 * numberOf(config["exporter.batch_size"]?.value, 200);
  const isStuck = (waiting > batches && exportRate === 0) || waiting >= capacity / 2;
  return (
    <PipelineNode
      id="export"
      name="Export"
      icon={Upload}
      isOff={isOff}
      warning={isStuck ? "held up" : losses.length > 0 ? "lost some" : undefined}
      figure={<Rate value={exportRate} />}
    >
      {isOff ? (
        <p className={pipelineNodeStyles.hint}>
          Spans are not exported. Set <span className={textStyles.mono}>exporter.otlp_endpoint</span> to
          forward them.
        </p>
      ) : (
        <>
          <Fact name="To">{hostOf(endpoint)}</Fact>
          <Fact name="Waiting" isOff={isStuck}>
            {formatWhole(waiting)} of {formatWhole(capacity)}
          </Fact>
          <Fact name="Exported">{formatWhole(of("exported"))}</Fact>
          {losses.map(([outcome, count]) => (
            <Fact key={outcome} name={outcome} isOff>
              {formatWhole(count)}
            </Fact>
          ))}
        </>
      )}
    </PipelineNode>
  );
}

export function EvaluationStage({ config, counts, gauges, rates }: StageProps) {
  const isOff = config["evaluation.enabled"]?.value !== true;
  const outcomes = counts.by("obs_evaluations_total", "outcome");
  return (
    <PipelineNode
      id="evaluation"
      name="Evaluation"
      icon={BadgeCheck}
      isOff={isOff}
      figure={<Rate value={rates.sum("obs_evaluations_total")} />}
    >
      {isOff ? (
        <p className={pipelineNodeStyles.hint}>
          Nothing is evaluated. Set <span className={textStyles.mono}>evaluation.enabled</span> to score model
          calls.
        </p>
      ) : (
        <>
          <Fact name="Judge">{textOf(config["evaluation.judge_model"]?.value)}</Fact>
          <Fact name="Waiting">{formatWhole(gauges.sum("obs_evaluation_queue_size"))}</Fact>
          {outcomes.map(([outcome, count]) => (
            <Fact key={outcome} name={outcome} isOff={outcome !== "completed" && count > 0}>
              {formatWhole(count)}
            </Fact>
          ))}
        </>
      )}
    </PipelineNode>
  );
}

function numberOf(value: unknown, otherwise: number): number {
  return typeof value === "number" ? value : otherwise;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "–";
}

function hostOf(endpoint: string): string {
  try {
    return new URL(endpoint).host;
  } catch {
    return endpoint;
  }
}
