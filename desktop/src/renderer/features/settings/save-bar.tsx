import { CircleAlert, Loader } from "lucide-react";
import type { ConfigDescription } from "@obspan/collector-core/api-schema";
import { useSettings, useStores } from "../../app-context.js";
import { desktopBridge } from "../../desktop-bridge.js";
import { isMac } from "../frame/top-bar.js";
import type { SettingsStore } from "../../store/settings-store.js";
import { classNames } from "../../components/class-names.js";
import badgeStyles from "../../components/badge.module.css";
import buttonStyles from "../../components/button.module.css";
import iconStyles from "../../components/icon.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./settings-page.module.css";

interface SaveBarProps {
  readonly description: ConfigDescription;
  /** The keys with problems. */
  readonly problems: readonly string[];
  readonly onShow: (key: string) => void;
}

/** What is not saved, what is wrong, and what waits for a restart. */
export function SaveBar({ description, problems, onShow }: SaveBarProps) {
  const { settings } = useStores();
  const changes = useSettings(({ drafts }) => Object.keys(drafts).length);
  const isSaving = useSettings((state) => state.isSaving);
  const failure = useSettings((state) => state.failure);
  const [first] = problems;
  const canSave = changes > 0 && problems.length === 0 && !isSaving;
  return (
    <div className={styles.saveBar} role="group" aria-label="Changes">
      {first !== undefined && (
        <button type="button" className={badgeStyles.error} onClick={() => onShow(first)}>
          <CircleAlert className={iconStyles.tiny} aria-hidden />
          {problems.length === 1 ? "1 problem" : `${problems.length} problems`}
        </button>
      )}
      <span className={styles.saveText} role="status">
        {failure === undefined ? <State description={description} changes={changes} /> : failure}
      </span>
      <button
        type="button"
        className={classNames(buttonStyles.button, buttonStyles.ghost)}
        disabled={changes === 0 || isSaving}
        onClick={() => settings.getState().discard()}
      >
        Discard
      </button>
      <button
        type="button"
        className={classNames(buttonStyles.button, buttonStyles.primary)}
        disabled={!canSave}
        onClick={() => void settings.getState().save()}
      >
        {isSaving && <Loader className={iconStyles.icon} aria-hidden />}
        Save <kbd>{isMac() ? "⌘S" : "Ctrl S"}</kbd>
      </button>
      {desktopBridge !== undefined && changes > 0 && (
        <button
          type="button"
          className={buttonStyles.button}
          disabled={!canSave}
          onClick={() => void saveAndRestart(settings)}
        >
          Save and restart
        </button>
      )}
    </div>
  );
}

/** Every option needs a restart. What could not be saved stays, and does not restart. */
async function saveAndRestart(settings: SettingsStore): Promise<void> {
  await settings.getState().save();
  const { failure, drafts } = settings.getState();
  if (failure === undefined && Object.keys(drafts).length === 0) await desktopBridge?.restart();
}

function State({ description, changes }: { description: ConfigDescription; changes: number }) {
  const waiting = Object.entries(description.config).flatMap(([key, entry]) =>
    entry.after_restart === undefined ? [] : [key],
  );
  if (changes > 0)
    return (
      <>
        <b>{changes === 1 ? "1 change." : `${changes} changes.`}</b>{" "}
        <span className={textStyles.dim}>
          {changes === 1 ? "It takes" : "They take"} effect when the collector restarts.
        </span>
      </>
    );
  if (description.not_writable !== null)
    return <span className={textStyles.dim}>{description.not_writable}</span>;
  if (waiting.length === 0) return <span className={textStyles.dim}>No changes.</span>;
  return (
    <>
      <b>Restart the collector to apply </b>
      <span className={classNames(textStyles.mono, textStyles.dim)}>{waiting.join(", ")}</span>
      {desktopBridge !== undefined && (
        <button
          type="button"
          className={classNames(buttonStyles.button, buttonStyles.small)}
          onClick={() => void desktopBridge?.restart()}
        >
          Restart now
        </button>
      )}
    </>
  );
}
