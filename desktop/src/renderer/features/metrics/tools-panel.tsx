import type { Stats } from "@obspan/collector-core/api-schema";
import { MiddleCut } from "../../components/middle-cut.js";
import { durationText, formatWhole } from "../../format.js";
import { ShareBar } from "../../components/share-bar.js";
import { classNames } from "../../components/class-names.js";
import panelStyles from "../../components/panel.module.css";
import textStyles from "../../components/text.module.css";
import { PromqlFooter } from "./promql-footer.js";
import panelTablesStyles from "./panel-tables.module.css";

interface ToolsPanelProps {
  readonly tools: Stats;
  readonly windowName: string;
  readonly promql: string;
}

/** From this share of failed calls on, a tool is highlighted. */
const BAD_SHARE = 0.02;

/** Calls of each tool, the busiest first. */
export function ToolsPanel({ tools, windowName, promql }: ToolsPanelProps) {
  const rows = tools.groups.filter(({ window }) => window.tool_calls > 0);
  const most = Math.max(1, ...rows.map(({ window }) => window.tool_calls));
  return (
    <section className={panelStyles.panel} aria-label="Tool calls">
      <header>
        <h2>Tool calls</h2>
        <span className={textStyles.grow} />
        <span className={panelStyles.at}>{windowName}</span>
      </header>
      {rows.length === 0 ? (
        <div className={panelStyles.plot}>
          <p className={panelStyles.nothing}>No tool was called.</p>
        </div>
      ) : (
        <div className={panelTablesStyles.room}>
          <div className={panelTablesStyles.tools} tabIndex={0} role="region" aria-label="Tool calls by tool">
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
                      <th scope="row" className={textStyles.mono} data-tip={nameOf(value)}>
                        <MiddleCut text={nameOf(value)} />
                      </th>
                      <td aria-hidden>
                        <ShareBar share={window.tool_calls / most} />
                      </td>
                      <td className={textStyles.number}>{formatWhole(window.tool_calls)}</td>
                      <td className={classNames(textStyles.number, textStyles.dim)}>
                        {p95 === null ? "–" : durationText(p95)}
                      </td>
                      <td
                        className={
                          failed >= BAD_SHARE
                            ? classNames(textStyles.number, textStyles.error)
                            : classNames(textStyles.number, textStyles.dim)
                        }
                      >
                        {shareText(failed)}
                      </td>
                    </tr>
                  );
                })}
              </tbody>
            </table>
          </div>
        </div>
      )}
      <PromqlFooter promql={promql} title="Tool calls" />
    </section>
  );
}

function nameOf(tool: string): string {
  return tool === "" ? "no name" : tool === "__other__" ? "others" : tool;
}

export function shareText(share: number): string {
  if (share === 0) return "0 %";
  return `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;
}
