import { byteSizeText } from "@obspan/collector-core/api-schema";
import { useMemo, useState } from "react";
import { isTruncated, parseJsonText, type LongText } from "../model/values.js";
import { JsonCode, PlainText } from "./code.js";
import { MarkdownText } from "./markdown-text.js";
import { useSpanDetail } from "./span-detail-context.js";
import { classNames } from "../../../components/class-names.js";
import buttonStyles from "../../../components/button.module.css";
import textStyles from "../../../components/text.module.css";

/** Characters of a long text that are shown before it is expanded. */
const FIRST_CHARACTERS = 4000;
/** Longer texts are not parsed as Markdown, because that takes too long. */
const MAX_MARKDOWN = 100_000;

interface LongTextViewProps {
  readonly text: LongText;
  /** `prose` is rendered as Markdown, or as JSON if it is JSON; `code` is shown unchanged. */
  readonly kind: "prose" | "code";
}

/** A text of any length. The rest is shown on request, and fetched if necessary. */
export function LongTextView({ text, kind }: LongTextViewProps) {
  const { isWhole } = useSpanDetail();
  const [isOpen, setOpen] = useState(false);
  if (isTruncated(text) && !isWhole) {
    return (
      <>
        <TextBody text={`${text.preview}…`} kind={kind} />
        <LoadButton bytes={text.bytes} onOpen={() => setOpen(true)} />
      </>
    );
  }
  // A value may only look like a truncated text: in a fully fetched span it is taken literally.
  const content = isTruncated(text) ? text.preview : text;
  const isLong = content.length > FIRST_CHARACTERS;
  return (
    <>
      <TextBody text={isLong && !isOpen ? `${firstOf(content)}…` : content} kind={kind} />
      {isLong && (
        <button
          type="button"
          className={buttonStyles.more}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? "Show less" : `Show all ${sizeOf(content)}`}
        </button>
      )}
    </>
  );
}

function LoadButton({ bytes, onOpen }: { bytes: number; onOpen: () => void }) {
  const { isLoading, problem, load } = useSpanDetail();
  return (
    <>
      <button
        type="button"
        className={buttonStyles.more}
        disabled={isLoading}
        onClick={() => {
          onOpen();
          load();
        }}
      >
        {isLoading ? "Loading…" : `Show all ${byteSizeText(bytes)}`}
      </button>
      {problem !== undefined && (
        <span className={classNames(textStyles.error, textStyles.note)} role="alert">
          {" "}
          Not loaded: {problem}
        </span>
      )}
    </>
  );
}

function TextBody({ text, kind }: { text: string; kind: "prose" | "code" }) {
  const json = useMemo(() => (kind === "prose" ? parseJsonText(text) : undefined), [text, kind]);
  if (json !== undefined) return <JsonCode value={json} />;
  if (kind === "code") return <PlainText text={text} isCode />;
  if (text.length > MAX_MARKDOWN) return <PlainText text={text} />;
  return <MarkdownText key={text} text={text} />;
}

/** The beginning of a text, without splitting a character. */
function firstOf(text: string): string {
  const isInside = /[\uD800-\uDBFF]/.test(text.charAt(FIRST_CHARACTERS - 1));
  return text.slice(0, isInside ? FIRST_CHARACTERS - 1 : FIRST_CHARACTERS);
}

function sizeOf(text: string): string {
  return byteSizeText(new Blob([text]).size);
}
