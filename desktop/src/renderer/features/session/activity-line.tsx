import type { TraceSummary } from "@obspan/collector-core/api-schema";
import { Bot, ChevronRight, Sparkles, Wrench, type LucideIcon } from "lucide-react";
import { Link } from "wouter";
import { Paged } from "../../components/paged.js";
import { SpanIcon } from "../../components/span-icon.js";
import { StatusDot } from "../../components/status-dot.js";
import { durationText, formatCount, formatWhole } from "../../format.js";
import { oneLine, type SpanNode, textOf, toolNames, type TurnReading } from "@obspan/collector-core/analysis";
import { Cost, costOfSum } from "../trace/cost.js";
import { tracePath } from "../trace/trace-address.js";
import { classNames } from "../../components/class-names.js";
import iconStyles from "../../components/icon.module.css";
import spanTypeStyles from "../../components/span-type.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./activity-line.module.css";

interface ActivityLineProps {
  readonly turn: TraceSummary;
  readonly reading: TurnReading | undefined;
  readonly isUnfolded: boolean;
  readonly onFold: (isUnfolded: boolean) => void;
}

/** What the agent did in a turn: one line, unfolded a line for each step. */
export function ActivityLine({ turn, reading, isUnfolded, onFold }: ActivityLineProps) {
  const { llm_calls: models, tokens_input: input, tokens_output: output } = turn;
  const tools = reading?.tools ?? turn.tool_calls;
  const agents = reading?.agents ?? 0;
  const errors = turn.error_count;
  return (
    <>
      <button
        type="button"
        className={turn.running ? classNames(styles.line, styles.live) : styles.line}
        aria-expanded={isUnfolded}
        aria-label={`What happened: ${summary(turn, tools, agents)}`}
        onClick={(event) => {
          event.stopPropagation();
          onFold(!isUnfolded);
        }}
      >
        <ChevronRight
          className={classNames(iconStyles.tiny, textStyles.faint, isUnfolded && styles.open)}
          aria-hidden
        />
        <Count icon={Sparkles} type={spanTypeStyles.llm} count={models} />
        <Count icon={Wrench} type={spanTypeStyles.tool} count={tools} />
        <Count icon={Bot} type={spanTypeStyles.agent} count={agents} />
        <span className={classNames(styles.what, textStyles.cut)}>{namesOf(turn, reading)}</span>
        <span className={textStyles.grow} />
        {errors > 0 && (
          <span className={classNames(styles.group, textStyles.error)}>
            <StatusDot status="ERROR" name="errors" />
            {formatCount(errors)}
          </span>
        )}
        <span className={classNames(textStyles.number, styles.figure)}>{durationText(turn.duration_ms)}</span>
        {input + output > 0 && (
          <span className={classNames(textStyles.number, textStyles.dim, styles.figure, styles.tokens)}>
            {formatCount(input)}
            <span className={textStyles.unit}> → </span>
            {formatCount(output)}
          </span>
        )}
        {turn.cost_usd > 0 && (
          <span className={classNames(textStyles.number, styles.figure)}>
            <Cost cost={costOfSum(turn)} />
          </span>
        )}
      </button>
      {isUnfolded && <Steps turn={turn} reading={reading} />}
    </>
  );
}

function Count({ icon: Icon, type, count }: { icon: LucideIcon; type: string | undefined; count: number }) {
  if (count === 0) return null;
  return (
    <span className={styles.group} aria-hidden>
      <Icon className={classNames(iconStyles.tiny, type)} />
      {formatCount(count)}
    </span>
  );
}

function summary({ llm_calls: models }: TraceSummary, tools: number, agents: number): string {
  return [
    `${formatWhole(models)} model ${models === 1 ? "call" : "calls"}`,
    `${formatWhole(tools)} tool ${tools === 1 ? "call" : "calls"}`,
    ...(agents > 0 ? [`${formatWhole(agents)} ${agents === 1 ? "agent" : "agents"}`] : []),
  ].join(", ");
}

/** The tools with their counts; without tools, the name of the run. */
function namesOf(turn: TraceSummary, reading: TurnReading | undefined): string {
  const names = reading === undefined ? turn.tools.join(", ") : toolNames(reading);
  return names === "" ? turn.root_name : names;
}

function Steps({ turn, reading }: Pick<ActivityLineProps, "turn" | "reading">) {
  if (reading === undefined)
    return <p className={classNames(textStyles.faint, styles.empty)}>Reading the trace…</p>;
  if (reading.steps.length === 0)
    return <p className={classNames(textStyles.faint, styles.empty)}>The trace has one span only.</p>;
  return (
    <div className={styles.steps} role="list">
      <Paged
        items={reading.steps}
        name="steps"
        renderItem={(node) => <Step key={node.id} node={node} turn={turn} />}
      />
    </div>
  );
}

/** A step; a click opens it in its trace. */
function Step({ node, turn }: { node: SpanNode; turn: TraceSummary }) {
  const { span } = node;
  const isTool = span.span_type === "tool";
  const text = isTool ? textOf(span, "input_text") : (textOf(span, "model") ?? textOf(span, "agent"));
  const key = { traceId: turn.trace_id, tenant: turn.tenant };
  return (
    <div role="listitem">
      <Link
        className={styles.step}
        href={tracePath(key, { spanId: node.id, tab: "messages", view: "timeline" })}
        onClick={(event) => event.stopPropagation()}
      >
        <SpanIcon spanType={span.span_type} />
        <span className={classNames(styles.name, textStyles.cut)}>
          {(isTool ? textOf(span, "tool_name") : undefined) ?? span.name}
        </span>
        {span.status === "ERROR" && <StatusDot status="ERROR" name="failed" />}
        <span className={classNames(styles.what, textStyles.cut, textStyles.grow)}>
          {text === undefined ? "" : oneLine(text, 120)}
        </span>
        <span className={classNames(textStyles.number, textStyles.dim)}>
          {span.duration_ms === null ? "running" : durationText(span.duration_ms)}
        </span>
      </Link>
    </div>
  );
}
