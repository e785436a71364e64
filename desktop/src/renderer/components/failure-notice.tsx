import { classNames } from "./class-names.js";
import buttonStyles from "./button.module.css";
import textStyles from "./text.module.css";
import styles from "./failure-notice.module.css";

/** A part of the page that could not be drawn. */
export interface Failure {
  /** What was thrown. */
  readonly message: string;
  readonly retry: () => void;
}

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
