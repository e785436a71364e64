import { useEffect } from "react";
import { useEvaluations, useStores } from "../../app-context.js";
import { DistributionPanel } from "./distribution-panel.js";
import { EvaluationBar } from "./evaluation-bar.js";
import { EvaluationsEmpty } from "./evaluations-empty.js";
import { EvaluationsFoot } from "./evaluations-foot.js";
import { MeansPanel } from "./means-panel.js";
import { ScoresPanel } from "./scores-panel.js";
import { WorstList } from "./worst-list.js";
import { RequestFailed } from "../../components/request-failed.js";
import { classNames } from "../../components/class-names.js";
import pageStyles from "../../components/page.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./evaluations-page.module.css";

/** The Evaluations page: scores over time, by agent and model, and the worst answers. */
export function EvaluationsPage() {
  const { evaluations } = useStores();
  useEffect(() => evaluations.getState().watch(), [evaluations]);
  const summary = useEvaluations((state) => state.summary);
  const error = useEvaluations((state) => state.error);
  if (summary === undefined) {
    return (
      <main className={classNames(pageStyles.page, styles.page)}>
        <h1 className={textStyles.screenReader}>Evaluations</h1>
        {error === undefined ? (
          <Fetching />
        ) : (
          <RequestFailed
            title="The evaluations could not be fetched"
            error={error}
            retry={() => void evaluations.getState().load()}
            loading={<Fetching />}
          />
        )}
      </main>
    );
  }
  return (
    <main className={classNames(pageStyles.page, styles.page)}>
      <h1 className={textStyles.screenReader}>Evaluations</h1>
      <EvaluationBar summary={summary} />
      {summary.oldest === null ? (
        <EvaluationsEmpty isOn={summary.evaluation !== null} />
      ) : (
        <>
          <div className={styles.grid}>
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

function Fetching() {
  return (
    <div className={pageStyles.blank} role="status">
      <p className={textStyles.dim}>Fetching the evaluations…</p>
    </div>
  );
}
