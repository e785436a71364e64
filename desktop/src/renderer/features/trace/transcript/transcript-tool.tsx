import { oneLine, type SpanNode, type TranscriptTool } from "@obspan/collector-core/analysis";
import { ArrowUpRight, ChevronDown, ChevronRight, CircleAlert, CornerDownRight, Wrench } from "lucide-react";
import { callLine, parsedValue } from "../model/call-line.js";
import { classNames } from "../../../components/class-names.js";
import { SpanIcon } from "../../../components/span-icon.js";
import { Figure } from "../figure.js";
import { useTraceNow } from "../hooks/use-trace-now.js";
import { useSelection } from "../hooks/use-selection.js";
import { RepeatMark } from "../repeat-mark.js";
import { StepNumber } from "../step-number.js";
import { useTracePage } from "../trace-page-context.js";
import { useFolds } from "./folds.js";
import { StepFailure } from "./step-failure.js";
import { TranscriptValue } from "./transcript-text.js";
import badgeStyles from "../../../components/badge.module.css";
import iconStyles from "../../../components/icon.module.css";
import spanTypeStyles from "../../../components/span-type.module.css";
import textStyles from "../../../components/text.module.css";
import callStyles from "../detail/tool-call-card.module.css";
import styles from "./transcript.module.css";

interface TranscriptToolProps {
  readonly tool: TranscriptTool;
  /** The span of the model call, or of the step itself. */
  readonly owner: SpanNode;
}

/** A tool of the transcript: name, arguments, and result or error. */
export function TranscriptToolCard({ tool, owner }: TranscriptToolProps) {
  const { selected } = useTracePage();
  const { isOpen, toggle } = useFolds();
  const isOpened = isOpen(tool.key);
  const Chevron = isOpened ? ChevronDown : ChevronRight;
  const isSelected = tool.node !== undefined && tool.node.id === selected?.id && tool.node !== owner;
  return (
    <div
      className={classNames(
        callStyles.call,
        styles.call,
        tool.error && callStyles.failed,
        isSelected && styles.selectedCall,
      )}
    >
      <header>
        <button
          type="button"
          className={callStyles.callToggle}
          aria-expanded={isOpened}
          onClick={(event) => {
            event.stopPropagation();
            toggle(tool.key);
          }}
        >
          <Chevron className={classNames(iconStyles.tiny, textStyles.faint)} aria-hidden />
          <StepNumber number={tool.number} />
          {tool.node === undefined ? (
            <Wrench className={classNames(iconStyles.icon, spanTypeStyles.tool)} aria-label="tool" />
          ) : (
            <SpanIcon spanType={tool.node.span.span_type} />
          )}
          <b>{tool.name}</b>
          {!isOpened && (
            <span className={classNames(textStyles.mono, textStyles.faint, textStyles.cut)}>
              {callLine(tool.arguments)}
            </span>
          )}
        </button>
        <RepeatMark repeat={tool.repeat} />
        {tool.error?.type !== undefined && (
          <span className={classNames(badgeStyles.error, styles.reason)}>{oneLine(tool.error.type, 40)}</span>
        )}
        {tool.node !== undefined && tool.node !== owner && <SpanLink node={tool.node} />}
      </header>
      {isOpened && tool.arguments !== undefined && (
        <div className={callStyles.callBody}>
          <TranscriptValue
            value={parsedValue(tool.arguments)}
            node={tool.call === undefined ? (tool.node ?? owner) : owner}
            foldKey={`${tool.key} arguments`}
          />
        </div>
      )}
      <Outcome tool={tool} isOpened={isOpened} />
    </div>
  );
}

function Outcome({ tool, isOpened }: { tool: TranscriptTool; isOpened: boolean }) {
  const { result, error } = tool;
  return (
    <>
      {error !== undefined && (
        <div className={classNames(callStyles.result, styles.failedResult)}>
          <CircleAlert className={iconStyles.icon} aria-label="Error" />
          <StepFailure error={error} isOpened={isOpened} />
        </div>
      )}
      {result !== undefined && !isOpened && (
        <div className={callStyles.result}>
          <CornerDownRight className={iconStyles.icon} aria-label="Result" />
          <span className={classNames(textStyles.mono, textStyles.cut)}>
            {callLine(result.response) || "(empty)"}
          </span>
        </div>
      )}
      {result !== undefined && isOpened && (
        <div className={callStyles.callBody}>
          <span className={textStyles.note}>Result</span>
          <TranscriptValue
            value={parsedValue(result.response)}
            node={result.node}
            foldKey={`${tool.key} result`}
          />
        </div>
      )}
      {result === undefined && error === undefined && (
        <div className={classNames(callStyles.result, textStyles.faint)}>
          {tool.node?.endMs === undefined && tool.node !== undefined ? "running…" : "No result recorded"}
        </div>
      )}
    </>
  );
}

function SpanLink({ node }: { node: SpanNode }) {
  const { select } = useSelection();
  const nowMs = useTraceNow();
  const isUnknown = node.span.duration_ms === null && node.endMs !== undefined;
  return (
    <button
      type="button"
      className={callStyles.callLink}
      data-tip="Go to the tool's span"
      onClick={(event) => {
        event.stopPropagation();
        select(node);
      }}
    >
      {!isUnknown && <Figure ms={(node.endMs ?? nowMs) - node.startMs} />}
      <ArrowUpRight className={iconStyles.tiny} aria-label="Go to the tool's span" />
    </button>
  );
}
