import type { TraceSummary } from "@obspan/collector-core/api-schema";
import { useEffect } from "react";
import { useConversation, useStores } from "../../app-context.js";
import { SearchBox } from "../../components/search-box.js";
import { formatWhole } from "../../format.js";
import type { TurnSearch as Search } from "../../store/conversation-store.js";
import { rowKeyOf } from "../../store/trace-key.js";
import { nextFound } from "./model/next-found.js";

interface TurnSearchProps {
  readonly selected: TraceSummary | undefined;
  readonly onSelect: (turn: TraceSummary) => void;
  readonly onClose: () => void;
}

/** Searches the spans of all turns, and steps through those that match. */
export function TurnSearch({ selected, onSelect, onClose }: TurnSearchProps) {
  const { conversation } = useStores();
  const search = useConversation((state) => state.search);
  useEffect(() => () => conversation.getState().setSearch(""), [conversation]);

  async function step(by: 1 | -1): Promise<void> {
    const { turns } = conversation.getState();
    const next = nextFound(search.found ?? [], turns, selected, by);
    const turn = next === undefined ? undefined : await conversation.getState().reach(next);
    if (turn !== undefined) onSelect(turn);
  }
  return (
    <SearchBox
      text={search.text}
      placeholder="Search in all turns"
      label="Search inside this session"
      state={stateText(search, selected)}
      onText={(text) => conversation.getState().setSearch(text)}
      onStep={(by) => void step(by)}
      onClose={onClose}
    />
  );
}

function stateText({ found, hasMore, error }: Search, selected: TraceSummary | undefined): string {
  if (error !== undefined) return "failed";
  if (found === undefined) return "…";
  if (found.length === 0) return "none";
  const at = selected === undefined ? -1 : found.indexOf(rowKeyOf(selected));
  return `${at < 0 ? "–" : formatWhole(at + 1)} of ${formatWhole(found.length)}${hasMore ? "+" : ""}`;
}
