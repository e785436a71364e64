import type { ConfigDescription, Stats } from "@obspan/collector-core/api-schema";
import { formatCost } from "../../format.js";
import { costText } from "../trace/cost.js";
import { agentObjectives, type AgentObjective } from "./agent-objectives.js";
import { ShareBar } from "../../components/share-bar.js";
import { classNames } from "../../components/class-names.js";
import panelStyles from "../../components/panel.module.css";
import textStyles from "../../components/text.module.css";
import { PromqlFooter } from "./promql-footer.js";
import panelTablesStyles from "./panel-tables.module.css";

interface ObjectivesPanelProps {
  readonly agents: Stats | undefined;
  readonly config: ConfigDescription["config"] | undefined;
  readonly promql: string;
}

/** Remaining error and cost budget of each agent, over the last day. */
export function ObjectivesPanel({ agents, config, promql }: ObjectivesPanelProps) {
  const isOn = config?.["sre.enabled"]?.value === true;
  const rows = isOn && agents !== undefined ? agentObjectives(agents, config) : [];
  return (
    <section className={panelStyles.panel} aria-label="SLO and budget by agent">
      <header>
        <h2>SLO and budget by agent</h2>
        <span className={textStyles.grow} />
        {isOn && <span className={panelStyles.at}>last 24 h</span>}
      </header>
      {!isOn ? (
        <div className={panelStyles.plot}>
          <p className={panelStyles.nothing}>
            Off. Set <span className={textStyles.mono}>sre.enabled</span> to see what is left of each agent's
            budgets.
          </p>
        </div>
      ) : rows.length === 0 ? (
        <div className={panelStyles.plot}>
          <p className={panelStyles.nothing}>No agent made a model call in the last day.</p>
        </div>
      ) : (
        <div className={panelTablesStyles.room}>
          <div
            className={classNames(panelTablesStyles.tools, panelTablesStyles.slo)}
            tabIndex={0}
            role="region"
            aria-label="Budgets by agent"
          >
            <table>
              <thead>
                <tr>
                  <th scope="col">Agent</th>
                  <th scope="col" colSpan={2}>
                    Error budget left
                  </th>
                  <th scope="col" colSpan={2}>
                    Cost budget left
                  </th>
                </tr>
              </thead>
              <tbody>
                {rows.map((row) => (
                  <ObjectiveRow key={row.agent} row={row} />
                ))}
              </tbody>
            </table>
          </div>
        </div>
      )}
      <PromqlFooter promql={promql} title="SLO and budget" />
    </section>
  );
}

function ObjectiveRow({ row }: { row: AgentObjective }) {
  const { agent, errorBudgetLeft, costBudgetLeft } = row;
  const error = `${(row.errorRate * 100).toFixed(1)} % of ${(row.sloErrorRate * 100).toFixed(1)} % allowed`;
  const cost =
    row.costBudgetUsd === 0
      ? "no budget"
      : `${costText({ usd: row.costUsd, isComputed: row.isCostComputed })} of ${formatCost(row.costBudgetUsd)} a period`;
  return (
    <tr>
      <th scope="row" className={textStyles.cut} data-tip={agent}>
        {agent}
      </th>
      <Budget left={errorBudgetLeft} title={error} />
      <Budget left={costBudgetLeft} title={cost} />
    </tr>
  );
}

function Budget({ left, title }: { left: number | undefined; title: string }) {
  if (left === undefined) {
    return (
      <>
        <td aria-hidden />
        <td className={classNames(textStyles.number, textStyles.faint)} data-tip={title}>
          –
        </td>
      </>
    );
  }
  const grade = left <= 0 ? "error" : left < 0.2 ? "warn" : undefined;
  return (
    <>
      <td aria-hidden>
        <ShareBar share={Math.max(0.01, left)} tone={grade} />
      </td>
      <td
        className={classNames(textStyles.number, grade === undefined ? textStyles.dim : textStyles[grade])}
        data-tip={title}
      >
        {Math.round(left * 100)} %
      </td>
    </>
  );
}
