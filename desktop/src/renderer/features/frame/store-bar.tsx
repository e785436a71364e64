import { useConnection } from "../../app-context.js";
import { degradedWords, rebuildText, unsavedText, type StoreStatus } from "../../components/store-words.js";
import { classNames } from "../../components/class-names.js";
import alertBarStyles from "../../components/alert-bar.module.css";
import statusDotStyles from "../../components/status-dot.module.css";

/** Reports that the trace store does not keep or show traces as it should. It goes when the store is well again. */
export function StoreBar() {
  const store = useConnection(({ status }) => status?.store);
  const message = store == null ? undefined : messageOf(store);
  if (message === undefined) return null;
  const { what, details, isLosing } = message;
  return (
    <div
      className={classNames(alertBarStyles.bar, alertBarStyles.text, !isLosing && alertBarStyles.warn)}
      // Polite: the text changes with every lost span.
      role="region"
      aria-label="Trace store"
    >
      <i className={isLosing ? statusDotStyles.error : statusDotStyles.warn} aria-hidden />
      <p>
        <b role="status">{what}</b> {details}
      </p>
    </div>
  );
}

function messageOf(store: StoreStatus) {
  const words = degradedWords(store);
  if (words !== undefined) {
    const { what, reason, remedy, isLosing } = words;
    return { what, details: `${reason} ${remedy} ${unsavedText(store.unsaved_spans)}`, isLosing };
  }
  const details = rebuildText(store);
  if (details === undefined) return undefined;
  return { what: "The index of the trace store is being rebuilt.", details, isLosing: false };
}
