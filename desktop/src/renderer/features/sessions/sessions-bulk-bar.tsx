import { Download } from "lucide-react";
import { useStore } from "zustand";
import { useSessions, useStores } from "../../app-context.js";
import { sessionRowKey } from "../../store/session-key.js";
import { SelectionBar } from "../traces/selection-bar.js";
import { classNames } from "../../components/class-names.js";
import buttonStyles from "../../components/button.module.css";
import iconStyles from "../../components/icon.module.css";

/** Actions for the selected sessions. */
export function SessionsBulkBar() {
  const { sessions, files } = useStores();
  const isExporting = useStore(files, ({ transfer }) => transfer.type === "exporting");
  const selected = useSessions((state) => state.selected);
  const deletion = useSessions((state) => state.deletion);

  function exportSelected(): void {
    const listed = sessions.getState().rows.map(sessionRowKey);
    // In the order of the list, whatever the order of selection.
    const inOrder = new Set([...listed.filter((key) => selected.has(key)), ...selected]);
    void files.getState().exportSessions([...inOrder]);
  }
  return (
    <SelectionBar
      name="Selected sessions"
      selected={selected}
      what={selected.size === 1 ? "session with all its traces" : "sessions with all their traces"}
      deletion={deletion}
      onDelete={() => void sessions.getState().deleteSelected()}
      onClear={() => sessions.getState().setSelected(new Set())}
    >
      <button
        type="button"
        className={classNames(buttonStyles.button, buttonStyles.ghost)}
        disabled={isExporting}
        onClick={exportSelected}
      >
        <Download className={iconStyles.icon} aria-hidden />
        {isExporting ? "Exporting…" : "Export"}
      </button>
    </SelectionBar>
  );
}
