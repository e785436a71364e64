import { isOneCall } from "@obspan/collector-core/analysis";
import type { CallContext } from "@obspan/collector-core/api-schema";
import { useMemo } from "react";
import { useContextOfCall, useStores } from "../../../../app-context.js";
import { FailureNotice } from "../../../../components/failure-notice.js";
import { classNames } from "../../../../components/class-names.js";
import textStyles from "../../../../components/text.module.css";
import { useSpanDetail } from "../span-detail-context.js";
import { AgentCalls } from "./agent-calls.js";
import { CacheBreakView } from "./cache-break.js";
import { CallDiff } from "./call-diff.js";
import { Duplicates } from "./duplicates.js";
import { WindowParts } from "./window-parts.js";
import styles from "./context.module.css";

/** What fills the context window of the selected model call, and why its cache broke. */
export default function ContextTab() {
  const { node, span } = useSpanDetail();
  const { context: store } = useStores();
  const context = useContextOfCall((state) => (state.spanId === span.span_id ? state.context : undefined));
  const error = useContextOfCall((state) => (state.spanId === span.span_id ? state.error : undefined));
  const isCall = useMemo(() => isOneCall(node), [node]);
  if (!isCall)
    return (
      <p className={classNames(textStyles.nothing, styles.nothing)}>
        {span.span_type === "llm"
          ? "This contains several calls of a model: each of them has a context."
          : "Only a call of a model has a context."}
      </p>
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
      <CallDiff context={context} />
      <Duplicates context={context} />
    </div>
  );
}
