import { useStores, useTraces } from "../../app-context.js";
import { LostSpans } from "./lost-spans.js";
import type { TracesActions, TracesState } from "../../store/traces-state.js";
import { StoreUse } from "./store-use.js";
import { classNames } from "../../components/class-names.js";
import buttonStyles from "../../components/button.module.css";
import pageStyles from "../../components/page.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./list-foot.module.css";

/** Keyboard hints, and the use of the store. */
export function ListFoot() {
  return (
    <footer className={pageStyles.foot}>
      <span className={styles.hints}>
        <Keys keys={["↑", "↓"]} name="move" />
        <Keys keys={["↵"]} name="open" />
        <Keys keys={["X"]} name="select" />
        <Keys keys={["F"]} name="add filter" />
        <Keys keys={["L"]} name="follow new" />
      </span>
      <span className={textStyles.grow} />
      <ListState />
      <LostSpans />
      <StoreUse />
    </footer>
  );
}

function Keys({ keys, name }: { keys: readonly string[]; name: string }) {
  return (
    <span className={textStyles.keys}>
      {keys.map((key) => (
        <kbd key={key}>{key}</kbd>
      ))}{" "}
      {name}
    </span>
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
