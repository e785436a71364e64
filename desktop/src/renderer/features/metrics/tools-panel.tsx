import type { Stats } from "@obspan/collector-core/api-schema";
import { CopyButton } from "../../components/copy-button.js";
import { formatDuration, formatWhole } from "../../format.js";

interface ToolsPanelProps {
  readonly tools: Stats;
  readonly windowName: string;
  readonly promql: string;
}

/** From this part of failed calls on a tool is worth a look. */
const BAD_SHARE = 0.02;

/** Calls of each tool, the busiest first. */
export function ToolsPanel({ tools, windowName, promql }: ToolsPanelProps) {
  const rows = tools.groups.filter(({ window }) => window.tool_calls > 0);
  const most = Math.max(1, ...rows.map(({ window }) => window.tool_calls));
  return (
    <section className="panel" aria-label="Tool calls">
      <header>
        <h2>Tool calls</h2>
        <span className="grow" />
        <span className="at">{windowName}</span>
      </header>
      {rows.length === 0 ? (
        <div className="plot">
          <p className="nothing">No tool was called.</p>
        </div>
      ) : (
        <div className="tools" tabIndex={0} role="region" aria-label="Tool calls by tool">
          <table>
            <thead>
              <tr>
                <th scope="col">Tool</th>
                <th aria-hidden />
                <th scope="col">Calls</th>
                <th scope="col">p95</th>
                <th scope="col">Failed</th>
              </tr>
            </thead>
            <tbody>
              {rows.map(({ value, window }) => {
                const failed = window.tool_errors / window.tool_calls;
                const p95 = window.duration_ms.p95;
                return (
                  <tr key={value}>
                    <th scope="row" className="mono cut" title={value}>
                      {value === "" ? "no name" : value === "__other__" ? "others" : value}
                    </th>
                    <td aria-hidden>
                      <span className="hbar">
                        <i style={{ width: `${(window.tool_calls / most) * 100}%` }} />
                      </span>
                    </td>
                    <td className="num">{formatWhole(window.tool_calls)}</td>
                    <td className="num dim">{p95 === null ? "–" : durationText(p95)}</td>
                    <td className={failed >= BAD_SHARE ? "num is-error" : "num dim"}>{shareText(failed)}</td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
      <footer className="promql">
        <span className="cut grow" title={promql}>
          {promql}
        </span>
        <CopyButton className="btn ghost sm square" text={promql} name="Tool calls: copy PromQL" />
      </footer>
    </section>
  );
}

export function durationText(ms: number): string {
  const { value, unit } = formatDuration(ms);
  return `${value} ${unit}`;
}

export function shareText(share: number): string {
  if (share === 0) return "0 %";
  return `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;
}
