import type { TraceComparison } from "@obspan/collector-core/api-schema";
import { useState } from "react";
import { Part } from "../trace/part.js";
import { ComparedValues } from "./compared-values.js";
import { sectionName } from "./model/section-text.js";
import { stepOf } from "./model/step-words.js";
import { ScoreLines } from "./score-lines.js";
import { StepHead } from "./step-head.js";
import { callNumber, StepTextsMissing, useStepTexts, type LoadedStep } from "./step-diff.js";
import { TextSectionView } from "./text-section.js";
import type { SelectedStep } from "./use-selected-step.js";
import textStyles from "../../components/text.module.css";
import tabStyles from "../../components/tabs.module.css";
import styles from "./step-diff.module.css";

const TABS = ["output", "input", "attributes"] as const;
type Tab = (typeof TABS)[number];

interface StepPanelProps {
  readonly comparison: TraceComparison;
  readonly selection: SelectedStep;
}

/** Below the table: the texts of the selected step, by tabs. */
export function StepPanel({ comparison, selection }: StepPanelProps) {
  const { pair } = selection;
  const loaded = useStepTexts(pair);
  const [tab, setTab] = useState<Tab>("output");
  if (pair === undefined) return null;
  const type = stepOf(pair).span_type;
  const names: Readonly<Record<Tab, string>> = {
    output: sectionName("output", type),
    input: type === "llm" ? "Prompt" : sectionName("input", type),
    attributes: "Attributes",
  };
  return (
    <section className={styles.panel} aria-label="Selected step">
      <StepHead pair={pair} selection={selection} note={callNumber(comparison, pair)}>
        <div className={tabStyles.tabs} role="tablist" aria-label="Texts of the step">
          {TABS.map((name) => (
            <button
              key={name}
              type="button"
              role="tab"
              id={`step-tab-${name}`}
              aria-selected={name === tab}
              aria-controls="step-panel"
              tabIndex={name === tab ? 0 : -1}
              onClick={() => setTab(name)}
              onKeyDown={(event) => {
                const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
                const next = TABS[(TABS.indexOf(name) + by + TABS.length) % TABS.length];
                if (by === 0 || next === undefined) return;
                event.preventDefault();
                setTab(next);
                document.getElementById(`step-tab-${next}`)?.focus();
              }}
            >
              {names[name]}
              <ChangeCount loaded={loaded} tab={name} />
            </button>
          ))}
        </div>
      </StepHead>
      <div
        id="step-panel"
        className={styles.body}
        role="tabpanel"
        aria-labelledby={`step-tab-${tab}`}
        tabIndex={0}
      >
        {loaded === undefined ? (
          <StepTextsMissing />
        ) : (
          <Part name="This step" resetKey={loaded}>
            <TabContent loaded={loaded} tab={tab} spanType={type} />
          </Part>
        )}
      </div>
    </section>
  );
}

/** The pieces that differ. */
function ChangeCount({ loaded, tab }: { loaded: LoadedStep | undefined; tab: Tab }) {
  if (loaded === undefined) return null;
  const { texts } = loaded;
  const values = tab === "attributes" ? texts.attributes : tab === "input" ? texts.parameters : [];
  const count =
    sectionsOf(loaded, tab).reduce(
      (sum, { items }) => sum + items.filter(({ kind }) => kind !== "same").length,
      0,
    ) + values.filter(({ isEqual }) => !isEqual).length;
  return count === 0 ? null : <span className={textStyles.count}>{count}</span>;
}

function sectionsOf({ texts }: LoadedStep, tab: Tab): LoadedStep["texts"]["sections"] {
  if (tab === "attributes") return [];
  return texts.sections.filter(({ name }) => (name === "output" || name === "error") === (tab === "output"));
}

function TabContent({ loaded, tab, spanType }: { loaded: LoadedStep; tab: Tab; spanType: string }) {
  const { texts, detail } = loaded;
  const sections = sectionsOf(loaded, tab);
  if (tab === "attributes")
    return texts.attributes.length === 0 ? (
      <Nothing text="Neither run has other attributes here." />
    ) : (
      <ComparedValues values={texts.attributes} />
    );
  const hasParameters = tab === "input" && texts.parameters.length > 0;
  return (
    <>
      {hasParameters && <ComparedValues name="Parameters" values={texts.parameters} />}
      {sections.map((section) => (
        <TextSectionView
          key={section.name}
          section={section}
          spanType={spanType}
          isOnly={sections.length === 1 && !hasParameters}
        />
      ))}
      {sections.length === 0 && !hasParameters && <Nothing text="Neither run has recorded a text here." />}
      {tab === "output" && <ScoreLines scores={detail.scores} />}
    </>
  );
}

function Nothing({ text }: { text: string }) {
  return <p className={styles.nothing}>{text}</p>;
}
