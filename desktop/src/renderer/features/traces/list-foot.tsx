import { useStores, useTraces } from "../../app-context.js";
import { formatWhole } from "../../format.js";
import { LostSpans } from "./lost-spans.js";
import { StoreUse } from "./store-use.js";
import { MAX_ROWS } from "../../store/trace-rows.js";
import { classNames } from "../../components/class-names.js";
import buttonStyles from "../../components/button.module.css";
import pageStyles from "../../components/page.module.css";
import textStyles from "../../components/text.module.css";

/** Keyboard hints, and the use of the store. */
export function ListFoot() {
  return (
    <footer className={pageStyles.foot}>
      <Keys keys={["↑", "↓"]} name="move" />
      <Keys keys={["↵"]} name="open" />
      <Keys keys={["X"]} name="select" />
      <Keys keys={["F"]} name="add filter" />
      <Keys keys={["L"]} name="follow new" />
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

/** Explains why the list ends before the store does. */
function ListState() {
  const { traces } = useStores();
  const isLoadingMore = useTraces((state) => state.isLoadingMore);
  const isFull = useTraces((state) => state.rows.length >= MAX_ROWS && state.nextCursor !== null);
  const error = useTraces((state) => (state.nextCursor === null ? undefined : state.error));
  if (isFull) return <span>The newest {formatWhole(MAX_ROWS)} are listed; filter to find older ones</span>;
  if (isLoadingMore) return <span>Fetching older traces…</span>;
  if (error === undefined || error.code === "unreachable") return null;
  return (
    <span className={textStyles.error}>
      {error.message}{" "}
      <button
        type="button"
        className={classNames(buttonStyles.button, buttonStyles.ghost, buttonStyles.small)}
        onClick={() => void traces.getState().loadMore()}
      >
        Try again
      </button>
    </span>
  );
}
