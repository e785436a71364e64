import { isTruncated, type LongText, parseJsonText } from "@obspan/collector-core/analysis";
import { byteSizeText } from "@obspan/collector-core/api-schema";
import { useMemo, useState } from "react";
import { indentJson, isJsonPrefix } from "../model/json-prefix.js";
import { JsonCode, JsonText, PlainText } from "./code.js";
import { MarkdownText } from "./markdown-text.js";
import { useSpanDetail } from "./span-detail-context.js";
import { classNames } from "../../../components/class-names.js";
import buttonStyles from "../../../components/button.module.css";
import textStyles from "../../../components/text.module.css";

/** Characters of a long text that are shown before it is expanded. */
const FIRST_CHARACTERS = 4000;
/** Longer texts are not parsed as Markdown, because that takes too long. */
const MAX_MARKDOWN = 100_000;

/**
 * What a text is. `prose` was written by a person or a model: Markdown. `plain` is for reading, but no Markdown. `data` came
 * from a program. Each of them appears as JSON if it is JSON. `code` is shown unchanged.
 */
export type TextKind = "prose" | "plain" | "data" | "code";

interface LongTextViewProps {
  readonly text: LongText;
  readonly kind: TextKind;
}

/** A text of any length. The rest is shown on request, and fetched if necessary. */
export function LongTextView({ text, kind }: LongTextViewProps) {
  const { isWhole } = useSpanDetail();
  const [isOpen, setOpen] = useState(false);
  if (isTruncated(text) && !isWhole) {
    return (
      <>
        <TextBody text={text.preview} isCut kind={kind} />
        <LoadButton bytes={text.bytes} onOpen={() => setOpen(true)} />
      </>
    );
  }
  // A value may only look like a truncated text: in a fully fetched span it is taken literally.
  const content = isTruncated(text) ? text.preview : text;
  const isLong = content.length > FIRST_CHARACTERS;
  return (
    <>
      <TextBody text={isLong && !isOpen ? firstOf(content) : content} isCut={isLong && !isOpen} kind={kind} />
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

interface TextBodyProps {
  readonly text: string;
  /** Whether more text follows that is not shown. */
  readonly isCut: boolean;
  readonly kind: TextKind;
}

/** A text as its kind says: Markdown, JSON or unchanged. */
export function TextBody({ text, isCut, kind }: TextBodyProps) {
  const json = useMemo(
    () => (kind === "code" || isCut ? undefined : parseJsonText(text)),
    [text, isCut, kind],
  );
  const cutJson = useMemo(
    () => (kind !== "code" && isCut && isJsonPrefix(text) ? `${indentJson(text)}…` : undefined),
    [text, isCut, kind],
  );
  if (json !== undefined) return <JsonCode value={json} />;
  if (cutJson !== undefined) return <JsonText text={cutJson} />;
  const shown = isCut ? `${text}…` : text;
  if (kind === "prose" && shown.length <= MAX_MARKDOWN) return <MarkdownText key={shown} text={shown} />;
  return <PlainText text={shown} isCode={kind === "code" || kind === "data"} />;
}

/** The beginning of a text, without splitting a character. */
function firstOf(text: string): string {
  const isInside = /[\uD800-\uDBFF]/.test(text.charAt(FIRST_CHARACTERS - 1));
  return text.slice(0, isInside ? FIRST_CHARACTERS - 1 : FIRST_CHARACTERS);
}

function sizeOf(text: string): string {
  return byteSizeText(new Blob([text]).size);
}
