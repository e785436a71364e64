import { useConnection } from "../../app-context.js";
import { degradedWords, unsavedText } from "../../components/store-words.js";
import { classNames } from "../../components/class-names.js";
import alertBarStyles from "../../components/alert-bar.module.css";
import statusDotStyles from "../../components/status-dot.module.css";

/** Reports that the trace store does not keep traces as it should. It goes when the store is well again. */
export function StoreBar() {
  const store = useConnection(({ status }) => status?.store);
  const words = store == null ? undefined : degradedWords(store);
  if (store == null || words === undefined) return null;
  const { what, reason, remedy, isLosing } = words;
  return (
    <div
      className={classNames(alertBarStyles.bar, alertBarStyles.text, !isLosing && alertBarStyles.warn)}
      // Polite: the text changes with every lost span.
      role="region"
      aria-label="Trace store"
    >
      <i className={isLosing ? statusDotStyles.error : statusDotStyles.warn} aria-hidden />
      <p>
        <b role="status">{what}</b> {reason} {remedy} {unsavedText(store.unsaved_spans)}
      </p>
    </div>
  );
}
