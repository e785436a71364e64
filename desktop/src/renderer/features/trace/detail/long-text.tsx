import { useMemo, useState } from "react";
import { formatBytes } from "../../../format.js";
import { isTruncated, parseJsonText, type LongText } from "../model/values.js";
import { JsonCode, PlainText } from "./code.js";
import { MarkdownText } from "./markdown-text.js";
import { useSpanDetail } from "./span-detail-context.js";
import { classNames } from "../../../components/class-names.js";
import buttonStyles from "../../../components/button.module.css";
import textStyles from "../../../components/text.module.css";

/** Characters that are shown of a long text until all of it is asked for. */
const FIRST_CHARACTERS = 4000;
/** Longer texts are not read as Markdown, which takes its time. */
const MAX_MARKDOWN = 100_000;

interface LongTextViewProps {
  readonly text: LongText;
  /** `prose` is read as Markdown, or as JSON where it is that; `code` stands as it came. */
  readonly kind: "prose" | "code";
}

/** A text of any length: its beginning first; the whole when asked for, fetched where it is not here. */
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
  // A span may carry what looks like a cut text: fetched whole, it is what it says.
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
        {isLoading ? "Loading…" : `Show all ${inUnits(bytes)}`}
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

/** The beginning of a text, not cut inside of a character. */
function firstOf(text: string): string {
  const isInside = /[\uD800-\uDBFF]/.test(text.charAt(FIRST_CHARACTERS - 1));
  return text.slice(0, isInside ? FIRST_CHARACTERS - 1 : FIRST_CHARACTERS);
}

function sizeOf(text: string): string {
  return inUnits(new Blob([text]).size);
}

function inUnits(bytes: number): string {
  const { value, unit } = formatBytes(bytes);
  return `${value} ${unit}`;
}
