import type { ConfigDescription, Stats } from "@obspan/collector-core/api-schema";
import { CopyButton } from "../../components/copy-button.js";
import { formatCost } from "../../format.js";
import { agentObjectives, type AgentObjective } from "./agent-objectives.js";

interface ObjectivesPanelProps {
  readonly agents: Stats | undefined;
  readonly config: ConfigDescription["config"] | undefined;
  readonly promql: string;
}

/** What is left of each agent's error budget, and of its cost budget, by the last day. */
export function ObjectivesPanel({ agents, config, promql }: ObjectivesPanelProps) {
  const isOn = config?.["sre.enabled"]?.value === true;
  const rows = isOn && agents !== undefined ? agentObjectives(agents, config) : [];
  return (
    <section className="panel" aria-label="SLO and budget by agent">
      <header>
        <h2>SLO and budget by agent</h2>
        <span className="grow" />
        {isOn && <span className="at">last 24 h</span>}
      </header>
      {!isOn ? (
        <div className="plot">
          <p className="nothing">
            Off. Set <span className="mono">sre.enabled</span> to see what is left of each agent's budgets.
          </p>
        </div>
      ) : rows.length === 0 ? (
        <div className="plot">
          <p className="nothing">No agent made a model call in the last day.</p>
        </div>
      ) : (
        <div className="tools slo" tabIndex={0} role="region" aria-label="Budgets by agent">
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
      )}
      <footer className="promql">
        <span className="cut grow">{promql}</span>
        <CopyButton className="btn ghost sm square" text={promql} name="SLO and budget: copy PromQL" />
      </footer>
    </section>
  );
}

function ObjectiveRow({ row }: { row: AgentObjective }) {
  const { agent, errorBudgetLeft, costBudgetLeft } = row;
  const error = `${(row.errorRate * 100).toFixed(1)} % of ${(row.sloErrorRate * 100).toFixed(1)} % allowed`;
  const cost =
    row.costBudgetUsd === 0
      ? "no budget"
      : `${formatCost(row.costUsd)} of ${formatCost(row.costBudgetUsd)} a period`;
  return (
    <tr>
      <th scope="row" className="cut" title={agent}>
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
        <td className="num faint" title={title}>
          –
        </td>
      </>
    );
  }
  const grade = left <= 0 ? "error" : left < 0.2 ? "warn" : "";
  return (
    <>
      <td aria-hidden>
        <span className="hbar">
          <i className={grade} style={{ width: `${Math.max(1, left * 100)}%` }} />
        </span>
      </td>
      <td className={grade === "" ? "num dim" : `num is-${grade}`} title={title}>
        {Math.round(left * 100)} %
      </td>
    </>
  );
}
