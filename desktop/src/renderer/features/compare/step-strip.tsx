import type { StepPairAnswer, TraceComparison } from "@obspan/collector-core/api-schema";
import { Flag } from "lucide-react";
import { useEffect, useMemo } from "react";
import { SpanIcon } from "../../components/span-icon.js";
import { formatWhole } from "../../format.js";
import { pairKey } from "../../store/compare-store.js";
import { differs, stepOf, stripWords } from "./model/step-words.js";
import { drawnParts, stripParts, type StripPart } from "./model/strip-parts.js";
import type { SelectedStep } from "./use-selected-step.js";
import { classNames } from "../../components/class-names.js";
import iconStyles from "../../components/icon.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./step-strip.module.css";

interface StepStripProps {
  readonly comparison: TraceComparison;
  readonly selection: SelectedStep;
}

/** The steps of both runs in one line; equal ones are narrow. */
export function StepStrip({ comparison, selection }: StepStripProps) {
  const { steps, first_divergence: divergence } = comparison;
  const { index: selected, select } = selection;
  const parts = useMemo(() => stripParts(steps), [steps]);
  const shown = parts.findIndex(({ from, to }) => selected >= from && selected < to);
  const drawn = drawnParts(parts.length, shown);
  useEffect(() => {
    document.getElementById(partId(shown))?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [shown]);
  return (
    <div className={styles.steps}>
      <div className={styles.head}>
        <b>
          {formatWhole(steps.length)} {steps.length === 1 ? "step" : "steps"}
        </b>
        <span className={textStyles.grow} />
        <Legend steps={steps} />
      </div>
      <div
        className={styles.strip}
        role="listbox"
        aria-label="Steps"
        aria-orientation="horizontal"
        aria-activedescendant={shown < 0 ? undefined : partId(shown)}
        tabIndex={0}
      >
        {drawn.from > 0 && <More count={drawn.from} />}
        {parts.slice(drawn.from, drawn.to).map((part, offset) => {
          const index = drawn.from + offset;
          const pair = steps[part.from];
          if (pair === undefined) return null;
          return (
            <div
              key={pairKey(pair)}
              id={partId(index)}
              role="option"
              aria-selected={index === shown}
              className={classNames(styles.step, classOf(pair), index === shown && styles.selected)}
              onClick={() => select(part.from)}
            >
              {divergence !== null && divergence >= part.from && divergence < part.to && (
                <span className={styles.flag}>
                  <Flag className={iconStyles.tiny} aria-hidden />
                  first divergence
                </span>
              )}
              <StepText pair={pair} part={part} />
            </div>
          );
        })}
        {drawn.to < parts.length && <More count={parts.length - drawn.to} />}
      </div>
    </div>
  );
}

/** Parts that are not drawn: the strip follows the selected step. */
function More({ count }: { count: number }) {
  return (
    <div role="presentation" className={styles.more}>
      {formatWhole(count)} more
    </div>
  );
}

function partId(index: number): string {
  return `strip-${index}`;
}

function classOf(pair: StepPairAnswer): string | undefined {
  if (pair.b === null) return styles.onlyA;
  if (pair.a === null) return styles.onlyB;
  return differs(pair) ? styles.changed : undefined;
}

function StepText({ pair, part }: { pair: StepPairAnswer; part: StripPart }) {
  const { name, span_type: type } = stepOf(pair);
  const count = part.to - part.from;
  if (count > 1)
    return (
      <>
        <span className={styles.name}>
          <b>{formatWhole(count)} steps</b>
        </span>
        <span className={styles.what}>same</span>
      </>
    );
  return (
    <>
      <span className={styles.name}>
        <SpanIcon spanType={type} />
        <b className={textStyles.cut} data-tip={name}>
          {name}
        </b>
      </span>
      <span className={classNames(styles.what, textStyles.cut)}>{stripWords(pair)}</span>
    </>
  );
}

function Legend({ steps }: Pick<TraceComparison, "steps">) {
  const onlyA = steps.filter(({ b }) => b === null).length;
  const onlyB = steps.filter(({ a }) => a === null).length;
  const changed = steps.filter(differs).length - onlyA - onlyB;
  const entries = [
    { name: "same", count: steps.length - changed - onlyA - onlyB, className: undefined },
    { name: "changed", count: changed, className: styles.changedSwatch },
    { name: "only in A", count: onlyA, className: styles.onlyASwatch },
    { name: "only in B", count: onlyB, className: styles.onlyBSwatch },
  ];
  return (
    <ul className={styles.legend}>
      {entries.map(({ name, count, className }) => (
        <li key={name}>
          <i className={className} />
          {formatWhole(count)} {name}
        </li>
      ))}
    </ul>
  );
}
