import { ArrowUpRight, ChevronDown, ChevronRight, CornerDownRight, Wrench } from "lucide-react";
import { useState } from "react";
import { type SpanNode, spanOfCall, type ToolCallPart } from "@obspan/collector-core/analysis";
import { Figure } from "../figure.js";
import { useSelection } from "../hooks/use-selection.js";
import { useTracePage } from "../trace-page-context.js";
import { ValueView } from "./value-view.js";
import { useSpanDetail } from "./span-detail-context.js";
import { callLine, parsedValue } from "../model/call-line.js";
import { classNames } from "../../../components/class-names.js";
import iconStyles from "../../../components/icon.module.css";
import spanTypeStyles from "../../../components/span-type.module.css";
import textStyles from "../../../components/text.module.css";
import styles from "./tool-call-card.module.css";

interface ToolCallCardProps {
  readonly call: ToolCallPart;
  readonly isExpanded: boolean;
  readonly isOutput: boolean;
}

/** A tool call: its name, arguments and result. */
export function ToolCallCard({ call, isExpanded, isOutput }: ToolCallCardProps) {
  const { tree } = useTracePage();
  const { node } = useSpanDetail();
  const { select } = useSelection();
  const [isOpen, setOpen] = useState(isExpanded);
  const ran = spanOfCall(tree, node, call);
  const Chevron = isOpen ? ChevronDown : ChevronRight;
  return (
    <div className={ran?.span.status === "ERROR" ? classNames(styles.call, styles.failed) : styles.call}>
      <header>
        <button
          type="button"
          className={styles.callToggle}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          <Chevron className={classNames(iconStyles.tiny, textStyles.faint)} aria-hidden />
          <Wrench className={classNames(iconStyles.icon, spanTypeStyles.tool)} aria-hidden />
          <b>{call.name}</b>
          {!isOpen && (
            <span className={classNames(textStyles.mono, textStyles.faint, textStyles.cut)}>
              {callLine(call.arguments)}
            </span>
          )}
        </button>
        {ran !== undefined && <SpanLink node={ran} onClick={() => select(ran)} />}
      </header>
      {isOpen && call.arguments !== undefined && (
        <div className={styles.callBody}>
          <ValueView value={parsedValue(call.arguments)} />
        </div>
      )}
      <Result call={call} isOpen={isOpen} isOutput={isOutput} />
    </div>
  );
}

function Result({ call, isOpen, isOutput }: { call: ToolCallPart; isOpen: boolean; isOutput: boolean }) {
  if (call.result === undefined) {
    // A call in the output is answered in a later model call.
    return isOutput ? null : (
      <div className={classNames(styles.result, textStyles.faint)}>No result in this conversation</div>
    );
  }
  const { response } = call.result;
  if (!isOpen) {
    return (
      <div className={styles.result}>
        <CornerDownRight className={iconStyles.icon} aria-label="Result" />
        <span className={classNames(textStyles.mono, textStyles.cut)}>{callLine(response)}</span>
      </div>
    );
  }
  return (
    <div className={styles.callBody}>
      <span className={textStyles.note}>Result</span>
      <ValueView value={parsedValue(response)} />
    </div>
  );
}

function SpanLink({ node, onClick }: { node: SpanNode; onClick: () => void }) {
  const isKnown = node.span.duration_ms !== null;
  return (
    <button type="button" className={styles.callLink} data-tip="Go to the tool's span" onClick={onClick}>
      {node.span.status === "ERROR" && <span className={textStyles.error}>failed</span>}
      {isKnown && <Figure ms={node.span.duration_ms ?? 0} />}
      <ArrowUpRight className={iconStyles.tiny} aria-label="Go to the tool's span" />
    </button>
  );
}
