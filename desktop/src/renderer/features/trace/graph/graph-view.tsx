import type { FoldedGraph } from "@obspan/collector-core/analysis";
import { MessageSquare } from "lucide-react";
import { useMemo, useRef } from "react";
import { useElementWidth } from "../../../components/use-element-width.js";
import { formatWhole } from "../../../format.js";
import { useTracePage, useTraceView } from "../trace-page-context.js";
import { GraphEdges } from "./graph-edges.js";
import { GraphGroup, GraphNodeButton } from "./graph-node.js";
import { graphGeometry } from "./graph-geometry.js";
import { graphShape } from "./graph-shape.js";
import { GraphSteps } from "./graph-steps.js";
import { useGraph } from "./use-graph.js";
import { useGraphKeys } from "./use-graph-keys.js";
import { useGraphLayout } from "./use-graph-layout.js";
import buttonStyles from "../../../components/button.module.css";
import iconStyles from "../../../components/icon.module.css";
import pageStyles from "../../../components/page.module.css";
import textStyles from "../../../components/text.module.css";
import styles from "./graph-view.module.css";

/** Who calls whom in a run, how often, how long, and where it goes round. */
export default function GraphView() {
  const { view, isNarrow } = useTracePage();
  const model = useGraph();
  const { graph, current, isDrawable } = model;
  const element = useRef<HTMLDivElement>(null);
  const paneWidth = useElementWidth(element);
  const shape = useMemo(() => graphShape(graph), [graph]);
  const placed = useGraphLayout(shape);
  const geometry = useMemo(
    () => (placed === undefined ? undefined : graphGeometry(placed, graph.loops, paneWidth)),
    [placed, graph, paneWidth],
  );
  const chosenScale = useTraceView((state) => state.graphScale);
  const edgeWidth = useTraceView((state) => state.edgeWidth);
  const hits = useHits(graph);
  useGraphKeys({ element, model, geometry });
  const fit = geometry === undefined ? 1 : Math.min(1, paneWidth / geometry.width);
  // A graph that is too wide scrolls: smaller, it could not be read.
  const scale = chosenScale === "fit" ? fit : chosenScale;
  const inset = geometry === undefined ? 0 : Math.max(0, (paneWidth - geometry.width * scale) / 2);
  const choose = (id: string, spanId: string | undefined): void => {
    view.getState().chooseNode(id, spanId);
    if (isNarrow) view.getState().openOverlay();
  };
  const folded = graph.wholeSize - graph.nodes.length;
  return (
    <div className={styles.graph}>
      <div ref={element} className={styles.canvas} role="group" aria-label={summaryOf(model)} data-spans="">
        {!isDrawable ? (
          <div className={pageStyles.blank} tabIndex={0} role="status">
            <h2>Nothing to draw</h2>
            <p className={textStyles.dim}>
              A graph needs two that take part: an agent and a model, or a tool.
            </p>
            <button
              type="button"
              className={buttonStyles.button}
              onClick={() => view.getState().setView("transcript")}
            >
              <MessageSquare className={iconStyles.icon} aria-hidden />
              Open Transcript
            </button>
          </div>
        ) : geometry === undefined ? (
          <div className={styles.waiting} aria-busy="true" />
        ) : (
          <div style={{ width: geometry.width * scale + inset, height: geometry.height * scale }}>
            <div
              className={styles.drawing}
              style={{
                width: geometry.width,
                height: geometry.height,
                left: inset,
                transform: scale === 1 ? undefined : `scale(${scale})`,
              }}
            >
              <GraphEdges geometry={geometry} currentId={current?.id} width={edgeWidth} />
              {graph.servers.map((server) => {
                const place = geometry.groups.get(server.id);
                return place && <GraphGroup key={server.id} server={server} place={place} />;
              })}
              {geometry.nodes.map((placedNode) => (
                <GraphNodeButton
                  key={placedNode.node.id}
                  placed={placedNode}
                  isCurrent={placedNode.node.id === current?.id}
                  isHit={hits?.has(placedNode.node.id)}
                  loops={graph.loops.filter(({ nodeId }) => nodeId === placedNode.node.id)}
                  onChoose={choose}
                />
              ))}
            </div>
          </div>
        )}
        {folded > 0 && (
          <p className={styles.folded} role="status">
            {formatWhole(graph.nodes.length)} of {formatWhole(graph.wholeSize)} nodes: servers and those with
            the least time are folded
          </p>
        )}
      </div>
      {isDrawable && <GraphSteps />}
    </div>
  );
}

/** The nodes with spans that the search finds; undefined while nothing is searched. */
function useHits(graph: FoldedGraph): ReadonlySet<string> | undefined {
  const { found } = useTracePage();
  const isSearching = useTraceView((state) => state.search.trim() !== "");
  return useMemo(() => {
    if (!isSearching) return undefined;
    const hits = new Set<string>();
    for (const { id } of found) {
      const own = graph.nodeOf.get(id);
      const shown = own === undefined ? undefined : graph.shownAs.get(own);
      if (shown !== undefined) hits.add(shown);
    }
    return hits;
  }, [graph, found, isSearching]);
}

/** `4 agents, 3 models, 12 tools, 2 MCP servers`. */
function summaryOf({ graph: { nodes, servers } }: ReturnType<typeof useGraph>): string {
  const count = (kind: string): number => nodes.filter((node) => node.kind === kind).length;
  const part = (amount: number, one: string): string => `${amount} ${amount === 1 ? one : `${one}s`}`;
  return [
    part(count("agent"), "agent"),
    part(count("model"), "model"),
    part(count("tool") + count("retrieval"), "tool"),
    part(servers.length + count("server"), "MCP server"),
  ].join(", ");
}
