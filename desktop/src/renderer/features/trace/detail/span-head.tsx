import { Check, Link2, X } from "lucide-react";
import type { ReactNode } from "react";
import { costOf, numberOf, textOf } from "@obspan/collector-core/analysis";
import { SpanIcon } from "../../../components/span-icon.js";
import { durationText, formatPreciseTime, formatWhole } from "../../../format.js";
import { focusSpans } from "../hooks/use-selection.js";
import { useTraceNow } from "../hooks/use-trace-now.js";
import { placementWarnings } from "../model/placement-warnings.js";
import { statusBadge } from "../model/span-notes.js";
import { useTracePage } from "../trace-page-context.js";
import { Cost } from "../cost.js";
import { IconButton } from "../icon-button.js";
import { useSpanDetail } from "./span-detail-context.js";
import { classNames } from "../../../components/class-names.js";
import badgeStyles from "../../../components/badge.module.css";
import textStyles from "../../../components/text.module.css";
import styles from "./span-head.module.css";

/** A link to the selected span. */
export interface SpanLink {
  readonly copy: () => void;
  readonly isCopied: boolean;
}

/** Name, status and figures of the span. */
export function SpanHead({ link }: { link: SpanLink }) {
  const { span } = useSpanDetail();
  const model = textOf(span, "model");
  const tool = textOf(span, "tool_name");
  const reason = textOf(span, "finish_reason");
  const notes = [
    model === undefined ? span.span_type : undefined,
    textOf(span, "provider"),
    tool === span.name ? undefined : tool,
    reason === undefined ? undefined : `ended with ${reason}`,
  ].filter((note) => note !== undefined);
  const badge = statusBadge(span.status);
  return (
    <div className={styles.spanHead}>
      <div className={styles.line}>
        <SpanIcon spanType={span.span_type} />
        <h2 className={textStyles.cut} data-tip={span.name} dir="auto">
          {span.name}
        </h2>
        {model !== undefined && (
          <span className={classNames(badgeStyles.chip, textStyles.mono, textStyles.cut)} data-tip={model}>
            {model}
          </span>
        )}
        <span className={classNames(styles.notes, textStyles.cut)} data-tip={notes.join(" · ")}>
          {notes.join(" · ")}
        </span>
        <span className={textStyles.grow} />
        <span className={classNames(badgeStyles[badge.kind], textStyles.cut)} data-tip={badge.text}>
          {badge.text}
        </span>
        <CopyLinkButton {...link} />
        <CloseButton />
      </div>
      <SpanFigures />
      <SpanNotices />
    </div>
  );
}

function CopyLinkButton({ copy, isCopied }: SpanLink) {
  return (
    <IconButton
      icon={isCopied ? Check : Link2}
      name={isCopied ? "Copied" : "Copy a link to this span"}
      keys="Y"
      onClick={copy}
    />
  );
}

/** Shown only if the pane covers the spans. */
function CloseButton() {
  const { view, isNarrow } = useTracePage();
  if (!isNarrow) return null;
  const close = (): void => {
    view.getState().closeOverlay();
    focusSpans();
  };
  return <IconButton icon={X} name="Close" keys="Esc" onClick={close} />;
}

function SpanFigures() {
  const { node, span } = useSpanDetail();
  const ttftMs = numberOf(span, "ttft_ms");
  const input = numberOf(span, "tokens_input");
  const cached = numberOf(span, "tokens_cached");
  const output = numberOf(span, "tokens_output");
  const reasoning = numberOf(span, "tokens_reasoning");
  const cost = costOf(span);
  const isUnknown = span.duration_ms === null && node.endMs !== undefined;
  return (
    <div className={styles.spanFacts}>
      {isUnknown ? (
        <Figure name="Time">not known</Figure>
      ) : (
        <Figure name="Time">
          <RunTime />
        </Figure>
      )}
      {ttftMs !== undefined && <Figure name="TTFT">{durationText(ttftMs)}</Figure>}
      {input !== undefined && (
        <Figure name="In" after={cached === undefined ? undefined : `(${formatWhole(cached)} cached)`}>
          {formatWhole(input)}
        </Figure>
      )}
      {output !== undefined && (
        <Figure
          name="Out"
          after={reasoning === undefined ? undefined : `(${formatWhole(reasoning)} reasoning)`}
        >
          {formatWhole(output)}
        </Figure>
      )}
      {cost !== undefined && (
        <Figure name="Cost">
          <Cost cost={cost} />
        </Figure>
      )}
      <Figure name="At" title={`Started ${formatPreciseTime(span.start_time)}`}>
        {durationText(node.startMs)}
      </Figure>
    </div>
  );
}

/** Warnings about the span's place in the trace, for example a missing parent. */
function SpanNotices() {
  const { node } = useSpanDetail();
  const notices = placementWarnings(node);
  if (notices.length === 0) return null;
  return (
    <ul className={styles.spanNotices}>
      {notices.map((notice) => (
        <li key={notice}>{notice}</li>
      ))}
    </ul>
  );
}

function RunTime() {
  const { node } = useSpanDetail();
  const nowMs = useTraceNow();
  return durationText((node.endMs ?? nowMs) - node.startMs);
}

interface FigureProps {
  readonly name: string;
  readonly after?: string | undefined;
  readonly title?: string;
  readonly children: ReactNode;
}

function Figure({ name, after, title, children }: FigureProps) {
  return (
    <span data-tip={title}>
      {name}
      <b>{children}</b>
      {after !== undefined && ` ${after}`}
    </span>
  );
}
