import type { GraphLoop } from "@obspan/collector-core/analysis";
import { ArrowUpRight } from "lucide-react";
import { KeyHint } from "../../../components/key-hint.js";
import { Paged } from "../../../components/paged.js";
import { SpanIcon } from "../../../components/span-icon.js";
import { classNames } from "../../../components/class-names.js";
import { durationText, formatWhole } from "../../../format.js";
import { useTracePage } from "../trace-page-context.js";
import { nameOf } from "./graph-node.js";
import { useGraph } from "./use-graph.js";
import iconStyles from "../../../components/icon.module.css";
import textStyles from "../../../components/text.module.css";
import styles from "./loops-list.module.css";

/** Where the run goes round: what is repeated, and the time of the repetitions. */
export function LoopsList() {
  const { view, selected } = useTracePage();
  const { graph } = useGraph();
  const { loops } = graph;
  if (loops.length === 0) return null;
  const nodes = new Map(graph.nodes.map((node) => [node.id, node]));
  return (
    <section className={styles.loops} aria-label="Loops in this run">
      <header>
        <h3>Loops in this run</h3>
        <span className={textStyles.faint}>{formatWhole(loops.length)}</span>
        <span className={textStyles.grow} />
        <KeyHint keys={["O"]}>next loop</KeyHint>
      </header>
      <Paged
        items={loops}
        name="loops"
        renderItem={(loop) => {
          const node = nodes.get(loop.nodeId);
          return (
            <button
              type="button"
              className={styles.loop}
              aria-pressed={loop.span === selected}
              onClick={() => view.getState().chooseNode(loop.nodeId, loop.span.id)}
            >
              <SpanIcon spanType={node?.type ?? "tool"} />
              <b className={textStyles.cut}>{node === undefined ? loop.span.span.name : nameOf(node)}</b>
              <span className={classNames(textStyles.cut, textStyles.dim, textStyles.grow)}>
                {whatOf(loop)}
              </span>
              <span className={textStyles.number}>{durationText(loop.repeatedMs)}</span>
              <ArrowUpRight className={iconStyles.tiny} aria-hidden />
            </button>
          );
        }}
      />
    </section>
  );
}

function whatOf({ kind, count, gapMs }: GraphLoop): string {
  if (kind === "same-call") return `${formatWhole(count)} calls, same arguments`;
  if (kind === "cycle") return "started from inside itself";
  return `entered again ${gapMs === undefined ? "" : `${durationText(gapMs)} `}after it gave back`;
}
