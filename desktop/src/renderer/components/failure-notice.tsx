import type { Failure } from "./error-boundary.js";
import { classNames } from "./class-names.js";
import buttonStyles from "./button.module.css";
import textStyles from "./text.module.css";
import styles from "./failure-notice.module.css";

/** Says in place of a part that the part cannot be shown. */
export function FailureNotice({ name, message, retry }: Failure & { readonly name: string }) {
  return (
    <div className={styles.notice} role="alert">
      <p className={textStyles.break}>
        {name} cannot be shown: {message}
      </p>
      <button type="button" className={classNames(buttonStyles.button, buttonStyles.small)} onClick={retry}>
        Try again
      </button>
    </div>
  );
}
