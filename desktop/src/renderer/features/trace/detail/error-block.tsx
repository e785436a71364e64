import { CircleAlert } from "lucide-react";
import { attributeOf, isLongText, textOf } from "@obspan/collector-core/analysis";
import { LongTextView } from "./long-text.js";
import { useSpanDetail } from "./span-detail-context.js";
import iconStyles from "../../../components/icon.module.css";
import textStyles from "../../../components/text.module.css";
import styles from "./error-block.module.css";

/** Why the span failed. */
export function ErrorBlock() {
  const { span } = useSpanDetail();
  const message = attributeOf(span, "error_message");
  const stack = attributeOf(span, "error_stack");
  const type = textOf(span, "error_type");
  const hasReason = type !== undefined || isLongText(message) || isLongText(stack);
  if (span.status !== "ERROR" && !hasReason) return null;
  return (
    <section className={styles.errorBlock} aria-label="Error">
      <header>
        <CircleAlert className={iconStyles.icon} aria-hidden />
        <b>{type ?? "Error"}</b>
        {span.error_propagated === true && <span className={textStyles.faint}>from a child span</span>}
        {!hasReason && <span className={textStyles.faint}>no reason given</span>}
      </header>
      {isLongText(message) && <LongTextView text={message} kind="code" />}
      {isLongText(stack) && (
        <details>
          <summary>Stack</summary>
          <LongTextView text={stack} kind="code" />
        </details>
      )}
    </section>
  );
}
