import { CircleAlert, Lock, RotateCcw } from "lucide-react";
import { memo, useId } from "react";
import { useStores } from "../../app-context.js";
import { desktopBridge } from "../../desktop-bridge.js";
import { fileValue, shownText } from "../../store/option-text.js";
import { lockOf, sourceOf, valueWords } from "./model/option-words.js";
import type { SettingsOption } from "./model/sections.js";
import { JudgeKeyControl } from "./judge-key-control.js";
import { OptionControl } from "./option-control.js";
import { classNames } from "../../components/class-names.js";
import { ICON_BUTTON } from "../../components/icon-button-class.js";
import badgeStyles from "../../components/badge.module.css";
import iconStyles from "../../components/icon.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./option.module.css";

interface OptionRowProps {
  readonly option: SettingsOption;
  /** What was typed; undefined if nothing was, null to remove the key from the file. */
  readonly draft: string | null | undefined;
  readonly problem: string | undefined;
  /** False if the collector writes no file. */
  readonly isWritable: boolean;
}

/** An option: what it does, its value and where that comes from. */
export const OptionRow = memo(function OptionRow({ option, draft, problem, isWritable }: OptionRowProps) {
  const { key, entry } = option;
  const { settings } = useStores();
  const id = useId();
  const isStoredKey = key === "evaluation.judge_api_key" && desktopBridge !== undefined;
  const lock = isStoredKey ? undefined : lockOf(key, entry);
  const isEdited = draft !== undefined;
  const { name, tip } = sourceOf(entry, isEdited);
  const isLong = entry.schema["type"] === "object" && !entry.secret;
  const hasOwnValue = fileValue(entry) !== null && (entry.source !== "default" || name === "saved");
  const edit = (text: string | null): void => settings.getState().edit(key, text);
  const shown = draft === null ? removedText(option) : (draft ?? shownText(entry));
  const isSet = entry.secret && entry.value !== null;
  return (
    <div className={classNames(styles.option, isEdited ? styles.edited : undefined)} data-key={key}>
      <div className={styles.doc}>
        <label className={textStyles.mono} htmlFor={id}>
          {key}
        </label>
        <p id={`${id}-doc`}>
          <Doc text={entry.doc} /> <span className={textStyles.faint}>{ruleText(option)}</span>
        </p>
        <div id={`${id}-state`} aria-live="polite">
          {isEdited && <Before option={option} isRemoved={draft === null} />}
          {!isEdited && entry.after_restart !== undefined && (
            <p className={styles.was}>
              <b>{entry.secret ? "the old value" : valueWords(entry.value)}</b> until the collector restarts
            </p>
          )}
          {problem !== undefined && (
            <p className={styles.problem}>
              <CircleAlert className={iconStyles.tiny} aria-hidden />
              {problem}
            </p>
          )}
        </div>
        {lock !== undefined && (
          <p className={styles.lock}>
            <Lock className={iconStyles.tiny} aria-hidden />
            {lock}
          </p>
        )}
      </div>
      <div className={isLong ? styles.below : styles.control}>
        {isStoredKey ? (
          <JudgeKeyControl id={id} describedBy={`${id}-doc`} />
        ) : (
          <OptionControl
            id={id}
            name={key}
            text={shown}
            schema={entry.schema}
            placeholder={isSet ? "•••••••• is set; type to replace" : valueWords(entry.default)}
            isSecret={entry.secret}
            isLocked={lock !== undefined || !isWritable}
            isWrong={problem !== undefined}
            describedBy={`${id}-doc ${id}-state`}
            onChange={edit}
          />
        )}
      </div>
      <div className={styles.from}>
        <span
          className={classNames(
            badgeStyles.plain,
            name === "edited" || name === "saved" ? styles.changed : undefined,
          )}
          data-tip={tip}
        >
          {name}
        </span>
        {lock === undefined && isWritable && hasOwnValue && !isEdited && !isStoredKey && (
          <button
            type="button"
            className={ICON_BUTTON}
            aria-label={`Use the default of ${key}`}
            data-tip={
              entry.secret ? "Remove it from the file" : `Use the default: ${valueWords(entry.default)}`
            }
            onClick={() => edit(null)}
          >
            <RotateCcw className={iconStyles.tiny} aria-hidden />
          </button>
        )}
      </div>
    </div>
  );
});

/** What applies once the key is gone from the file. */
function removedText({ entry }: SettingsOption): string {
  return entry.secret ? "" : shownText({ ...entry, value: entry.default, after_restart: undefined });
}

function Before({ option: { entry }, isRemoved }: { option: SettingsOption; isRemoved: boolean }) {
  if (entry.secret) return <p className={styles.was}>{isRemoved ? "is removed" : "is replaced"}</p>;
  return (
    <p className={styles.was}>
      was <b>{valueWords(fileValue(entry))}</b> from {entry.source === "default" ? "default" : entry.source}
    </p>
  );
}

function ruleText({ entry }: SettingsOption): string {
  if (entry.schema["type"] === "boolean") return "";
  const isAddress = /^[a-z]+:/.test(entry.rule);
  return `${isAddress ? "" : entry.rule.slice(0, 1).toUpperCase()}${entry.rule.slice(isAddress ? 0 : 1)}.`;
}

/** The documentation, whose code stands between backticks. */
function Doc({ text }: { text: string }) {
  return text.split("`").map((part, index) => (index % 2 === 0 ? part : <code key={index}>{part}</code>));
}
