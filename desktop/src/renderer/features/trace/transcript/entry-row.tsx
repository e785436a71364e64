import {
  oneLine,
  textOf,
  type HandOffEntry,
  type SpanNode,
  type StepsEntry,
} from "@obspan/collector-core/analysis";
import {
  ArrowRight,
  Bot,
  ChevronDown,
  ChevronRight,
  CircleAlert,
  History,
  Layers,
  type LucideIcon,
} from "lucide-react";
import { memo } from "react";
import { classNames } from "../../../components/class-names.js";
import { Paged } from "../../../components/paged.js";
import { SpanIcon } from "../../../components/span-icon.js";
import { StatusDot } from "../../../components/status-dot.js";
import { formatWhole } from "../../../format.js";
import { Figure } from "../figure.js";
import { useSelection } from "../hooks/use-selection.js";
import { StepNumber } from "../step-number.js";
import { useTracePage } from "../trace-page-context.js";
import { useFolds } from "./folds.js";
import { indentOf, Logged, useDuration } from "./logged.js";
import { MessageContent } from "./message-content.js";
import { StepFailure } from "./step-failure.js";
import { TranscriptToolCard } from "./transcript-tool.js";
import { EARLIER, type TranscriptRow } from "./transcript-rows.js";
import { TurnContent } from "./turn-content.js";
import badgeStyles from "../../../components/badge.module.css";
import iconStyles from "../../../components/icon.module.css";
import spanTypeStyles from "../../../components/span-type.module.css";
import textStyles from "../../../components/text.module.css";
import styles from "./transcript.module.css";

/** One row of the transcript. Memoized: rows that are measured move others, and change none. */
export const EntryRow = memo(function EntryRow({ row }: { row: TranscriptRow }) {
  switch (row.kind) {
    case "earlier":
      return <Earlier count={row.count} />;
    case "message":
      return <MessageContent entry={row} />;
    case "turn":
      return <TurnContent entry={row} />;
    case "step":
      return (
        <Logged atMs={row.atMs} level={row.level} icon={<SpanIcon spanType={row.node.span.span_type} />}>
          <TranscriptToolCard tool={row.tool} owner={row.node} />
        </Logged>
      );
    case "steps":
      return <Steps entry={row} />;
    case "handoff":
      return <HandOff entry={row} />;
    case "error":
      return (
        <Logged
          atMs={row.atMs}
          level={row.level}
          icon={<Icon of={CircleAlert} className={textStyles.error} />}
        >
          <header className={styles.head}>
            <b>{row.node.span.name}</b>
            <span className={badgeStyles.error}>{oneLine(row.error.type ?? "failed", 60)}</span>
          </header>
          <div className={styles.failure}>
            <StepFailure error={row.error} isOpened />
          </div>
        </Logged>
      );
  }
});

function Icon({ of: Of, className }: { of: LucideIcon; className?: string | undefined }) {
  return <Of className={classNames(iconStyles.small, className)} aria-hidden />;
}

/** Messages of earlier runs, which the first call sent. */
function Earlier({ count }: { count: number }) {
  const { isOpen, toggle } = useFolds();
  const isOpened = isOpen(EARLIER);
  const Chevron = isOpened ? ChevronDown : ChevronRight;
  return (
    <div className={styles.turn}>
      <div className={styles.when} />
      <div className={styles.line}>
        <span className={styles.node}>
          <Icon of={History} />
        </span>
      </div>
      <div className={styles.what}>
        <button
          type="button"
          className={styles.earlier}
          aria-expanded={isOpened}
          onClick={() => toggle(EARLIER)}
        >
          <Chevron className={iconStyles.tiny} aria-hidden />
          {formatWhole(count)} {count === 1 ? "message" : "messages"} from before this run
        </button>
      </div>
    </div>
  );
}

/** Steps that say nothing, as chips. */
function Steps({ entry }: { entry: StepsEntry }) {
  const { select } = useSelection();
  const { selected, run } = useTracePage();
  const duration = durationOf(entry);
  return (
    <Logged atMs={entry.atMs} level={entry.level} durationMs={duration} icon={<Icon of={Layers} />}>
      <div className={styles.steps}>
        <Paged
          items={entry.steps}
          name="steps"
          renderItem={({ node, number }) => (
            <button
              key={node.id}
              type="button"
              className={classNames(badgeStyles.chip, styles.step, node === selected && styles.on)}
              onClick={(event) => {
                event.stopPropagation();
                select(node);
              }}
            >
              <StepNumber number={number} />
              <SpanIcon spanType={node.span.span_type} />
              {node.span.name}
              <StepNote node={node} hint={run.hints.get(node.id)} />
            </button>
          )}
        />
      </div>
    </Logged>
  );
}

/** Characters of a step's answer. */
const NOTE = 40;

function StepNote({ node, hint }: { node: SpanNode; hint: string | undefined }) {
  if (node.span.status === "ERROR") return <StatusDot status="ERROR" name="failed" />;
  if (node.endMs === undefined) return <StatusDot status="RUNNING" name="running" />;
  const note = hint ?? textOf(node.span, "output_text");
  if (note === undefined || /^\s*[{[]/.test(note)) return null;
  return <span className={textStyles.faint}>{hint ?? `→ ${oneLine(note, NOTE)}`}</span>;
}

/** From the first start to the last end; undefined while one runs. */
function durationOf({ steps, atMs }: StepsEntry): number | undefined {
  const ends = steps.map(({ node }) => node.endMs);
  if (ends.includes(undefined)) return undefined;
  return Math.max(...ends.map((end) => end ?? atMs)) - atMs;
}

function HandOff({ entry }: { entry: HandOffEntry }) {
  const duration = useDuration(entry.node);
  return (
    <div className={styles.handOff} style={indentOf(entry.level)}>
      <span className={styles.handOffNumber}>
        <StepNumber number={entry.number} />
      </span>
      <Bot className={classNames(iconStyles.small, spanTypeStyles.agent)} aria-label="Hand-off" />
      <b>{entry.from}</b>
      <ArrowRight className={classNames(iconStyles.tiny, textStyles.faint)} aria-label="to" />
      <b>{entry.to}</b>
      {entry.note !== undefined && (
        <span className={classNames(textStyles.faint, textStyles.cut)}>{oneLine(entry.note, 80)}</span>
      )}
      <i />
      {duration !== undefined && <Figure ms={duration} className={textStyles.dim} />}
    </div>
  );
}
