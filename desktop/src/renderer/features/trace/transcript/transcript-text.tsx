import {
  isLongText,
  isTruncated,
  truncatedBytes,
  type LongText,
  type SpanNode,
} from "@obspan/collector-core/analysis";
import { byteSizeText } from "@obspan/collector-core/api-schema";
import { useStores, useTrace } from "../../../app-context.js";
import { classNames } from "../../../components/class-names.js";
import { JsonCode } from "../detail/code.js";
import { TextBody, type TextKind } from "../detail/long-text.js";
import { useFolds } from "./folds.js";
import buttonStyles from "../../../components/button.module.css";
import textStyles from "../../../components/text.module.css";

/** Characters and lines of a long text that are shown before it is opened. */
const FIRST_CHARACTERS = 900;
const FIRST_LINES = 12;

interface TranscriptTextProps {
  readonly text: LongText;
  readonly kind: TextKind;
  /** The span that the text was read from. */
  readonly node: SpanNode;
  readonly foldKey: string;
}

/** A text of the transcript. A long one is folded, and fetched when it is opened. */
export function TranscriptText({ text, kind, node, foldKey }: TranscriptTextProps) {
  const { isOpen, toggle } = useFolds();
  const { isWhole, isLoading, problem, load } = useWholeSpan(node);
  const content = isTruncated(text) ? text.preview : text;
  const isMissing = isTruncated(text) && !isWhole;
  const first = isMissing ? content : firstOf(content);
  const isLong = isMissing || first.length < content.length;
  const isOpened = isOpen(foldKey);
  // A blob is slow to make: only of a text whose size is shown.
  const size = isTruncated(text) && isMissing ? text.bytes : isLong ? new Blob([content]).size : 0;
  const onClick = (): void => {
    if (isMissing) load();
    if (!isMissing || !isOpened) toggle(foldKey);
  };
  const isCut = isMissing || (isLong && !isOpened);
  return (
    <>
      <TextBody text={isCut ? first : content} isCut={isCut} kind={kind} />
      {isLong && (
        <button
          type="button"
          className={buttonStyles.more}
          aria-expanded={isOpened}
          // Not disabled: the pane loads the selected span too, and a click would be lost if that began while the button is down.
          aria-busy={isLoading}
          onClick={onClick}
        >
          {isLoading ? "Loading…" : isOpened && !isMissing ? "Show less" : `Show all ${byteSizeText(size)}`}
        </button>
      )}
      {problem !== undefined && <NotLoaded problem={problem} />}
    </>
  );
}

interface TranscriptValueProps extends Omit<TranscriptTextProps, "text" | "kind"> {
  readonly value: unknown;
}

/** A value of a program: a text is shown as one, everything else as JSON. Its long texts are fetched on request. */
export function TranscriptValue({ value, node, foldKey }: TranscriptValueProps) {
  return isLongText(value) ? (
    <TranscriptText text={value} kind="data" node={node} foldKey={foldKey} />
  ) : (
    <TranscriptJson value={value} node={node} />
  );
}

function TranscriptJson({ value, node }: { value: unknown; node: SpanNode }) {
  const { isWhole, isLoading, problem, load } = useWholeSpan(node);
  const missing = isWhole ? 0 : truncatedBytes(value);
  return (
    <>
      <JsonCode value={value} />
      {missing > 0 && (
        <button type="button" className={buttonStyles.more} disabled={isLoading} onClick={load}>
          {isLoading ? "Loading…" : `Show all ${byteSizeText(missing)}`}
        </button>
      )}
      {problem !== undefined && <NotLoaded problem={problem} />}
    </>
  );
}

function NotLoaded({ problem }: { problem: string }) {
  return (
    <span className={classNames(textStyles.error, textStyles.note)} role="alert">
      {" "}
      Not loaded: {problem}
    </span>
  );
}

/** Whether a span is loaded with its full texts, and how to do that. */
export function useWholeSpan({ id }: SpanNode): {
  readonly isWhole: boolean;
  readonly isLoading: boolean;
  readonly problem: string | undefined;
  readonly load: () => void;
} {
  const { trace } = useStores();
  const isWhole = useTrace((state) => Object.hasOwn(state.whole, id));
  const isLoading = useTrace((state) => state.loadingWhole.has(id));
  const problem = useTrace((state) =>
    Object.hasOwn(state.wholeErrors, id) ? state.wholeErrors[id]?.message : undefined,
  );
  return { isWhole, isLoading, problem, load: () => void trace.getState().loadWhole(id) };
}

/** The beginning of a text, at the end of a line or a character. */
function firstOf(text: string): string {
  const lines = text.split("\n", FIRST_LINES + 1);
  const byLines = lines.length > FIRST_LINES ? lines.slice(0, FIRST_LINES).join("\n") : text;
  if (byLines.length <= FIRST_CHARACTERS * 1.3) return byLines;
  const isInside = /[\uD800-\uDBFF]/.test(byLines.charAt(FIRST_CHARACTERS - 1));
  return byLines.slice(0, isInside ? FIRST_CHARACTERS - 1 : FIRST_CHARACTERS);
}
