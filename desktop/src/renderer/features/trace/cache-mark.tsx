import { useContextOfCall } from "../../app-context.js";
import { classNames } from "../../components/class-names.js";
import badgeStyles from "../../components/badge.module.css";
import styles from "./repeat-mark.module.css";

/** Marks a model call that did not read the prompt cache as far as it could, or one of several. */
export function CacheMark({ ids }: { ids: readonly string[] }) {
  const hasBroken = useContextOfCall(({ broken }) => ids.some((id) => broken.has(id)));
  if (!hasBroken) return null;
  return (
    <span
      className={classNames(badgeStyles.warn, styles.repeat)}
      data-tip="Tokens that were in the prompt cache were billed again. The tab Context of the call says why."
    >
      cache broke
    </span>
  );
}
