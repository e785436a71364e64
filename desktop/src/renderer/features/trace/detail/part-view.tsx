import type { LongText, MessageForm, SpanPart } from "@obspan/collector-core/analysis";
import { JsonCode } from "./code.js";
import { ImageView } from "./image-view.js";
import { LongTextView } from "./long-text.js";
import { useSpanDetail } from "./span-detail-context.js";
import { ToolCallCard } from "./tool-call-card.js";
import { ValueView } from "./value-view.js";
import { classNames } from "../../../components/class-names.js";
import textStyles from "../../../components/text.module.css";
import messagesStyles from "./messages.module.css";

interface PartViewProps {
  readonly part: SpanPart;
  /** What the texts of the message are. */
  readonly form: MessageForm;
  readonly isExpanded: boolean;
  readonly isOutput: boolean;
}

/** One part of a message. */
export function PartView({ part, form, isExpanded, isOutput }: PartViewProps) {
  switch (part.kind) {
    case "text":
      return <LongTextView text={part.text} kind={form} />;
    case "reasoning":
      return (
        <div className={messagesStyles.reasoning}>
          <span className={textStyles.note}>Reasoning</span>
          <LongTextView text={part.text} kind="prose" />
        </div>
      );
    case "call":
      return <ToolCallCard call={part} isExpanded={isExpanded} isOutput={isOutput} />;
    case "result":
      return (
        <div className={messagesStyles.reasoning}>
          <span className={textStyles.note}>
            Result{part.id === "" ? "" : " of "}
            <span className={textStyles.mono}>{part.id}</span>
          </span>
          <ValueView value={part.response} />
        </div>
      );
    case "image":
      return <ImagePart mimeType={part.mimeType} content={part.content} />;
    case "link":
      return (
        <p className={classNames(textStyles.note, textStyles.break)}>
          {part.label} <span className={textStyles.mono}>{part.uri}</span>
        </p>
      );
    case "json":
      return <JsonCode value={part.value} />;
  }
}

function ImagePart({ mimeType, content }: { mimeType: string; content: LongText }) {
  const { isWhole, isLoading, load } = useSpanDetail();
  return (
    <ImageView mimeType={mimeType} content={content} isWhole={isWhole} isLoading={isLoading} load={load} />
  );
}
