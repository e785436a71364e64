import { imageAddress, isTruncated, type LongText } from "@obspan/collector-core/analysis";
import { byteSizeText } from "@obspan/collector-core/api-schema";
import { useState } from "react";
import buttonStyles from "../../../components/button.module.css";
import textStyles from "../../../components/text.module.css";
import messagesStyles from "./messages.module.css";

interface ImageViewProps {
  readonly mimeType: string;
  readonly content: LongText;
  /** Whether the span of the image is loaded with its full texts. */
  readonly isWhole: boolean;
  readonly isLoading: boolean;
  readonly load: () => void;
}

/** An image in a message. A truncated one is loaded on request. */
export function ImageView({ mimeType, content, isWhole, isLoading, load }: ImageViewProps) {
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
