import { SearchBox } from "../../components/search-box.js";
import { focusSpans, useSelection } from "./hooks/use-selection.js";
import { useTracePage, useTraceView } from "./trace-page-context.js";

/** Searches names and attributes, and steps through the matches. */
export function SpanSearch() {
  const { view, found, selected } = useTracePage();
  const { selectAmong } = useSelection();
  const text = useTraceView((state) => state.search);
  const at = selected === undefined ? -1 : found.indexOf(selected);
  return (
    <SearchBox
      text={text}
      placeholder="Search names, attributes, texts"
      label="Search inside this trace"
      state={found.length === 0 ? "none" : `${at < 0 ? "–" : at + 1} of ${found.length}`}
      onText={(next) => view.getState().setSearch(next)}
      onStep={(by) => selectAmong(found, by)}
      onClose={() => {
        view.getState().closeSearch();
        focusSpans();
      }}
    />
  );
}
