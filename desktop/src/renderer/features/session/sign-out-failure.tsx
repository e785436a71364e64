import { X } from "lucide-react";
import { useSession, useStores } from "../../app-context.js";

/** Says that the session is still open: nobody should walk away in the belief that it is not. */
export function SignOutFailure() {
  const { session } = useStores();
  const failure = useSession((state) => state.signOutFailure);
  if (failure === undefined) return null;
  return (
    <div className="offline" role="alert">
      <i className="dot error" aria-hidden />
      <span className="grow cut">{failure}</span>
      <button
        type="button"
        className="btn ghost sm square"
        aria-label="Close"
        onClick={() => session.getState().forgetSignOutFailure()}
      >
        <X className="icon" aria-hidden />
      </button>
    </div>
  );
}
