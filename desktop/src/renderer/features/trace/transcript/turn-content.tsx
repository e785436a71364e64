import {
  costOf,
  entryMarkdown,
  oneLine,
  textOf,
  type TranscriptTool,
  type TurnEntry,
} from "@obspan/collector-core/analysis";
import { useLiveText } from "../../../app-context.js";
import { classNames } from "../../../components/class-names.js";
import { CopyButton } from "../../../components/copy-button.js";
import { Paged } from "../../../components/paged.js";
import { SpanIcon } from "../../../components/span-icon.js";
import { StatusDot } from "../../../components/status-dot.js";
import { Cost } from "../cost.js";
import { PlainText } from "../detail/code.js";
import { useTraceView } from "../trace-page-context.js";
import { Logged, useDuration } from "./logged.js";
import { StepFailure } from "./step-failure.js";
import { TranscriptParts } from "./transcript-parts.js";
import { TranscriptToolCard } from "./transcript-tool.js";
import copyStyles from "../../../components/hidden-copy.module.css";
import badgeStyles from "../../../components/badge.module.css";
import textStyles from "../../../components/text.module.css";
import styles from "./transcript.module.css";

/** A call of a model: its answer, and the tools that it called. */
export function TurnContent({ entry }: { entry: TurnEntry }) {
  const { node, error } = entry;
  const duration = useDuration(node);
  const showsTools = useTraceView((state) => state.transcriptParts.tools);
  const model = textOf(node.span, "model");
  const cost = costOf(node.span);
  return (
    <Logged
      atMs={entry.atMs}
      level={entry.level}
      number={entry.number}
      durationMs={duration}
      icon={<SpanIcon spanType="llm" />}
    >
      <header className={styles.head}>
        <b>Assistant</b>
        <span className={textStyles.cut}>{node.span.name}</span>
        {model !== undefined && (
          <span className={classNames(badgeStyles.chip, textStyles.mono, textStyles.cut)} data-tip={model}>
            {model}
          </span>
        )}
        {entry.isFinal && <span className={badgeStyles.plain}>final answer</span>}
        {entry.isRunning && <StatusDot status="RUNNING" name="running" />}
        {error !== undefined && (
          <span className={badgeStyles.error}>{oneLine(error.type ?? "failed", 60)}</span>
        )}
        <span className={textStyles.grow} />
        {!entry.isRunning && (
          <CopyButton className={copyStyles.copy} text={() => entryMarkdown(entry)} name="Copy as Markdown" />
        )}
        {cost !== undefined && (
          <span className={textStyles.number}>
            <Cost cost={cost} />
          </span>
        )}
      </header>
      <Paged
        items={[...entry.reasoning, ...entry.output]}
        name="messages"
        renderItem={(message) => <TranscriptParts key={message.key} message={message} node={node} />}
      />
      {entry.isRunning && <LiveAnswer entry={entry} />}
      {showsTools ? (
        <Paged
          items={entry.tools}
          name="tools"
          renderItem={(tool) => <TranscriptToolCard key={tool.key} tool={tool} owner={node} />}
        />
      ) : (
        entry.tools.length > 0 && <p className={textStyles.note}>{toolNames(entry.tools)}</p>
      )}
      {error !== undefined && (
        <div className={styles.failure}>
          <StepFailure error={error} isOpened />
        </div>
      )}
      {isUnrecorded(entry) && <p className={textStyles.note}>The answer was not recorded.</p>}
    </Logged>
  );
}

/** The answer while it is written: plain text, because Markdown would change its form with every word. */
function LiveAnswer({ entry }: { entry: TurnEntry }) {
  const text = useLiveText(entry.node.id);
  if (entry.output.length > 0) return null;
  if (text === undefined) return <p className={textStyles.note}>Waiting for the answer</p>;
  return (
    <div className={styles.live} aria-busy aria-live="off">
      <PlainText text={text} />
    </div>
  );
}

function isUnrecorded({ output, reasoning, tools, error, isRunning }: TurnEntry): boolean {
  return output.length + reasoning.length + tools.length === 0 && error === undefined && !isRunning;
}

function toolNames(tools: readonly TranscriptTool[]): string {
  return `Called ${tools.map(({ name }) => name).join(", ")}`;
}
