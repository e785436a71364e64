import { createStore } from "zustand/vanilla";
import { CollectorError, type CollectorApi } from "../api/collector-api.js";

export interface SessionState {
  /** `closed` if the collector requires a key and this browser has no session. */
  readonly phase: "open" | "closed";
  /** Whether the browser had access before. */
  readonly hasEnded: boolean;
  readonly isSigningIn: boolean;
  /** Why signing in failed. */
  readonly failure: string | undefined;
  /** Why signing out failed. */
  readonly signOutFailure: string | undefined;
  /** Whether the session was opened in this browser and can be closed here. */
  readonly isOpenedHere: boolean;
}

export interface SessionActions {
  /** Sends the key to the collector only. The browser keeps a cookie that scripts cannot read. */
  signIn(key: string): Promise<void>;
  signOut(): Promise<void>;
  dismissSignOutFailure(): void;
  /**
   * The collector requires a key.
   *
   * @param through - the source of the refusal.
   */
  refused(through: "feed" | "request"): void;
  /** The collector granted access. */
  admitted(): void;
}

export interface SessionStoreOptions {
  readonly api: Pick<CollectorApi, "openSession" | "closeSession" | "hasAccess">;
  /** Reconnects the live feed, which also informs other tabs. */
  readonly reconnect: () => void;
  /** Leaves the page and its data. */
  readonly leave: () => void;
  /** Where the existence of a session is stored, because its cookie is invisible to scripts. Default: localStorage. */
  readonly storage?: () => Pick<Storage, "getItem" | "setItem" | "removeItem">;
}

/** Access of this browser if keys are set (contract 3, `POST /v1/session`). */
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

      dismissSignOutFailure: () => set({ signOutFailure: undefined }),

      refused(through) {
        if (get().phase === "closed") return;
        set({ hasEnded: wasAdmitted || mark.isSet() });
        end();
        // The live feed still belongs to the ended session.
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

/** Stores that there is a session; does nothing if the browser forbids storage. */
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
