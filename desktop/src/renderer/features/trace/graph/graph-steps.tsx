import type { SpanNode } from "@obspan/collector-core/analysis";
import { SkipBack, SkipForward } from "lucide-react";
import { useMemo } from "react";
import { typeClass } from "../../../components/span-icon.js";
import { formatWhole } from "../../../format.js";
import { useTraceNow } from "../hooks/use-trace-now.js";
import { IconButton } from "../icon-button.js";
import { useTracePage } from "../trace-page-context.js";
import { STRIP_HEIGHT, STRIP_WIDTH, stepAt, stepBlocks } from "./step-blocks.js";
import textStyles from "../../../components/text.module.css";
import styles from "./graph-steps.module.css";

/** How often the strip of a running trace is drawn again. */
const STEP_MS = 1000;

/** The steps of the run in order. The selected one is the current step of the graph. */
export function GraphSteps() {
  const { view, run, tree, selected } = useTracePage();
  const now = useTraceNow();
  const nowMs = tree.isRunning ? Math.max(tree.endMs, Math.floor(now / STEP_MS) * STEP_MS) : now;
  const { steps, numbers } = run;
  // Agents contain other steps.
  const drawn = useMemo(() => steps.filter(({ span }) => span.span_type !== "agent"), [steps]);
  const blocks = useMemo(() => stepBlocks(drawn, nowMs), [drawn, nowMs]);
  if (drawn.length === 0) return null;
  const number = selected === undefined ? undefined : numbers.get(selected.id);
  const at = number === undefined ? -1 : number - 1;
  const choose = (step: SpanNode | undefined): void => {
    if (step !== undefined) view.getState().select(step.id);
  };
  const place = selected === undefined ? -1 : drawn.indexOf(selected);
  const [from, to] = [place > 0 ? (blocks.ends[place - 1] ?? 0) : 0, blocks.ends[place]];
  return (
    <div className={styles.strip} role="group" aria-label="Steps">
      <span className={textStyles.number} role="status">
        {number === undefined ? (
          <span className={textStyles.dim}>{formatWhole(steps.length)} steps</span>
        ) : (
          `Step ${formatWhole(number)}`
        )}
      </span>
      <svg
        viewBox={`0 -6 ${STRIP_WIDTH} ${STRIP_HEIGHT + 12}`}
        preserveAspectRatio="none"
        aria-hidden
        onClick={({ clientX, currentTarget }) => {
          const { left, width } = currentTarget.getBoundingClientRect();
          choose(drawn[stepAt(blocks, (clientX - left) / Math.max(1, width))]);
        }}
      >
        {blocks.paths.map(({ kind, path }) => (
          <path key={kind} d={path} className={kind === "error" ? styles.failed : typeClass(kind)} />
        ))}
        {to !== undefined && (
          <path d={`M${from} -5H${to}M${from} ${STRIP_HEIGHT + 5}H${to}`} className={styles.current} />
        )}
      </svg>
      <IconButton
        icon={SkipBack}
        name="Step back"
        keys=","
        isDisabled={at <= 0}
        onClick={() => choose(steps[at - 1])}
      />
      <IconButton
        icon={SkipForward}
        name="Step forward"
        keys="."
        isDisabled={at >= steps.length - 1}
        onClick={() => choose(steps[at + 1])}
      />
    </div>
  );
}
