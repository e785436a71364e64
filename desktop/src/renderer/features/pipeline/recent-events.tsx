import type { Events, RefusedRequest, Warning } from "@obspan/collector-core/api-schema";
import { useState } from "react";
import { CopyButton } from "../../components/copy-button.js";
import { Segmented } from "../../components/segmented.js";
import { formatTime, formatWhole } from "../../format.js";
import { remedyOf } from "./remedies.js";
import { classNames } from "../../components/class-names.js";
import buttonStyles from "../../components/button.module.css";
import statusDotStyles from "../../components/status-dot.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./recent-events.module.css";

const KINDS = [
  { value: "warnings", name: "Warnings" },
  { value: "refused", name: "Refused requests" },
] as const;

/** Refused requests and warnings, newest first, with what to do. */
export function RecentEvents({ events }: { events: Events | undefined }) {
  const [kind, setKind] = useState<"warnings" | "refused">();
  const shown = kind ?? (events?.warnings.length === 0 && events.refused.length > 0 ? "refused" : "warnings");
  const rows: readonly (Warning | RefusedRequest)[] = events?.[shown] ?? [];
  return (
    <section className={styles.warnings} aria-label="Recent events">
      <header>
        <Segmented
          label="Recent events"
          choices={KINDS.map(({ value, name }) => ({
            value,
            content: (
              <>
                {name} <span className={textStyles.count}>{events?.[value].length ?? "…"}</span>
              </>
            ),
          }))}
          chosen={shown}
          onChoose={setKind}
        />
        <span className={textStyles.grow} />
        {rows.length > 0 && (
          <CopyButton
            className={classNames(buttonStyles.button, buttonStyles.ghost)}
            text={JSON.stringify(rows, null, 2)}
            name="Copy as JSON"
          >
            Copy as JSON
          </CopyButton>
        )}
      </header>
      {rows.length === 0 ? (
        <p className={styles.none}>
          {events === undefined
            ? "…"
            : shown === "warnings"
              ? "No warning since the start."
              : "No request was refused."}
        </p>
      ) : (
        <div
          className={styles.scroll}
          tabIndex={0}
          role="region"
          aria-label={shown === "warnings" ? "Warnings" : "Refused requests"}
        >
          <table>
            <thead>
              <tr>
                <th scope="col">When</th>
                <th scope="col">{shown === "warnings" ? "Where" : "Answer"}</th>
                <th scope="col">What happened</th>
                <th scope="col" className={styles.right}>
                  Times
                </th>
                <th scope="col">What to do</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row, index) => (
                <EventRow key={`${row.first_time} ${index}`} row={row} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function EventRow({ row }: { row: Warning | RefusedRequest }) {
  const isRefusal = "code" in row;
  const isBad = isRefusal || row.level !== "WARNING";
  const from = isRefusal ? senderOf(row) : "";
  return (
    <tr>
      <td className={classNames(textStyles.mono, textStyles.dim)} data-tip={`First at ${row.first_time}`}>
        {formatTime(row.time)}
      </td>
      <td>
        <span className={styles.source}>
          <i className={isBad ? statusDotStyles.error : statusDotStyles.warn} aria-hidden />
          <span className={isRefusal ? classNames(textStyles.mono, textStyles.cut) : textStyles.cut}>
            {isRefusal ? `${row.status} ${row.code}` : (SOURCES.get(row.logger) ?? row.logger)}
          </span>
        </span>
      </td>
      <td className={textStyles.cut} data-tip={`${row.message}${from === "" ? "" : ` · ${from}`}`}>
        {row.message} {from !== "" && <span className={textStyles.faint}>{from}</span>}
      </td>
      <td className={textStyles.number}>{formatWhole(row.count)}</td>
      <td className={classNames(textStyles.cut, textStyles.dim)}>{remedyOf(row)}</td>
    </tr>
  );
}

const SOURCES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    config: "Configuration",
    export: "Export",
    http: "HTTP",
    obspan: "Collector",
    queue: "Queue",
    worker: "Worker",
    evaluation: "Evaluation",
  }),
);

function senderOf({ method, path, client, user_agent }: RefusedRequest): string {
  const request = method === "" ? "" : `${method} ${path}`;
  const sender = user_agent === "" ? client : `${client}, ${user_agent}`;
  return [request, sender === "" ? "" : `from ${sender}`].filter(Boolean).join(" ");
}
