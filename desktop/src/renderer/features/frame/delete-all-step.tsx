import { Trash2 } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { useStore } from "zustand";
import { useConnection, useStores } from "../../app-context.js";
import { formatWhole } from "../../format.js";
import type { PaletteStore } from "../../store/palette-store.js";
import { closeOverlay } from "./overlays.js";
import { classNames } from "../../components/class-names.js";
import buttonStyles from "../../components/button.module.css";
import iconStyles from "../../components/icon.module.css";
import textStyles from "../../components/text.module.css";
import paletteStyles from "./palette.module.css";

/** Confirms the deletion of all traces. The focus is on the button that cancels. */
export function DeleteAllStep({ store }: { store: PaletteStore }) {
  const { traces } = useStores();
  const [path, navigate] = useLocation();
  const kept = useConnection((connection) => connection.status?.store?.traces ?? 0);
  const failure = useStore(store, (state) => state.failure);
  const [isRunning, setRunning] = useState(false);

  async function remove(): Promise<void> {
    setRunning(true);
    const areGone = await store.getState().deleteAllTraces();
    setRunning(false);
    if (!areGone) return;
    closeOverlay();
    if (path !== "/traces") navigate("/traces");
    void traces.getState().load();
  }

  return (
    <div className={paletteStyles.confirm} role="group" aria-labelledby="delete-all-question">
      <Trash2 className={classNames(iconStyles.icon, textStyles.error)} aria-hidden />
      <div className={textStyles.grow}>
        <p id="delete-all-question" className={paletteStyles.question}>
          Delete {kept === 1 ? "the one trace" : `all ${formatWhole(kept)} traces`}?
        </p>
        <p className={textStyles.dim}>This cannot be undone. Metrics stay as they are.</p>
        {failure !== undefined && (
          <p className={textStyles.error} role="alert">
            {failure}
          </p>
        )}
      </div>
      <button type="button" className={buttonStyles.button} autoFocus onClick={closeOverlay}>
        Keep them
      </button>
      <button
        type="button"
        className={classNames(buttonStyles.button, buttonStyles.danger)}
        disabled={isRunning}
        onClick={() => void remove()}
      >
        Delete all
      </button>
    </div>
  );
}
