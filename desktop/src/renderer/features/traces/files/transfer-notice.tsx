import type { ImportResult } from "@obspan/collector-core/api-schema";
import { CircleAlert, CircleCheck, LoaderCircle, X } from "lucide-react";
import { useStore } from "zustand";
import { useStores } from "../../../app-context.js";
import { formatWhole } from "../../../format.js";
import { classNames } from "../../../components/class-names.js";
import { ICON_BUTTON } from "../../../components/icon-button-class.js";
import iconStyles from "../../../components/icon.module.css";
import textStyles from "../../../components/text.module.css";
import styles from "./transfer-notice.module.css";

/** Progress or result of an import or export, in one line above the list. */
export function TransferNotice() {
  const { files } = useStores();
  const transfer = useStore(files, (state) => state.transfer);
  if (transfer.type === "none") return null;
  if (transfer.type === "importing" || transfer.type === "exporting") {
    const what = transfer.type === "importing" ? "Importing" : "Exporting";
    return (
      <div className={styles.transfer} role="status">
        <LoaderCircle className={classNames(iconStyles.icon, iconStyles.spin)} aria-hidden />
        {what} <span className={classNames(textStyles.mono, textStyles.cut)}>{transfer.name}</span>
        <progress max={1} value={transfer.share} aria-label={`${what} ${transfer.name}`} />
        <span className={classNames(textStyles.number, textStyles.dim)}>
          {Math.floor(transfer.share * 100)}%
        </span>
      </div>
    );
  }
  return (
    <div className={styles.transfer} role={transfer.type === "failed" ? "alert" : "status"}>
      {transfer.type === "failed" ? (
        <>
          <CircleAlert className={classNames(iconStyles.icon, textStyles.error)} aria-hidden />
          <span className={textStyles.cut}>{transfer.message}</span>
        </>
      ) : (
        <Imported name={transfer.name} result={transfer.result} />
      )}
      <span className={textStyles.grow} />
      <button
        type="button"
        className={ICON_BUTTON}
        data-tip="Dismiss"
        onClick={() => files.getState().dismiss()}
      >
        <X className={iconStyles.small} aria-label="Dismiss" />
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
        <CircleCheck className={classNames(iconStyles.icon, textStyles.ok)} aria-hidden />
      ) : (
        <CircleAlert className={classNames(iconStyles.icon, textStyles.warn)} aria-hidden />
      )}
      <span className={textStyles.cut}>
        Imported {counted(result.traces, "trace")} with {counted(result.spans, "span")} from{" "}
        <span className={textStyles.mono}>{name}</span>
        {losses.map((loss) => ` · ${loss}`)}
        {problem !== undefined && (
          <span className={textStyles.dim}>
            {" "}
            · line {formatWhole(problem.line)}: {problem.message}
          </span>
        )}
      </span>
    </>
  );
}

/** What was not imported, and which traces were evicted. */
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
