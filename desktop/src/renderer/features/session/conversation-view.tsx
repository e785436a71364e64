import type { TraceSummary } from "@obspan/collector-core/api-schema";
import { useVirtualizer } from "@tanstack/react-virtual";
import { ArrowDown } from "lucide-react";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { useConversation, useStores } from "../../app-context.js";
import { formatWhole } from "../../format.js";
import { rowKeyOf } from "../../store/trace-key.js";
import { redactionsIn } from "./model/redactions.js";
import type { TurnParts } from "./turn-parts.js";
import { TurnView } from "./turn-view.js";
import { useFoundText, useMarkedText } from "./use-found-text.js";
import type { TurnFeedback } from "./use-feedback.js";
import iconStyles from "../../components/icon.module.css";
import pillStyles from "../traces/new-pill.module.css";
import styles from "./conversation-view.module.css";

/** Height of a turn until it is measured. */
const TURN_PX = 118;
/** Distance from the end that counts as the end. */
const NEAR_PX = 40;
/** Earlier turns are fetched when at most so many are left above the visible ones. */
const FETCH_AHEAD = 10;

interface ConversationViewProps {
  readonly turns: readonly TraceSummary[];
  /** The number of a turn by its index. */
  readonly numberOf: (index: number) => number;
  readonly selectedIndex: number;
  /** Whether the reader has chosen no turn: the last one is selected. */
  readonly isAtLast: boolean;
  readonly unfolded: ReadonlySet<string>;
  readonly parts: TurnParts;
  readonly onSelect: (turn: TraceSummary) => void;
  readonly onFold: (turn: TraceSummary, isUnfolded: boolean) => void;
  readonly feedback: TurnFeedback;
}

/** The turns of a session, the newest at the end; only visible ones are rendered. */
export function ConversationView(props: ConversationViewProps) {
  const { turns, numberOf, selectedIndex, isAtLast, unfolded, parts, onSelect, onFold, feedback } = props;
  const { conversation } = useStores();
  const details = useConversation((state) => state.details);
  const earlierCursor = useConversation((state) => state.earlierCursor);
  const search = useConversation((state) => state.search);
  const found = useMemo(() => new Set(search.found), [search.found]);
  const scroller = useRef<HTMLDivElement>(null);
  useFoundText(scroller, search.text);
  useMarkedText(scroller, "redacted-in-turns", redactionsIn);
  /** Whether the end is in view: then it stays in view. */
  const isAtEnd = useRef(isAtLast);
  const lastTop = useRef(0);
  const [seen, setSeen] = useState(turns.length);

  const virtualizer = useVirtualizer({
    count: turns.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => TURN_PX,
    overscan: 4,
    getItemKey: useCallback(
      (index: number) => {
        const turn = turns[index];
        return turn === undefined ? index : rowKeyOf(turn);
      },
      [turns],
    ),
    useFlushSync: false,
  });
  const items = virtualizer.getVirtualItems();
  const totalPx = virtualizer.getTotalSize();
  const firstIndex = items[0]?.index ?? 0;
  const lastIndex = items.at(-1)?.index ?? 0;

  // The page opens at the end, and stays there while turns grow and follow.
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element !== null && isAtEnd.current) element.scrollTop = element.scrollHeight;
  }, [turns, totalPx]);

  // Earlier turns come in above: the visible ones stay where they are.
  const firstKey = turns[0] && rowKeyOf(turns[0]);
  const shownFirst = useRef(firstKey);
  useLayoutEffect(() => {
    const before = shownFirst.current;
    shownFirst.current = firstKey;
    const element = scroller.current;
    if (element === null || before === undefined || before === firstKey || isAtEnd.current) return;
    const added = turns.findIndex((turn) => rowKeyOf(turn) === before);
    if (added > 0) element.scrollTop += added * TURN_PX;
  }, [firstKey, turns]);

  useEffect(() => {
    conversation.getState().show(turns.slice(firstIndex, lastIndex + 1));
    const element = scroller.current;
    const isShort = element !== null && element.scrollHeight <= element.clientHeight;
    // Before the page has scrolled to its end, the first turns are rendered.
    if (earlierCursor !== null && firstIndex < FETCH_AHEAD && (isShort || !isAtEnd.current))
      void conversation.getState().loadEarlier();
  }, [conversation, turns, firstIndex, lastIndex, earlierCursor]);

  // The selected turn is brought into view when another one is selected, not when turns arrive.
  const selected = turns[selectedIndex];
  const selectedKey = selected && rowKeyOf(selected);
  const shownKey = useRef<string>(undefined);
  useLayoutEffect(() => {
    if (selectedKey === undefined || shownKey.current === selectedKey) return;
    const isFirst = shownKey.current === undefined;
    shownKey.current = selectedKey;
    if (isFirst && isAtLast) return;
    isAtEnd.current = isAtLast;
    virtualizer.scrollToIndex(selectedIndex, { align: isFirst ? "center" : isAtLast ? "end" : "auto" });
  }, [selectedKey, selectedIndex, isAtLast, virtualizer]);

  const arrived = Math.max(0, numberOf(turns.length - 1) - seen);
  const lastNumber = numberOf(turns.length - 1);
  const note = (): void => {
    const element = scroller.current;
    if (element === null) return;
    const { scrollTop } = element;
    const isNear = element.scrollHeight - element.clientHeight - scrollTop <= NEAR_PX;
    // Turns that grow move the end away. Only the reader goes back from it.
    const hasGoneBack = scrollTop < lastTop.current;
    lastTop.current = scrollTop;
    isAtEnd.current = isNear || (isAtEnd.current && !hasGoneBack);
    if (isAtEnd.current) setSeen(lastNumber);
  };
  useLayoutEffect(() => {
    if (isAtEnd.current) setSeen(lastNumber);
  }, [lastNumber]);
  const showEnd = (): void => {
    const element = scroller.current;
    isAtEnd.current = true;
    setSeen(lastNumber);
    if (element !== null) element.scrollTop = element.scrollHeight;
  };

  return (
    <div className={styles.around}>
      <div
        ref={scroller}
        className={styles.scroller}
        role="feed"
        aria-label="Turns of the session"
        aria-busy={earlierCursor !== null}
        tabIndex={0}
        onScroll={note}
      >
        <div className={styles.turns} style={{ minHeight: totalPx }}>
          <div style={{ height: items[0]?.start ?? 0 }} aria-hidden />
          {items.map(({ index, key }) => {
            const turn = turns[index];
            if (turn === undefined) return null;
            const rowKey = rowKeyOf(turn);
            return (
              <div key={key} data-index={index} ref={virtualizer.measureElement}>
                <TurnView
                  turn={turn}
                  number={numberOf(index)}
                  count={lastNumber}
                  detail={details[rowKey]}
                  isSelected={index === selectedIndex}
                  isUnfolded={unfolded.has(rowKey)}
                  isFound={found.has(rowKey)}
                  parts={parts}
                  onSelect={onSelect}
                  onFold={onFold}
                  onRate={feedback.rate}
                />
              </div>
            );
          })}
        </div>
      </div>
      {arrived > 0 && (
        <button type="button" className={`${pillStyles.pill ?? ""} ${styles.pill ?? ""}`} onClick={showEnd}>
          <ArrowDown className={iconStyles.tiny} aria-hidden />
          {formatWhole(arrived)} new {arrived === 1 ? "turn" : "turns"}
        </button>
      )}
    </div>
  );
}
