import { createStore } from "zustand/vanilla";
import { CollectorError, type CollectorApi } from "../api/collector-api.js";

export interface SessionState {
  /** `closed` where the collector wants a key, and this browser has no session. */
  readonly phase: "open" | "closed";
  /** There was a session, or no need of one, before. */
  readonly hasEnded: boolean;
  readonly isSigningIn: boolean;
  /** Why signing in failed, for the reader. */
  readonly failure: string | undefined;
  /** Why signing out failed. */
  readonly signOutFailure: string | undefined;
  /** The session was opened in this browser: there is one to sign out of. */
  readonly isOpenedHere: boolean;
}

export interface SessionActions {
  /** The key goes to the collector, and nowhere else: what the browser keeps is a cookie that no script can read. */
  signIn(key: string): Promise<void>;
  signOut(): Promise<void>;
  forgetSignOutFailure(): void;
  /** The collector wants a key. @param through - what it said so to. */
  refused(through: "feed" | "request"): void;
  /** The collector lets this browser read. */
  admitted(): void;
}

export interface SessionStoreOptions {
  readonly api: Pick<CollectorApi, "openSession" | "closeSession" | "hasAccess">;
  /** Connects the live feed anew, by which other tabs learn of it too. */
  readonly reconnect: () => void;
  /** Leaves the page with all that was read. */
  readonly leave: () => void;
  /** Where is kept that there is a session, since its cookie cannot be seen. Default: localStorage. */
  readonly storage?: () => Pick<Storage, "getItem" | "setItem" | "removeItem">;
}

/** Whether this browser may read what the collector has, where keys are set (contract 3, `POST /v1/session`). */
export function createSessionStore({
  api,
  reconnect,
  leave,
  storage = () => localStorage,
}: SessionStoreOptions) {
  const mark = createMark(storage);

  return createStore<SessionState & SessionActions>()((set, get) => {
    let wasAdmitted = false;

    function end(): void {
      mark.remove();
      set({ phase: "closed", isOpenedHere: false, failure: undefined, signOutFailure: undefined });
    }

    return {
      phase: "open",
      hasEnded: false,
      isSigningIn: false,
      failure: undefined,
      signOutFailure: undefined,
      isOpenedHere: mark.isSet(),

      async signIn(key) {
        if (get().isSigningIn) return;
        set({ isSigningIn: true, failure: undefined });
        try {
          await api.openSession(key);
          if (await api.hasAccess()) {
            mark.set();
            set({ phase: "open", isOpenedHere: true });
            reconnect();
          } else set({ failure: NO_COOKIE });
        } catch (error) {
          set({ failure: inWords(error) });
        } finally {
          set({ isSigningIn: false });
        }
      },

      async signOut() {
        set({ signOutFailure: undefined });
        try {
          await api.closeSession();
        } catch (error) {
          set({ signOutFailure: `Not signed out. ${inWords(error)}` });
          return;
        }
        end();
        reconnect();
        leave();
      },

      forgetSignOutFailure: () => set({ signOutFailure: undefined }),

      refused(through) {
        if (get().phase === "closed") return;
        set({ hasEnded: wasAdmitted || mark.isSet() });
        end();
        // What the live feed still brings was for the session that has ended.
        if (through === "request") reconnect();
      },

      admitted() {
        wasAdmitted = true;
        set({ phase: "open", isOpenedHere: mark.isSet() });
      },
    };
  });
}
export type SessionStore = ReturnType<typeof createSessionStore>;

const STORED_AS = "obspan.signed-in";

/** Remembers that there is a session. Where the browser lets pages store nothing, nothing is remembered. */
function createMark(storage: NonNullable<SessionStoreOptions["storage"]>) {
  const attempt = <T>(action: () => T, otherwise: T): T => {
    try {
      return action();
    } catch {
      return otherwise;
    }
  };
  return {
    isSet: (): boolean => attempt(() => storage().getItem(STORED_AS) !== null, false),
    set: (): void => attempt(() => storage().setItem(STORED_AS, "yes"), undefined),
    remove: (): void => attempt(() => storage().removeItem(STORED_AS), undefined),
  };
}

const NO_COOKIE =
  "The key is right, but the browser did not keep the cookie of the session. Allow cookies for this page, then sign in again.";

function inWords(error: unknown): string {
  if (!(error instanceof CollectorError)) return error instanceof Error ? error.message : String(error);
  return error.code === "unauthorized" ? "The collector does not know this key." : error.message;
}
