import { CircleAlert, LoaderCircle, Send, Upload } from "lucide-react";
import { useConnection, useSession, useStores, useTraces } from "../../../app-context.js";
import { CopyButton } from "../../../components/copy-button.js";
import { isLoopback } from "../../../loopback.js";
import { DropTarget } from "../files/drop-target.js";
import { chooseAndImport } from "../files/import-traces.js";
import { TransferNotice } from "../files/transfer-notice.js";
import { Checks } from "./checks.js";
import { Refusals } from "./refusals.js";
import { SnippetTabs } from "./snippet-tabs.js";
import { classNames } from "../../../components/class-names.js";
import buttonStyles from "../../../components/button.module.css";
import iconStyles from "../../../components/icon.module.css";
import pageStyles from "../../../components/page.module.css";
import statusDotStyles from "../../../components/status-dot.module.css";
import textStyles from "../../../components/text.module.css";
import styles from "./first-run.module.css";

/** Shown instead of the list until the first trace arrives: where and how to send one. */
export function FirstRun() {
  const { traces, files } = useStores();
  const { isSending, failure } = useTraces((state) => state.testTrace);
  const { origin } = window.location;
  const wantsKey = useSession((session) => session.isOpenedHere);
  return (
    <main className={classNames(pageStyles.page, styles.page)}>
      <div className={styles.start}>
        <header>
          <WaitingLine />
          <h1>
            Listening on{" "}
            <CopyButton text={origin} name="Copy the address" className={styles.address}>
              {origin}
            </CopyButton>
          </h1>
          <p className={textStyles.dim}>
            Point an app here and its runs appear on this page.
            {isLoopback() && " Nothing leaves this machine."}
            {wantsKey && (
              <>
                {" "}
                Apps need a key as well: the SDK takes it from{" "}
                <span className={textStyles.mono}>OBS_API_KEY</span>.
              </>
            )}
          </p>
        </header>
        <SnippetTabs origin={origin} />
        <div className={styles.actions}>
          <button
            type="button"
            className={classNames(buttonStyles.button, buttonStyles.primary, buttonStyles.large)}
            disabled={isSending}
            onClick={() => void traces.getState().sendTestTrace()}
          >
            {isSending ? (
              <LoaderCircle className={classNames(iconStyles.icon, iconStyles.spin)} aria-hidden />
            ) : (
              <Send className={iconStyles.icon} aria-hidden />
            )}
            Send a test trace
          </button>
          <button
            type="button"
            className={classNames(buttonStyles.button, buttonStyles.large)}
            onClick={() => chooseAndImport(files)}
          >
            <Upload className={iconStyles.icon} aria-hidden />
            Import a file
          </button>
          {failure === undefined ? (
            <span className={textStyles.faint}>
              or drop an <span className={textStyles.mono}>.otlp.jsonl</span> file anywhere
            </span>
          ) : (
            <span className={textStyles.error} role="alert">
              <CircleAlert className={iconStyles.small} aria-hidden /> {failure}
            </span>
          )}
        </div>
        <TransferNotice />
        <Refusals />
        <Checks />
      </div>
      <DropTarget />
    </main>
  );
}

function WaitingLine() {
  const link = useConnection((connection) => connection.link);
  const hadSpans = useConnection((connection) => (connection.status?.ledger.accepted ?? 0) > 0);
  if (link === "disconnected") {
    return (
      <p className={classNames(styles.waiting, textStyles.error)}>
        <i className={statusDotStyles.error} aria-hidden />
        The collector does not answer
      </p>
    );
  }
  return (
    <p className={styles.waiting}>
      <i className={statusDotStyles.running} aria-hidden />
      Waiting for the {hadSpans ? "next" : "first"} span
    </p>
  );
}
