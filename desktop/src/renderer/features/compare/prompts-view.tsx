import type { TraceComparison } from "@obspan/collector-core/api-schema";
import { Part } from "../trace/part.js";
import { ComparedValues } from "./compared-values.js";
import { StepOutline } from "./step-outline.js";
import { ScoreLines } from "./score-lines.js";
import { SideFigures } from "./side-figures.js";
import { StepHead } from "./step-head.js";
import { callNumber, StepTextsMissing, useStepTexts } from "./step-diff.js";
import { StepStrip } from "./step-strip.js";
import { sectionId } from "./model/section-text.js";
import { stepOf } from "./model/step-words.js";
import { TextSectionView } from "./text-section.js";
import type { SelectedStep } from "./use-selected-step.js";
import textStyles from "../../components/text.module.css";
import styles from "./prompts-view.module.css";

interface PromptsViewProps {
  readonly comparison: TraceComparison;
  readonly selection: SelectedStep;
}

/** The selected step, whole: what it got and gave in both runs. */
export function PromptsView({ comparison, selection }: PromptsViewProps) {
  const { pair } = selection;
  const loaded = useStepTexts(pair);
  if (pair === undefined) return <p className={styles.nothing}>Neither run has a step.</p>;
  const type = stepOf(pair).span_type;
  return (
    <>
      <StepStrip comparison={comparison} selection={selection} />
      <section className={styles.step} aria-label="Selected step">
        <StepHead pair={pair} selection={selection} note={callNumber(comparison, pair)}>
          <span />
        </StepHead>
        <div className={styles.split}>
          <StepOutline pair={pair} loaded={loaded} />
          <div className={styles.main} role="region" aria-label="Texts of the step" tabIndex={0}>
            <SideFigures pair={pair} />
            {loaded === undefined ? (
              <StepTextsMissing />
            ) : (
              <Part name="This step" resetKey={loaded}>
                {loaded.texts.parameters.length > 0 && (
                  <ComparedValues
                    id={sectionId("parameters")}
                    name="Parameters"
                    values={loaded.texts.parameters}
                  />
                )}
                {loaded.texts.sections.map((section) => (
                  <TextSectionView
                    key={section.name}
                    id={sectionId(section.name)}
                    section={section}
                    spanType={type}
                  />
                ))}
                {loaded.texts.sections.length === 0 && (
                  <p className={textStyles.nothing}>Neither run has recorded a text in this step.</p>
                )}
                <ScoreLines scores={loaded.detail.scores} />
                {loaded.texts.attributes.length > 0 && (
                  <ComparedValues
                    id={sectionId("attributes")}
                    name="Other attributes"
                    values={loaded.texts.attributes}
                  />
                )}
              </Part>
            )}
          </div>
        </div>
      </section>
    </>
  );
}
