import { type SpanNode, truncatedBytes } from "@obspan/collector-core/analysis";
import type { NormalizedSpan } from "@obspan/collector-core/api-schema";
import { createContext, use, useEffect, useMemo, type ReactNode } from "react";
import { useStores, useTrace } from "../../../app-context.js";

/** The selected span, as far as it is loaded. */
export interface SpanDetail {
  readonly node: SpanNode;
  /** Has its full texts once they are loaded. */
  readonly span: NormalizedSpan;
  readonly isWhole: boolean;
  /** Size of the texts that are only previews. */
  readonly missingBytes: number;
  readonly isLoading: boolean;
  /** Why loading failed. */
  readonly problem: string | undefined;
  /** Loads the missing texts. */
  readonly load: () => void;
}

/** Spans with no more missing bytes than this are loaded when selected. */
const LOADED_ON_SELECT_BYTES = 256_000;
/** Delay, so that moving with the arrow keys does not load every span. */
const SETTLE_MS = 200;

const SpanDetailContext = createContext<SpanDetail | undefined>(undefined);

export function SpanDetailProvider({ node, children }: { node: SpanNode; children: ReactNode }) {
  const { trace } = useStores();
  const whole = useTrace((state) => (Object.hasOwn(state.whole, node.id) ? state.whole[node.id] : undefined));
  const isLoading = useTrace((state) => state.loadingWhole.has(node.id));
  const problem = useTrace((state) =>
    Object.hasOwn(state.wholeErrors, node.id) ? state.wholeErrors[node.id]?.message : undefined,
  );
  const span = whole ?? node.span;
  const isWhole = whole !== undefined;
  const missingBytes = useMemo(
    () => (isWhole ? 0 : truncatedBytes(span.attributes) + truncatedBytes(span.events)),
    [span, isWhole],
  );

  const isFetchedAtOnce = missingBytes > 0 && missingBytes <= LOADED_ON_SELECT_BYTES;
  useEffect(() => {
    if (!isFetchedAtOnce) return;
    const timer = setTimeout(() => void trace.getState().loadWhole(node.id), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [trace, node.id, isFetchedAtOnce]);

  const detail = useMemo(
    () => ({
      node,
      span,
      isWhole,
      missingBytes,
      isLoading,
      problem,
      load: () => void trace.getState().loadWhole(node.id),
    }),
    [node, span, isWhole, missingBytes, isLoading, problem, trace],
  );
  return <SpanDetailContext value={detail}>{children}</SpanDetailContext>;
}

export function useSpanDetail(): SpanDetail {
  const detail = use(SpanDetailContext);
  if (detail === undefined) throw new Error("useSpanDetail needs a SpanDetailProvider above it.");
  return detail;
}
