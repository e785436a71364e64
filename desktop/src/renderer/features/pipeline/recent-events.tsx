import type { Events, RefusedRequest, Warning } from "@obspan/collector-core/api-schema";
import { useState } from "react";
import { CopyButton } from "../../components/copy-button.js";
import { Segmented } from "../../components/segmented.js";
import { formatTime, formatWhole } from "../../format.js";
import { remedyOf } from "./remedies.js";

const KINDS = [
  { value: "warnings", name: "Warnings" },
  { value: "refused", name: "Refused requests" },
] as const;

/** What was refused and what the collector warned of, newest first, with what to do. */
export function RecentEvents({ events }: { events: Events | undefined }) {
  const [kind, setKind] = useState<"warnings" | "refused">();
  const shown = kind ?? (events?.warnings.length === 0 && events.refused.length > 0 ? "refused" : "warnings");
  const rows: readonly (Warning | RefusedRequest)[] = events?.[shown] ?? [];
  return (
    <section className="warnings" aria-label="Recent events">
      <header>
        <Segmented
          label="Recent events"
          choices={KINDS.map(({ value, name }) => ({
            value,
            content: (
              <>
                {name} <span className="count">{events?.[value].length ?? "…"}</span>
              </>
            ),
          }))}
          chosen={shown}
          onChoose={setKind}
        />
        <span className="grow" />
        {rows.length > 0 && (
          <CopyButton className="btn ghost" text={JSON.stringify(rows, null, 2)} name="Copy as JSON">
            Copy as JSON
          </CopyButton>
        )}
      </header>
      {rows.length === 0 ? (
        <p className="none">
          {events === undefined
            ? "…"
            : shown === "warnings"
              ? "No warning since the start."
              : "No request was refused."}
        </p>
      ) : (
        <div
          className="scroll"
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
                <th scope="col" className="right">
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
      <td className="mono dim" title={`First at ${row.first_time}`}>
        {formatTime(row.time)}
      </td>
      <td>
        <span className="src">
          <i className={isBad ? "dot error" : "dot warn"} aria-hidden />
          <span className={isRefusal ? "mono cut" : "cut"}>
            {isRefusal ? `${row.status} ${row.code}` : (SOURCES[row.logger] ?? row.logger)}
          </span>
        </span>
      </td>
      <td className="cut" title={`${row.message}${from === "" ? "" : ` · ${from}`}`}>
        {row.message} {from !== "" && <span className="faint">{from}</span>}
      </td>
      <td className="num">{formatWhole(row.count)}</td>
      <td className="cut dim">{remedyOf(row)}</td>
    </tr>
  );
}

const SOURCES: Readonly<Record<string, string>> = {
  config: "Configuration",
  export: "Export",
  http: "HTTP",
  obspan: "Collector",
  queue: "Queue",
  worker: "Worker",
  evaluation: "Evaluation",
};

function senderOf({ method, path, client, user_agent }: RefusedRequest): string {
  const request = method === "" ? "" : `${method} ${path}`;
  const sender = user_agent === "" ? client : `${client}, ${user_agent}`;
  return [request, sender === "" ? "" : `from ${sender}`].filter(Boolean).join(" ");
}
