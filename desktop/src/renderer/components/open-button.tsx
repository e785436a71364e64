import { ArrowUpRight } from "lucide-react";
import iconStyles from "./icon.module.css";
import styles from "./open-button.module.css";

/** Opens the span of a row. The row itself does not take the click. */
export function OpenButton({ label, onOpen }: { label: string; onOpen: () => void }) {
  return (
    <button
      type="button"
      className={styles.open}
      aria-label={label}
      data-tip="Open the span"
      onClick={(event) => {
        event.stopPropagation();
        onOpen();
      }}
    >
      <ArrowUpRight className={iconStyles.tiny} aria-hidden />
    </button>
  );
}
