import type { SessionSummary, TraceSummary } from "@obspan/collector-core/api-schema";
import { Search } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import { useSearch } from "wouter";
import { useConversation, useStores } from "../../app-context.js";
import { ErrorBoundary } from "../../components/error-boundary.js";
import { useMediaQuery } from "../../components/use-media-query.js";
import { rowKeyOf } from "../../store/trace-key.js";
import { isOpenSession } from "../../store/conversation-store.js";
import { IconButton } from "../trace/icon-button.js";
import { tenantOf } from "../trace/trace-address.js";
import { ConversationView } from "./conversation-view.js";
import { SessionFoot } from "./session-foot.js";
import { SessionHeader } from "./session-header.js";
import { sessionIdOf, turnOf } from "./session-address.js";
import { SessionLoading, SessionMissing, StaleSession } from "./session-states.js";
import { TurnPane } from "./turn-pane.js";
import { TurnPartButtons, useTurnParts } from "./turn-parts.js";
import { TurnSearch } from "./turn-search.js";
import { TurnStrip } from "./turn-strip.js";
import { useFeedback } from "./use-feedback.js";
import { useSessionActions } from "./use-session-actions.js";
import { useSessionKeys } from "./use-session-keys.js";
import { useSessionSteps } from "./use-session-steps.js";
import { classNames } from "../../components/class-names.js";
import pageStyles from "../../components/page.module.css";
import splitStyles from "../trace/trace-page.module.css";
import stripStyles from "./turn-strip.module.css";

export { preloadMarkdown } from "../trace/detail/markdown-text.js";

/** Below this width, the right pane covers the conversation. */
const NARROW = "(max-width: 1099px)";

/** The page of one session: the conversation on the left, the selected turn on the right. */
export function SessionPage({ sessionId: routed }: { sessionId: string }) {
  // The router decodes the path only partly.
  const sessionId = sessionIdOf(window.location) || routed;
  const { conversation } = useStores();
  const search = useSearch();
  const named = tenantOf(search);
  useEffect(
    () => void conversation.getState().open({ sessionId, tenant: named }),
    [conversation, sessionId, named],
  );

  const isThis = useConversation((state) => isOpenSession(state, { sessionId, tenant: named }));
  const phase = useConversation((state) => state.phase);
  const session = useConversation((state) => state.session);
  const key = `${session?.tenant ?? ""}\n${sessionId}`;
  return (
    <main className={classNames(pageStyles.page, splitStyles.trace)}>
      {!isThis || phase === "loading" ? (
        <SessionLoading />
      ) : phase === "error" || session === undefined ? (
        <SessionMissing />
      ) : (
        <ErrorBoundary
          name="This session"
          resetKey={key}
          beforeRetry={() => conversation.getState().refresh()}
        >
          <OpenSession key={key} session={session} first={turnOf(search)} />
        </ErrorBoundary>
      )}
    </main>
  );
}

interface OpenSessionProps {
  readonly session: SessionSummary;
  /** Id of the trace that is selected first. */
  readonly first: string | undefined;
}

/** What the user chose, by row key of a turn. */
type Folds = ReadonlySet<string>;

function OpenSession({ session, first }: OpenSessionProps) {
  const { conversation } = useStores();
  const turns = useConversation((state) => state.turns);
  const [chosen, setChosen] = useState<string | undefined>(() => {
    const turn = turns.find(({ trace_id: id }) => id === first);
    return turn && rowKeyOf(turn);
  });
  const [unfolded, setUnfolded] = useState<Folds>(new Set());
  const isNarrow = useMediaQuery(NARROW);
  const [isPaneOpen, setPaneOpen] = useState(true);
  const [isOverlayOpen, setOverlayOpen] = useState(false);

  // Without a choice, the last turn is selected, also when another one follows.
  const found = turns.findIndex((turn) => rowKeyOf(turn) === chosen);
  const index = found === -1 ? turns.length - 1 : found;
  const selected = turns[index];
  const firstNumber = session.traces - turns.length + 1;

  const choose = (turn: TraceSummary): void =>
    setChosen(turn === conversation.getState().turns.at(-1) ? undefined : rowKeyOf(turn));
  const select = (turn: TraceSummary): void => {
    choose(turn);
    if (isNarrow) setOverlayOpen(true);
  };
  const fold = (turn: TraceSummary, isUnfolded: boolean): void => {
    const next = new Set(unfolded);
    if (isUnfolded) next.add(rowKeyOf(turn));
    else next.delete(rowKeyOf(turn));
    setUnfolded(next);
  };
  const feedback = useFeedback();
  const steps = useSessionSteps(session);
  const [isSearchOpen, setSearchOpen] = useState(false);
  const openSearch = (): void => setSearchOpen(true);
  const closeSearch = (): void => {
    setSearchOpen(false);
    document.querySelector<HTMLElement>("[role=feed]")?.focus();
  };
  const parts = useTurnParts();
  const actions = useSessionActions(session, steps, openSearch);
  useSessionKeys({
    turns,
    index,
    select: choose,
    fold,
    rate: feedback.rate,
    openSearch,
    closeSearch: isSearchOpen ? closeSearch : undefined,
    copyLink: actions.copyLink,
    togglePane: () => (isNarrow ? setOverlayOpen(!isOverlayOpen) : setPaneOpen(!isPaneOpen)),
    closePane: isNarrow && isOverlayOpen ? () => setOverlayOpen(false) : undefined,
    ...steps,
  });

  const isShown = isNarrow ? isOverlayOpen : isPaneOpen;
  const columns = isShown && !isNarrow ? "minmax(0, 1fr) min(560px, 100% - 420px)" : "minmax(0, 1fr)";
  const numberOf = useMemo(() => (at: number) => firstNumber + at, [firstNumber]);
  return (
    <>
      <SessionHeader session={session} turns={turns} actions={actions} {...steps} />
      <StaleSession />
      <div className={splitStyles.split} style={{ gridTemplateColumns: columns }}>
        <section aria-label="Conversation">
          <div className={stripStyles.bar}>
            <TurnStrip turns={turns} numberOf={numberOf} selected={selected} onSelect={select} />
            {isSearchOpen ? (
              <TurnSearch selected={selected} onSelect={choose} onClose={closeSearch} />
            ) : (
              <>
                <TurnPartButtons parts={parts} />
                <IconButton icon={Search} name="Search inside" keys="/" onClick={openSearch} />
              </>
            )}
          </div>
          <ConversationView
            turns={turns}
            numberOf={numberOf}
            selectedIndex={index}
            isAtLast={chosen === undefined}
            unfolded={unfolded}
            parts={parts}
            onSelect={select}
            onFold={fold}
            feedback={feedback}
          />
        </section>
        {isShown && selected !== undefined && (
          <section
            aria-label="Selected turn"
            className={isNarrow ? classNames(splitStyles.pane, splitStyles.over) : splitStyles.pane}
          >
            <TurnPane turn={selected} number={numberOf(index)} session={session} />
          </section>
        )}
      </div>
      <SessionFoot session={session} loaded={turns.length} notice={actions.failure ?? feedback.failure} />
    </>
  );
}
