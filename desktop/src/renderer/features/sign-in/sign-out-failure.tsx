import { X } from "lucide-react";
import { useSession, useStores } from "../../app-context.js";
import { classNames } from "../../components/class-names.js";
import { ICON_BUTTON } from "../../components/icon-button-class.js";
import alertBarStyles from "../../components/alert-bar.module.css";
import iconStyles from "../../components/icon.module.css";
import statusDotStyles from "../../components/status-dot.module.css";
import textStyles from "../../components/text.module.css";

/** Reports that signing out failed and the session is still open. */
export function SignOutFailure() {
  const { session } = useStores();
  const failure = useSession((state) => state.signOutFailure);
  if (failure === undefined) return null;
  return (
    <div className={alertBarStyles.bar} role="alert">
      <i className={statusDotStyles.error} aria-hidden />
      <span className={classNames(textStyles.grow, textStyles.cut)}>{failure}</span>
      <button
        type="button"
        className={ICON_BUTTON}
        aria-label="Close"
        onClick={() => session.getState().dismissSignOutFailure()}
      >
        <X className={iconStyles.icon} aria-hidden />
      </button>
    </div>
  );
}
