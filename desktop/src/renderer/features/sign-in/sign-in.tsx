import { CircleAlert, LoaderCircle } from "lucide-react";
import { useEffect, useId, useRef, useState, type SubmitEvent } from "react";
import { useSession, useStores } from "../../app-context.js";
import { Mark } from "../../components/mark.js";
import { isLoopback } from "../../loopback.js";
import { leaveOverlay } from "../frame/overlays.js";
import { classNames } from "../../components/class-names.js";
import buttonStyles from "../../components/button.module.css";
import iconStyles from "../../components/icon.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./sign-in.module.css";

/** The sign-in page, shown while the collector requires a key. */
export function SignIn() {
  const hasEnded = useSession((session) => session.hasEnded);
  useRestoredFocus();
  return (
    <main className={styles.signIn}>
      <div className={styles.signInBody}>
        <header>
          <Mark />
          <h1>{hasEnded ? "Your session has ended" : "Sign in"}</h1>
          <p className={textStyles.dim}>
            {hasEnded ? "Sign in again to continue." : "This collector asks for an API key."}
          </p>
        </header>
        <KeyForm />
        <footer>
          <p>
            Use any of <span className={textStyles.mono}>auth.api_keys</span>. The browser gets a session of
            12 hours and keeps no key.
          </p>
          {isUnencrypted() && (
            <p className={textStyles.warn}>
              The connection is not encrypted: others on the network could read the key.
            </p>
          )}
        </footer>
      </div>
    </main>
  );
}

function KeyForm() {
  const { session } = useStores();
  const isSigningIn = useSession((state) => state.isSigningIn);
  const failure = useSession((state) => state.failure);
  const [key, setKey] = useState("");
  const input = useRef<HTMLInputElement>(null);
  const id = useId();

  useEffect(() => input.current?.focus(), []);
  // A wrong key is selected, so that it can be retyped or corrected.
  useEffect(() => {
    if (failure !== undefined) input.current?.select();
  }, [failure]);

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    // Copied keys often include whitespace.
    const trimmed = key.trim();
    if (trimmed === "") input.current?.focus();
    else void session.getState().signIn(trimmed);
  }

  return (
    <form onSubmit={submit}>
      <label htmlFor={id}>
        API key of <span className={textStyles.mono}>{window.location.host}</span>
      </label>
      <input
        ref={input}
        id={id}
        type="password"
        autoComplete="current-password"
        autoCapitalize="off"
        spellCheck={false}
        value={key}
        aria-invalid={failure !== undefined}
        aria-describedby={failure === undefined ? undefined : `${id}-failure`}
        onChange={(event) => setKey(event.target.value)}
      />
      {failure !== undefined && (
        <p id={`${id}-failure`} className={styles.failure} role="alert">
          <CircleAlert className={iconStyles.small} aria-hidden />
          {failure}
        </p>
      )}
      <button
        type="submit"
        className={classNames(buttonStyles.button, buttonStyles.primary, buttonStyles.large)}
        aria-disabled={isSigningIn}
      >
        {isSigningIn && <LoaderCircle className={classNames(iconStyles.icon, iconStyles.spin)} aria-hidden />}
        Sign in
      </button>
    </form>
  );
}

/** Restores the focus when the page closes. */
function useRestoredFocus(): void {
  const [before] = useState(() => document.activeElement);
  useEffect(() => {
    leaveOverlay();
    return () => {
      if (before instanceof HTMLElement) before.focus({ preventScroll: true });
    };
  }, [before]);
}

function isUnencrypted(): boolean {
  return window.location.protocol === "http:" && !isLoopback();
}
