import { useEffect, useState, type SubmitEvent } from "react";
import type { JudgeKeyState } from "../../../shared/bridge.js";
import { useStores } from "../../app-context.js";
import { classNames } from "../../components/class-names.js";
import buttonStyles from "../../components/button.module.css";
import { desktopBridge } from "../../desktop-bridge.js";
import styles from "./option.module.css";

const WORDS: Readonly<Record<JudgeKeyState["stored"], string>> = {
  none: "No key is stored.",
  system: "A key is in the system's safe storage.",
  plain: "A key is stored as plain text: this system has no safe storage.",
  unreadable: "The stored key cannot be read. Enter it again.",
};

interface JudgeKeyControlProps {
  readonly id: string;
  readonly describedBy: string;
}

/** Sets the key of the judge's provider in the desktop app, which never gives it back. */
export function JudgeKeyControl({ id, describedBy }: JudgeKeyControlProps) {
  const { settings } = useStores();
  const [state, setState] = useState<JudgeKeyState>();
  const [text, setText] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const judgeKey = desktopBridge?.judgeKey;

  async function run(task: Promise<JudgeKeyState> | undefined): Promise<void> {
    setBusy(true);
    try {
      setFailure(undefined);
      setState(await task);
      setText("");
      await settings.getState().load();
    } catch (error) {
      setFailure(error instanceof Error ? error.message.replace(/^.*?Error: /, "") : String(error));
    } finally {
      setBusy(false);
    }
  }
  useEffect(() => {
    void judgeKey?.state().then(setState);
  }, [judgeKey]);

  function onSubmit(event: SubmitEvent): void {
    event.preventDefault();
    if (text !== "") void run(judgeKey?.save(text));
  }
  return (
    <form className={styles.key} onSubmit={onSubmit}>
      <input
        id={id}
        type="password"
        autoComplete="off"
        maxLength={4096}
        aria-describedby={`${describedBy} ${id}-key`}
        value={text}
        disabled={isBusy}
        onChange={(event) => setText(event.target.value)}
      />
      <button
        type="submit"
        className={classNames(buttonStyles.button, buttonStyles.small)}
        disabled={text === "" || isBusy}
      >
        Store key
      </button>
      {state !== undefined && state.stored !== "none" && (
        <button
          type="button"
          className={classNames(buttonStyles.button, buttonStyles.ghost, buttonStyles.small)}
          onClick={() => void run(judgeKey?.remove())}
        >
          Remove
        </button>
      )}
      <p id={`${id}-key`} role="status">
        {failure ?? (state === undefined ? "" : WORDS[state.stored])}
        {state?.isOverridden === true && " A variable of the start is used instead."}
      </p>
    </form>
  );
}
