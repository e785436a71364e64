import type { FigureName } from "@obspan/collector-core/analysis";
import type { StepPairAnswer } from "@obspan/collector-core/api-schema";
import type { ReactNode } from "react";
import { countDelta, deltaGrade, deltaQuantity, scoreDelta } from "./model/delta-text.js";
import { sectionId, sectionMarks, sectionName, sectionShare } from "./model/section-text.js";
import { scoreDeltas } from "./model/score-deltas.js";
import { isCostComputed, stepOf } from "./model/step-words.js";
import { Computed } from "../trace/cost.js";
import type { LoadedStep } from "./step-diff.js";
import { typeText } from "../../components/type-text.js";
import { classNames } from "../../components/class-names.js";
import textStyles from "../../components/text.module.css";
import styles from "./step-outline.module.css";

interface StepOutlineProps {
  readonly pair: StepPairAnswer;
  /** Undefined while they are loading. */
  readonly loaded: LoadedStep | undefined;
}

const FIGURES = [
  { figure: "duration_ms", name: "Time" },
  { figure: "ttft_ms", name: "First token" },
  { figure: "tokens_cached", name: "From the cache" },
  { figure: "cost_usd", name: "Cost" },
] as const satisfies readonly { readonly figure: FigureName; readonly name: string }[];

/** The parts of the step that differ, and its figures. */
export function StepOutline({ pair, loaded }: StepOutlineProps) {
  const texts = loaded?.texts;
  const type = stepOf(pair).span_type;
  const parameters = texts?.parameters.filter(({ isEqual }) => !isEqual).length ?? 0;
  const input = texts?.sections.filter(({ name }) => name !== "output" && name !== "error") ?? [];
  const rest = texts?.sections.filter(({ name }) => name === "output" || name === "error") ?? [];
  return (
    <aside className={styles.outline} aria-label="What differs">
      <h3>What differs</h3>
      {texts?.isModelCall === true && (
        <Entry id="parameters" name="Parameters" tokens={undefined}>
          {parameters > 0 && <span className={textStyles.dim}>{parameters}</span>}
        </Entry>
      )}
      {input.map((section) => (
        <Entry
          key={section.name}
          id={section.name}
          name={sectionName(section.name, type)}
          tokens={section.tokens === undefined ? undefined : `≈ ${countDelta(section.tokens)}`}
        >
          <Marks {...sectionMarks(section)} />
        </Entry>
      ))}
      <TokensIn pair={pair} />
      {rest.map((section) => (
        <Entry
          key={section.name}
          id={section.name}
          name={sectionName(section.name, type)}
          tokens={section.tokens === undefined ? undefined : countDelta(section.tokens)}
        >
          {sectionShare(section) ?? <Marks {...sectionMarks(section)} />}
        </Entry>
      ))}
      <h3>This step</h3>
      <dl>
        {FIGURES.map(({ figure, name }) => (
          <FigureLine key={figure} figure={figure} name={name} pair={pair} />
        ))}
        {loaded !== undefined &&
          scoreDeltas(loaded.detail.scores).map(({ type, delta, isWorse }) => (
            <div key={type} className={styles.figure}>
              <dt>{typeText(type)}</dt>
              <dd className={classNames(textStyles.number, isWorse && textStyles.error)}>
                {scoreDelta(delta)}
              </dd>
            </div>
          ))}
      </dl>
    </aside>
  );
}

function TokensIn({ pair }: { pair: StepPairAnswer }) {
  const { delta } = pair.tokens_input;
  if (delta === null) return null;
  const isBad = deltaGrade("tokens_input", pair.tokens_input) === "worse";
  return (
    <div className={styles.sum}>
      <b>Tokens in</b>
      <span className={classNames(textStyles.number, isBad && textStyles.error)}>{countDelta(delta)}</span>
    </div>
  );
}

interface EntryProps {
  readonly id: string;
  readonly name: string;
  readonly tokens: string | undefined;
  readonly children: ReactNode;
}

function Entry({ id, name, tokens, children }: EntryProps) {
  return (
    <button
      type="button"
      className={styles.entry}
      onClick={() => document.getElementById(sectionId(id))?.scrollIntoView({ block: "start" })}
    >
      <span className={textStyles.cut}>{name}</span>
      <span className={styles.marks}>{children}</span>
      <span className={classNames(textStyles.number, textStyles.dim)}>{tokens ?? "–"}</span>
    </button>
  );
}

function Marks({ added, removed, changed }: { added: number; removed: number; changed: number }) {
  return (
    <>
      {added > 0 && <span className={textStyles.ok}>+{added} </span>}
      {removed > 0 && <span className={textStyles.error}>−{removed} </span>}
      {changed > 0 && <span className={textStyles.dim}>~{changed}</span>}
    </>
  );
}

function FigureLine({ figure, name, pair }: { figure: FigureName; name: string; pair: StepPairAnswer }) {
  const quantity = deltaQuantity(figure, pair[figure], "head");
  if (quantity === undefined) return null;
  const isBad = deltaGrade(figure, pair[figure]) === "worse";
  return (
    <div className={styles.figure}>
      <dt>{name}</dt>
      <dd className={classNames(textStyles.number, isBad && textStyles.error)}>
        {figure === "cost_usd" && isCostComputed(pair) ? (
          <Computed>{quantity.value}</Computed>
        ) : (
          quantity.value
        )}
        {quantity.unit !== "" && <span className={textStyles.unit}> {quantity.unit}</span>}
      </dd>
    </div>
  );
}
