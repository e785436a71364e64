import { useEffect } from "react";
import type { CallContext } from "@obspan/collector-core/api-schema";
import { useContextOfCall, useStores, useTrace } from "../../../../app-context.js";
import { FailureNotice } from "../../../../components/failure-notice.js";
import { classNames } from "../../../../components/class-names.js";
import textStyles from "../../../../components/text.module.css";
import { useSpanDetail } from "../span-detail-context.js";
import { AgentCalls } from "./agent-calls.js";
import { CacheBreakView } from "./cache-break.js";
import { Duplicates } from "./duplicates.js";
import { WindowParts } from "./window-parts.js";
import styles from "./context.module.css";

/** Delay, so that moving with the arrow keys does not read every context. */
const SETTLE_MS = 150;

/** What fills the context window of the selected model call, and why its cache broke. */
export default function ContextTab() {
  const { span } = useSpanDetail();
  const { context: store } = useStores();
  const traceId = useTrace((state) => state.traceId);
  const tenant = useTrace((state) => state.tenant);
  const context = useContextOfCall((state) => (state.spanId === span.span_id ? state.context : undefined));
  const error = useContextOfCall((state) => (state.spanId === span.span_id ? state.error : undefined));
  const isCall = span.span_type === "llm";
  const version = `${span.status} ${span.duration_ms}`;
  useEffect(() => {
    if (!isCall || traceId === undefined) return;
    const timer = setTimeout(() => void store.getState().open({ traceId, tenant }, span.span_id), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [store, traceId, tenant, span.span_id, isCall, version]);

  if (!isCall)
    return (
      <p className={classNames(textStyles.nothing, styles.nothing)}>Only a call of a model has a context.</p>
    );
  if (error !== undefined)
    return (
      <FailureNotice
        name="The context"
        message={error.message}
        retry={() => void store.getState().refresh()}
      />
    );
  if (context === undefined) return <div aria-busy="true" />;
  return <Context context={context} />;
}

function Context({ context }: { context: CallContext }) {
  return (
    <div className={styles.context}>
      <WindowParts context={context} />
      <AgentCalls context={context} />
      <CacheBreakView context={context} />
      <Duplicates context={context} />
    </div>
  );
}
