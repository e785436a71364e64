import { byteSizeText } from "@obspan/collector-core/api-schema";
import { useState } from "react";
import { imageAddress, type MessageForm, type SpanPart } from "../model/message-parts.js";
import { isTruncated, type LongText } from "../model/values.js";
import { JsonCode } from "./code.js";
import { LongTextView } from "./long-text.js";
import { useSpanDetail } from "./span-detail-context.js";
import { ToolCallCard } from "./tool-call-card.js";
import { ValueView } from "./value-view.js";
import { classNames } from "../../../components/class-names.js";
import buttonStyles from "../../../components/button.module.css";
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

/** An image in a message. A truncated one is loaded on request. */
function ImagePart({ mimeType, content }: { mimeType: string; content: LongText }) {
  const { isWhole, isLoading, load } = useSpanDetail();
  const [hasFailed, setFailed] = useState(false);
  if (isTruncated(content) && !isWhole) {
    const size = byteSizeText(Math.round((content.bytes * 3) / 4));
    return (
      <p className={textStyles.note}>
        Image, {mimeType}{" "}
        <button type="button" className={buttonStyles.more} disabled={isLoading} onClick={load}>
          {isLoading ? "Loading…" : `Show all ${size}`}
        </button>
      </p>
    );
  }
  const address = isTruncated(content) ? undefined : imageAddress(mimeType, content);
  if (address === undefined || hasFailed)
    return <p className={textStyles.note}>Image, {mimeType}, that cannot be shown</p>;
  return (
    <img
      className={messagesStyles.image}
      src={address}
      alt={`Part of the message, ${mimeType}`}
      onError={() => setFailed(true)}
    />
  );
}
