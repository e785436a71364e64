import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { ErrorBoundary } from "../../../components/error-boundary.js";
import { classNames } from "../../../components/class-names.js";
import { useLiveText, useTrace } from "../../../app-context.js";
import { useTracePage, useTraceView } from "../trace-page-context.js";
import { EntryRow } from "./entry-row.js";
import { FoldsProvider, useFoldState } from "./folds.js";
import {
  EARLIER,
  estimatedHeight,
  nameOfRow,
  rowOfSpan,
  transcriptRows,
  type TranscriptRow,
} from "./transcript-rows.js";
import { useTranscriptKeys } from "./use-transcript-keys.js";
import { useTranscript, type ReadTranscript } from "./use-transcript.js";
import textStyles from "../../../components/text.module.css";
import styles from "./transcript.module.css";

/** About the height of what is above and below the rows: with it, the first rows are drawn before the view is measured. */
const AROUND_PX = 215;

/** The run as one conversation. */
export default function TranscriptView() {
  const read = useTranscript();
  return read === undefined ? <div className={styles.transcript} aria-busy="true" /> : <Entries {...read} />;
}

function Entries({ run, transcript }: ReadTranscript) {
  const { selected, found, view, isNarrow } = useTracePage();
  const parts = useTraceView((state) => state.transcriptParts);
  const isFollowing = useTraceView((state) => state.isFollowing);
  const isSearching = useTraceView((state) => state.search.trim() !== "");
  const folds = useFoldState();
  const showsEarlier = folds.isOpen(EARLIER);
  const rows = useMemo(
    () => transcriptRows(transcript, parts, showsEarlier),
    [transcript, parts, showsEarlier],
  );
  /** The row chosen in this view. Several rows have the same span. */
  const [chosen, setChosen] = useState<{ readonly key: string; readonly spanId: string }>();
  const current = useMemo(() => {
    const index = chosen?.spanId === selected?.id ? rows.findIndex(({ key }) => key === chosen?.key) : -1;
    return index >= 0 ? index : rowOfSpan(rows, selected);
  }, [rows, chosen, selected]);

  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => {
      const row = rows[index];
      return row === undefined ? 38 : estimatedHeight(row);
    },
    overscan: 2,
    initialRect: { width: 0, height: window.innerHeight - AROUND_PX },
    getItemKey: (index) => rows[index]?.key ?? index,
  });
  const choose = (row: TranscriptRow | undefined): void => {
    if (row === undefined) return;
    setChosen({ key: row.key, spanId: row.node.id });
    view.getState().select(row.node.id);
  };
  const currentKey = rows[current]?.key;
  useEffect(() => {
    if (current >= 0) virtualizer.scrollToIndex(current, { align: isFollowing ? "end" : "auto" });
    // Not when rows arrive: the reader may have scrolled away.
  }, [currentKey, virtualizer, isFollowing]);
  const liveText = useLiveText(selected?.id ?? "");
  useLayoutEffect(() => {
    if (isFollowing && current >= 0) virtualizer.scrollToIndex(current, { align: "end" });
    // The text of the followed call grows.
  }, [liveText, isFollowing]);
  useTranscriptKeys({ scroller, rows, current, choose, folds });

  const foundIds = useMemo(() => new Set(found.map((node) => rowOfSpan(rows, node))), [found, rows]);
  if (rows.length === 0) return <NothingSaid />;
  return (
    <FoldsProvider folds={folds}>
      <div ref={scroller} className={styles.transcript}>
        <div
          className={styles.rows}
          role="feed"
          aria-label="Transcript"
          style={{ height: virtualizer.getTotalSize() }}
        >
          {virtualizer.getVirtualItems().map(({ index, key, start }) => {
            const row = rows[index];
            if (row === undefined) return null;
            const isCurrent = index === current;
            return (
              <article
                key={key}
                ref={virtualizer.measureElement}
                data-index={index}
                className={classNames(
                  styles.row,
                  isCurrent && styles.selected,
                  isSearching && (foundIds.has(index) ? styles.hit : styles.miss),
                  index === 0 && styles.first,
                  index === rows.length - 1 && styles.last,
                )}
                aria-label={nameOfRow(row, run.numbers)}
                aria-posinset={index + 1}
                aria-setsize={rows.length}
                aria-current={isCurrent ? "true" : undefined}
                tabIndex={isCurrent || (current < 0 && index === 0) ? 0 : -1}
                style={{ transform: `translateY(${start}px)` }}
                onClick={() => {
                  // Selecting text is not choosing.
                  if (window.getSelection()?.isCollapsed === false) return;
                  choose(row);
                  if (isNarrow && row.kind !== "earlier") view.getState().openOverlay();
                }}
              >
                <ErrorBoundary name="This entry" resetKey={row} fallback={() => <Undrawn id={row.node.id} />}>
                  <EntryRow row={row} />
                </ErrorBoundary>
              </article>
            );
          })}
        </div>
      </div>
    </FoldsProvider>
  );
}

function Undrawn({ id }: { id: string }) {
  return (
    <p className={styles.undrawn}>
      <span className={textStyles.mono}>{id}</span> <span className={textStyles.error}>cannot be shown</span>
    </p>
  );
}

/** Everything is hidden, or the trace has no steps. */
function NothingSaid() {
  const hasSpans = useTrace((state) => state.spans.length > 0);
  return (
    <p className={classNames(textStyles.nothing, styles.nothing)}>
      {hasSpans
        ? "Nothing of this run is shown: show its steps, its tools or its instructions."
        : "No span yet."}
    </p>
  );
}
