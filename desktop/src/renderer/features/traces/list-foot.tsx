import { useStores, useTraces } from "../../app-context.js";
import { LostSpans } from "./lost-spans.js";
import type { TracesActions, TracesState } from "../../store/traces-state.js";
import { StoreUse } from "./store-use.js";
import { KeyHint } from "../../components/key-hint.js";
import { classNames } from "../../components/class-names.js";
import buttonStyles from "../../components/button.module.css";
import pageStyles from "../../components/page.module.css";
import textStyles from "../../components/text.module.css";

/** Keyboard hints, and the use of the store. */
export function ListFoot({ isGrouped }: { readonly isGrouped: boolean }) {
  return (
    <footer className={pageStyles.foot}>
      <span className={pageStyles.footKeys}>
        <KeyHint keys={["↑", "↓"]}>move</KeyHint>
        {isGrouped ? (
          <>
            <KeyHint keys={["↵"]}>show its traces</KeyHint>
            <KeyHint keys={["B"]}>group by</KeyHint>
            <KeyHint keys={["Esc"]}>list of traces</KeyHint>
          </>
        ) : (
          <>
            <KeyHint keys={["↵"]}>open</KeyHint>
            <KeyHint keys={["X"]}>select</KeyHint>
            <KeyHint keys={["F"]}>add filter</KeyHint>
            <KeyHint keys={["L"]}>follow new</KeyHint>
          </>
        )}
      </span>
      <span className={textStyles.grow} />
      <ListState />
      <LostSpans />
      <StoreUse />
    </footer>
  );
}

/** Says that a page is being fetched, or why it is not. */
function ListState() {
  const { traces } = useStores();
  const isLoadingMore = useTraces((state) => state.isLoadingMore);
  const error = useTraces((state) => (isComplete(state) ? undefined : state.error));
  if (isLoadingMore) return <span>Fetching traces…</span>;
  if (error === undefined || error.code === "unreachable") return null;
  return (
    <span className={textStyles.error}>
      {error.message}{" "}
      <button
        type="button"
        className={classNames(buttonStyles.button, buttonStyles.ghost, buttonStyles.small)}
        onClick={() => void tryAgain(traces.getState())}
      >
        Try again
      </button>
    </span>
  );
}

/** Whether all rows of the list are in memory. */
function isComplete({ nextCursor, above }: TracesState): boolean {
  return nextCursor === null && above === 0;
}

function tryAgain(state: TracesState & TracesActions): Promise<void> {
  return state.nextCursor === null ? state.loadReleased(state.above - 1) : state.loadMore();
}
