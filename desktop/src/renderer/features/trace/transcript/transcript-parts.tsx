import type { SpanMessage, SpanNode, SpanPart, TranscriptTool } from "@obspan/collector-core/analysis";
import { classNames } from "../../../components/class-names.js";
import { Paged } from "../../../components/paged.js";
import { ImageView } from "../detail/image-view.js";
import { TranscriptText, TranscriptValue, useWholeSpan } from "./transcript-text.js";
import { TranscriptToolCard } from "./transcript-tool.js";
import textStyles from "../../../components/text.module.css";
import messagesStyles from "../detail/messages.module.css";
import styles from "./transcript.module.css";

interface TranscriptPartsProps {
  readonly message: SpanMessage;
  /** The span that has the message. */
  readonly node: SpanNode;
  readonly isLarge?: boolean;
}

/** The parts of a message. */
export function TranscriptParts({ message, node, isLarge = false }: TranscriptPartsProps) {
  return (
    <div className={isLarge ? classNames(styles.parts, styles.large) : styles.parts}>
      <Paged
        items={message.parts}
        name="parts"
        renderItem={(part, index) => (
          <Part part={part} message={message} node={node} foldKey={`${node.id} ${message.key} ${index}`} />
        )}
      />
    </div>
  );
}

interface PartProps extends TranscriptPartsProps {
  readonly part: SpanPart;
  readonly foldKey: string;
}

function Part({ part, message, node, foldKey }: PartProps) {
  switch (part.kind) {
    case "text":
      return <TranscriptText text={part.text} kind={message.form} node={node} foldKey={foldKey} />;
    case "reasoning":
      return (
        <div className={messagesStyles.reasoning}>
          <span className={textStyles.note}>Reasoning</span>
          <TranscriptText text={part.text} kind="prose" node={node} foldKey={foldKey} />
        </div>
      );
    case "call":
      return <TranscriptToolCard tool={earlierCall(part, node, foldKey)} owner={node} />;
    case "result":
      return (
        <div className={messagesStyles.reasoning}>
          <span className={textStyles.note}>
            Result{part.id === "" ? "" : " of "}
            <span className={textStyles.mono}>{part.id}</span>
          </span>
          <TranscriptValue value={part.response} node={node} foldKey={foldKey} />
        </div>
      );
    case "image":
      return <Image part={part} node={node} />;
    case "link":
      return (
        <p className={classNames(textStyles.note, textStyles.break)}>
          {part.label} <span className={textStyles.mono}>{part.uri}</span>
        </p>
      );
    case "json":
      return <TranscriptValue value={part.value} node={node} foldKey={foldKey} />;
  }
}

function Image({ part, node }: { part: SpanPart & { kind: "image" }; node: SpanNode }) {
  const { isWhole, isLoading, load } = useWholeSpan(node);
  return (
    <ImageView
      mimeType={part.mimeType}
      content={part.content}
      isWhole={isWhole}
      isLoading={isLoading}
      load={load}
    />
  );
}

/** A call that was made before this run. */
function earlierCall(part: SpanPart & { kind: "call" }, node: SpanNode, key: string): TranscriptTool {
  return {
    key,
    name: part.name,
    call: part,
    node: undefined,
    number: undefined,
    arguments: part.arguments,
    result: part.result && { response: part.result.response, node },
    error: undefined,
    repeat: undefined,
  };
}
