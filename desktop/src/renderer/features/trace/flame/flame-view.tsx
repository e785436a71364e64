import { flameLayout } from "@obspan/collector-core/analysis";
import { Clock } from "lucide-react";
import { useMemo, useRef } from "react";
import { useElementWidth } from "../../../components/use-element-width.js";
import { formatWhole } from "../../../format.js";
import { useTracePage } from "../trace-page-context.js";
import { FlameFrames } from "./flame-frames.js";
import { FlameLegend } from "./flame-legend.js";
import { useFlame } from "./use-flame.js";
import { useModelPrices } from "./use-model-prices.js";
import { useFlameKeys } from "./use-flame-keys.js";
import { WhereTable } from "./where-table.js";
import { ZoomLine } from "./zoom-line.js";
import buttonStyles from "../../../components/button.module.css";
import iconStyles from "../../../components/icon.module.css";
import pageStyles from "../../../components/page.module.css";
import textStyles from "../../../components/text.module.css";
import styles from "./flame-view.module.css";

/** A frame has a gap of one pixel, so that narrower ones could not be seen. */
const MIN_WIDTH = 2;
/** Space on both sides of the frames. */
const INSET = 24;

/** Where time, tokens and money of a run went, over all spans of a name. */
export default function FlameView() {
  const { view } = useTracePage();
  const model = useFlame();
  const { flame, measure, base } = model;
  const element = useRef<HTMLDivElement>(null);
  const width = Math.max(0, useElementWidth(element) - INSET);
  const layout = useMemo(
    () => flameLayout(flame, { measure, base, width, minWidth: MIN_WIDTH }),
    [flame, measure, base, width],
  );
  useFlameKeys({ element, model, layout });
  const prices = useModelPrices(measure === "cost");
  return (
    <div ref={element} className={styles.flame} data-spans="">
      {flame.total[measure] > 0 ? (
        <>
          <ZoomLine {...model} />
          <FlameFrames model={model} layout={layout} prices={prices} width={width} />
          <FlameLegend
            measure={measure}
            spans={flame.spans.length}
            frames={flame.frames.length}
            hasStrips={measure !== "cost" || [...prices.values()].some((known) => known !== null)}
          />
          <WhereTable {...model} />
        </>
      ) : (
        <div className={pageStyles.blank} tabIndex={0} role="status">
          <h2>{NOTHING[measure].title}</h2>
          <p className={textStyles.dim}>
            {NOTHING[measure].reason} This run has {formatWhole(flame.spans.length)}{" "}
            {flame.spans.length === 1 ? "span" : "spans"}.
          </p>
          {measure !== "time" && (
            <button
              type="button"
              className={buttonStyles.button}
              onClick={() => view.getState().setFlame({ measure: "time" })}
            >
              <Clock className={iconStyles.icon} aria-hidden />
              Show time
            </button>
          )}
        </div>
      )}
    </div>
  );
}

/** Why a measure has nothing to show. */
const NOTHING = {
  time: { title: "No span of this run took time", reason: "Every span starts and ends at once." },
  tokens: {
    title: "No span of this run reports tokens",
    reason: "Tokens come from the model calls: gen_ai.usage.input_tokens, tokens_input.",
  },
  cost: {
    title: "No span of this run has a cost",
    reason: "Cost comes from the model calls: cost_usd, or a model with a known price.",
  },
} as const;
