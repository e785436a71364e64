import { useEffect, useMemo, useRef, useState } from "react";
import type { LayoutAnswer, LayoutRequest } from "./layout-messages.js";
import type { GraphShape } from "./graph-shape.js";

/** A shape with the places of its boxes. */
export interface PlacedShape {
  readonly shape: GraphShape;
  readonly answer: LayoutAnswer;
}

/** What the worker is asked; equal for shapes that look the same, so that a running trace does not ask again and again. */
function requestOf({ boxes, forward, rows }: GraphShape): Omit<LayoutRequest, "id"> {
  const layers = new Map(boxes.map(({ id, layer }) => [id, layer]));
  const boxOf = new Map(rows.map(({ node, boxId }) => [node.id, boxId]));
  return {
    boxes: boxes.map(({ id, height, layer }) => ({ id, height, layer })),
    edges: forward.map(({ id, from, to }) => {
      const [start, end] = [boxOf.get(from) ?? from, boxOf.get(to) ?? to];
      const span = (layers.get(end) ?? 0) - (layers.get(start) ?? 0);
      return { id, from: start, to: end, layers: Math.max(1, span) };
    }),
  };
}

/** Lays a graph out in a worker. @returns undefined until the first layout is there. */
export function useGraphLayout(shape: GraphShape): PlacedShape | undefined {
  const [placed, setPlaced] = useState<PlacedShape>();
  const [failure, setFailure] = useState<Error>();
  const worker = useRef<Worker>(undefined);
  const latest = useRef(shape);
  const asked = useRef(0);
  const request = useMemo(() => JSON.stringify(requestOf(shape)), [shape]);
  useEffect(() => {
    latest.current = shape;
    // Figures change more often than places.
    setPlaced((known) => (known?.answer.id === asked.current ? { shape, answer: known.answer } : known));
  }, [shape]);

  useEffect(() => {
    const started = new Worker(new URL("./layout-worker.ts", import.meta.url), {
      type: "module",
      name: "obspan-graph",
    });
    worker.current = started;
    started.onmessage = ({ data }: MessageEvent<LayoutAnswer>) => {
      if (data.id === asked.current) setPlaced({ shape: latest.current, answer: data });
    };
    started.onerror = ({ message }) => setFailure(new Error(`The graph cannot be laid out: ${message}`));
    return () => {
      started.terminate();
      worker.current = undefined;
    };
  }, []);
  useEffect(() => {
    const id = ++asked.current;
    worker.current?.postMessage({ id, ...(JSON.parse(request) as Omit<LayoutRequest, "id">) });
  }, [request]);
  // Shown by the error boundary of the view, which retries.
  if (failure !== undefined) throw failure;
  return placed;
}
