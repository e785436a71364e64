import { CircleAlert } from "lucide-react";
import { useEffect } from "react";
import { useEvaluations, useStores } from "../../app-context.js";
import { DistributionPanel } from "./distribution-panel.js";
import { EvaluationBar } from "./evaluation-bar.js";
import { EvaluationsEmpty } from "./evaluations-empty.js";
import { EvaluationsFoot } from "./evaluations-foot.js";
import { MeansPanel } from "./means-panel.js";
import { ScoresPanel } from "./scores-panel.js";
import { WorstList } from "./worst-list.js";
import "./evaluations.css";

/** What the judge and the users say of the answers: over time, by agent and model, and the worst of them. */
export function EvaluationsPage() {
  const { evaluations } = useStores();
  useEffect(() => evaluations.getState().watch(), [evaluations]);
  const summary = useEvaluations((state) => state.summary);
  const error = useEvaluations((state) => state.error);
  if (summary === undefined) {
    return (
      <main className="page evals">
        {error === undefined ? (
          <div className="blank" role="status">
            <p className="dim">Fetching the evaluations…</p>
          </div>
        ) : (
          <div className="blank" role="alert">
            <CircleAlert className="icon is-error" aria-hidden />
            <h2>The evaluations could not be fetched</h2>
            <p className="dim">{error.message}</p>
            <button type="button" className="btn" onClick={() => void evaluations.getState().load()}>
              Try again
            </button>
          </div>
        )}
      </main>
    );
  }
  return (
    <main className="page evals">
      <EvaluationBar summary={summary} />
      {summary.oldest === null ? (
        <EvaluationsEmpty isOn={summary.evaluation !== null} />
      ) : (
        <>
          <div className="eval-grid">
            <ScoresPanel summary={summary} />
            <DistributionPanel summary={summary} />
            <MeansPanel summary={summary} />
          </div>
          <WorstList summary={summary} />
        </>
      )}
      <EvaluationsFoot summary={summary} />
    </main>
  );
}
