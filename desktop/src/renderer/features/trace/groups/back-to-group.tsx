import { ChevronLeft } from "lucide-react";
import { classNames } from "../../../components/class-names.js";
import { focusSpans } from "../hooks/use-selection.js";
import { useTracePage } from "../trace-page-context.js";
import buttonStyles from "../../../components/button.module.css";
import iconStyles from "../../../components/icon.module.css";
import styles from "./groups.module.css";

/** Leads from an opened span back to the part of the view that it belongs to. */
export function BackToGroup() {
  const { view } = useTracePage();
  const close = (): void => {
    view.getState().setSpanOpen(false);
    focusSpans();
  };
  return (
    <div className={styles.back}>
      <button
        type="button"
        className={classNames(buttonStyles.button, buttonStyles.ghost, buttonStyles.small)}
        data-tip="Show all spans of this part  Esc"
        onClick={close}
      >
        <ChevronLeft className={iconStyles.icon} aria-hidden />
        All spans of this part
      </button>
    </div>
  );
}
