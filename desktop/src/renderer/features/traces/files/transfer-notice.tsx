import type { ImportResult } from "@obspan/collector-core/api-schema";
import { CircleAlert, CircleCheck, LoaderCircle, X } from "lucide-react";
import { useStore } from "zustand";
import { useStores } from "../../../app-context.js";
import { formatWhole } from "../../../format.js";
import "./files.css";

/** What became of a file, in one line above the list. */
export function TransferNotice() {
  const { files } = useStores();
  const transfer = useStore(files, (state) => state.transfer);
  if (transfer.type === "none") return null;
  if (transfer.type === "importing" || transfer.type === "exporting") {
    const what = transfer.type === "importing" ? "Importing" : "Exporting";
    return (
      <div className="transfer" role="status">
        <LoaderCircle className="icon spin" aria-hidden />
        {what} <span className="mono cut">{transfer.name}</span>
        <progress max={1} value={transfer.share} aria-label={`${what} ${transfer.name}`} />
        <span className="num dim">{Math.floor(transfer.share * 100)}%</span>
      </div>
    );
  }
  return (
    <div className="transfer" role={transfer.type === "failed" ? "alert" : "status"}>
      {transfer.type === "failed" ? (
        <>
          <CircleAlert className="icon is-error" aria-hidden />
          <span className="cut">{transfer.message}</span>
        </>
      ) : (
        <Imported name={transfer.name} result={transfer.result} />
      )}
      <span className="grow" />
      <button
        type="button"
        className="btn ghost sm square"
        title="Dismiss"
        onClick={() => files.getState().dismiss()}
      >
        <X className="icon sm" aria-label="Dismiss" />
      </button>
    </div>
  );
}

function Imported({ name, result }: { name: string; result: ImportResult }) {
  const [problem] = result.problems;
  const losses = lossesOf(result);
  return (
    <>
      {losses.length === 0 ? (
        <CircleCheck className="icon is-ok" aria-hidden />
      ) : (
        <CircleAlert className="icon is-warn" aria-hidden />
      )}
      <span className="cut">
        Imported {counted(result.traces, "trace")} with {counted(result.spans, "span")} from{" "}
        <span className="mono">{name}</span>
        {losses.map((loss) => ` · ${loss}`)}
        {problem !== undefined && (
          <span className="dim">
            {" "}
            · line {formatWhole(problem.line)}: {problem.message}
          </span>
        )}
      </span>
    </>
  );
}

/** What of the file is not there, and what it cost. */
function lossesOf(result: ImportResult): string[] {
  const { refused_lines, refused_spans, dropped_spans, evicted_traces } = result;
  return [
    ...(refused_lines > 0 ? [`${counted(refused_lines, "line")} refused`] : []),
    ...(refused_spans > 0 ? [`${counted(refused_spans, "span")} refused`] : []),
    ...(dropped_spans > 0 ? [`${counted(dropped_spans, "span")} dropped by redaction`] : []),
    ...(evicted_traces > 0 ? [`${counted(evicted_traces, "older trace")} evicted to make room`] : []),
  ];
}

function counted(count: number, what: string): string {
  return `${formatWhole(count)} ${what}${count === 1 ? "" : "s"}`;
}
