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
import "../first-run.css";

/** What stands in place of the list until a trace is there: where to send one, and how. */
export function FirstRun() {
  const { traces, files } = useStores();
  const { isSending, failure } = useTraces((state) => state.testTrace);
  const { origin } = window.location;
  const wantsKey = useSession((session) => session.isOpenedHere);
  return (
    <main className="page empty">
      <div className="start">
        <header>
          <WaitingLine />
          <h1>
            Listening on{" "}
            <CopyButton text={origin} name="Copy the address" className="addr">
              {origin}
            </CopyButton>
          </h1>
          <p className="dim">
            Point an app here and its runs appear on this page.
            {isLoopback() && " Nothing leaves this machine."}
            {wantsKey && (
              <>
                {" "}
                Apps need a key as well: the SDK takes it from <span className="mono">OBS_API_KEY</span>.
              </>
            )}
          </p>
        </header>
        <SnippetTabs origin={origin} />
        <div className="acts">
          <button
            type="button"
            className="btn primary lg"
            disabled={isSending}
            onClick={() => void traces.getState().sendTestTrace()}
          >
            {isSending ? (
              <LoaderCircle className="icon spin" aria-hidden />
            ) : (
              <Send className="icon" aria-hidden />
            )}
            Send a test trace
          </button>
          <button type="button" className="btn lg" onClick={() => chooseAndImport(files)}>
            <Upload className="icon" aria-hidden />
            Import a file
          </button>
          {failure === undefined ? (
            <span className="faint">A run of eight spans, or OTLP-JSON lines: drop a file anywhere</span>
          ) : (
            <span className="is-error" role="alert">
              <CircleAlert className="icon sm" aria-hidden /> {failure}
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
      <p className="waiting is-error">
        <i className="dot error" aria-hidden />
        The collector does not answer
      </p>
    );
  }
  return (
    <p className="waiting">
      <i className="dot running" aria-hidden />
      Waiting for the {hadSpans ? "next" : "first"} span
    </p>
  );
}
