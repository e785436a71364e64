import type { ReactNode } from "react";
import { useStores } from "../../app-context.js";
import { ErrorBoundary } from "../../components/error-boundary.js";

interface PartProps {
  readonly name: string;
  readonly resetKey?: unknown;
  readonly children: ReactNode;
}

/** A part of the trace page. When it cannot be drawn, the others stay; the retry fetches the trace again. */
export function Part(props: PartProps) {
  const { trace } = useStores();
  return <ErrorBoundary {...props} beforeRetry={() => trace.getState().refresh()} />;
}
