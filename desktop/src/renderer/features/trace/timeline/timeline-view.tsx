import { useCallback, useEffect, useMemo, useRef, type CSSProperties } from "react";
import { criticalPath, type CriticalPath, type SpanNode } from "@obspan/collector-core/analysis";
import { usePreferences } from "../../../app-context.js";
import { useElementWidth } from "../../../components/use-element-width.js";
import { useTraceNow } from "../hooks/use-trace-now.js";
import { useWheelZoom } from "../hooks/use-wheel-zoom.js";
import { fitWindow, revealWindow, shareOf, ticksOf, windowBetween } from "../model/time-scale.js";
import { SpanGrid } from "../span-grid.js";
import { INDENT } from "../span-label.js";
import { useTracePage, useTraceView } from "../trace-page-context.js";
import { Minimap } from "./minimap.js";
import { NameResizer } from "./name-resizer.js";
import { nameWidthIn } from "./name-width.js";
import { TimelineRow } from "./timeline-row.js";
import styles from "./timeline-view.module.css";

/** Space on both sides of the track. */
const TRACK_INSET = 20;
/** Smallest distance between ruler lines, in pixels. */
const TICK_WIDTH = 100;
/** Width that the most indented name keeps for itself and its duration. */
const LABEL_WIDTH = 168;

const NO_PATH: CriticalPath = new Map();

/** The timeline of the spans as a waterfall. */
export function TimelineView() {
  const { tree, view, selected } = useTracePage();
  const scroller = useRef<HTMLDivElement>(null);
  const width = useElementWidth(scroller);
  const chosenName = usePreferences((preferences) => preferences.nameWidth);
  const nameWidth = nameWidthIn(width, chosenName);
  const trackWidth = Math.max(0, width - nameWidth - TRACK_INSET);
  const maxTicks = Math.max(2, Math.floor(trackWidth / TICK_WIDTH));

  const nowMs = useTraceNow();
  const whole = useMemo(() => fitWindow(nowMs, maxTicks), [nowMs, maxTicks]);
  const zoomed = useTraceView((state) => state.window);
  const shown = zoomed ?? whole;
  const showsPath = useTraceView((state) => state.showsCriticalPath);
  const path = useMemo(() => (showsPath ? criticalPath(tree, nowMs) : NO_PATH), [showsPath, tree, nowMs]);
  const ticks = useMemo(() => ticksOf(shown, maxTicks), [shown, maxTicks]);

  useEffect(() => view.getState().setWhole(whole), [view, whole]);
  useEffect(() => {
    const { window: before } = view.getState();
    if (before === undefined || selected === undefined) return;
    const endMs = selected.endMs ?? whole.endMs;
    view.getState().setWindow(revealWindow(before, whole, { startMs: selected.startMs, endMs }));
    // Only when the selection changes: the user may have moved the window away from it.
  }, [view, selected?.id]);

  useWheelZoom(scroller, nameWidth + 8, trackWidth, shown, whole);
  const zoomToSpan = useCallback(
    ({ startMs, endMs }: SpanNode) => {
      const end = endMs ?? nowMs;
      const margin = (end - startMs) * 0.08;
      view.getState().setWindow(windowBetween(startMs - margin, end + margin, whole));
    },
    [view, nowMs, whole],
  );

  const style = { "--name": `${nameWidth}px`, "--track": `${trackWidth}px` } as CSSProperties;
  return (
    <div className={styles.waterfall} style={style}>
      <Minimap shown={shown} whole={whole} nowMs={nowMs} width={trackWidth} isZoomed={zoomed !== undefined} />
      <div className={styles.ruler} aria-hidden>
        {ticks.map(({ ms, label }) => (
          <span
            key={ms}
            className={tickClass(shareOf(shown, ms))}
            style={{ left: shareOf(shown, ms) * trackWidth }}
          >
            {label}
          </span>
        ))}
      </div>
      {width > 0 && <NameResizer width={nameWidth} viewWidth={width} />}
      <SpanGrid
        scroller={scroller}
        style={{}}
        columns={2}
        onOpen={zoomToSpan}
        guides={<Guides offsets={ticks.map(({ ms }) => shareOf(shown, ms) * trackWidth)} />}
        renderRow={(node) => (
          <TimelineRow
            node={node}
            path={path.get(node.id)}
            window={shown}
            trackWidth={trackWidth}
            maxIndent={Math.max(2, Math.floor((nameWidth - LABEL_WIDTH) / INDENT))}
            nowMs={node.endMs === undefined ? nowMs : node.endMs}
            lastMs={tree.endMs}
          />
        )}
      />
    </div>
  );
}

/** The ruler lines behind the rows. */
function Guides({ offsets }: { offsets: readonly number[] }) {
  return (
    <div className={styles.guides} aria-hidden>
      {offsets.map((left) => (
        <i key={left} style={{ left }} />
      ))}
    </div>
  );
}

/** Labels at the edges are shifted inside. */
function tickClass(share: number): string | undefined {
  if (share < 0.02) return styles.first;
  return share > 0.97 ? styles.last : undefined;
}
