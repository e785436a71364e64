import { describe, expect, it, vi } from "vitest";
import { CollectorError } from "../../../src/renderer/api/collector-api.js";
import { createSessionStore } from "../../../src/renderer/store/session-store.js";

const WRONG_KEY = new CollectorError("unauthorized", "The API key is not in auth.api_keys.");
const AWAY = new CollectorError("unreachable", "The collector does not answer.");

function start(stored = new Map<string, string>()) {
  const api = {
    openSession: vi.fn<(key: string) => Promise<void>>(async () => undefined),
    closeSession: vi.fn(async () => undefined),
    hasAccess: vi.fn(async () => true),
  };
  const reconnect = vi.fn();
  const leave = vi.fn();
  const storage = {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => void stored.set(name, value),
    removeItem: (name: string) => void stored.delete(name),
  };
  const store = createSessionStore({ api, reconnect, leave, storage: () => storage });
  return { api, reconnect, leave, stored, state: store.getState };
}

describe("contract 3, POST /v1/session: the session of a browser", () => {
  it("closes at the first refusal, and informs the other tabs once", () => {
    const { state, reconnect } = start();
    state().refused("request");
    state().refused("request");
    state().refused("feed");
    expect(state()).toMatchObject({ phase: "closed", hasEnded: false });
    expect(reconnect).toHaveBeenCalledTimes(1);
  });

  it("opens with a key, which is stored nowhere", async () => {
    const { state, api, reconnect, stored } = start();
    state().refused("feed");
    await state().signIn("the-key");
    expect(api.openSession).toHaveBeenCalledWith("the-key");
    expect(state()).toMatchObject({ phase: "open", isOpenedHere: true, failure: undefined });
    expect(reconnect).toHaveBeenCalledTimes(1);
    expect(JSON.stringify([...stored, state()])).not.toContain("the-key");
  });

  it("stays closed with a wrong key and reports it; the next attempt clears the message", async () => {
    const { state, api } = start();
    state().refused("feed");
    api.openSession.mockRejectedValueOnce(WRONG_KEY);
    await state().signIn("wrong");
    expect(state()).toMatchObject({ phase: "closed", failure: "The collector does not know this key." });
    api.openSession.mockRejectedValueOnce(AWAY);
    const attempt = state().signIn("right");
    expect(state()).toMatchObject({ isSigningIn: true, failure: undefined });
    await attempt;
    expect(state()).toMatchObject({ isSigningIn: false, failure: AWAY.message });
  });

  it("explains the problem if the browser stores no cookie", async () => {
    const { state, api } = start();
    state().refused("feed");
    api.hasAccess.mockResolvedValueOnce(false);
    await state().signIn("the-key");
    expect(state().phase).toBe("closed");
    expect(state().failure).toContain("cookie");
  });

  it("has ended if data was shown before, in this page or before its reload", () => {
    const shown = start();
    shown.state().admitted();
    shown.state().refused("request");
    expect(shown.state().hasEnded).toBe(true);
    const reloaded = start(new Map([["obspan.signed-in", "yes"]]));
    expect(reloaded.state().isOpenedHere).toBe(true);
    reloaded.state().refused("feed");
    expect(reloaded.state()).toMatchObject({ hasEnded: true, isOpenedHere: false });
    expect(reloaded.stored.size).toBe(0);
  });

  it("opens when another tab has signed in", () => {
    const { state, stored } = start();
    state().refused("feed");
    stored.set("obspan.signed-in", "yes");
    state().admitted();
    expect(state()).toMatchObject({ phase: "open", isOpenedHere: true });
  });

  it("leaves the page and its data on sign-out, but only after the collector has answered", async () => {
    const { state, api, leave, stored } = start();
    await state().signIn("the-key");
    api.closeSession.mockRejectedValueOnce(AWAY);
    await state().signOut();
    expect(leave).not.toHaveBeenCalled();
    expect(state()).toMatchObject({
      phase: "open",
      signOutFailure: "Not signed out. The collector does not answer.",
    });
    await state().signOut();
    expect(leave).toHaveBeenCalledTimes(1);
    expect(stored.size).toBe(0);
  });

  it("works if the browser forbids storage", async () => {
    const store = createSessionStore({
      api: {
        openSession: async () => undefined,
        closeSession: async () => undefined,
        hasAccess: async () => true,
      },
      reconnect: () => undefined,
      leave: () => undefined,
      storage: () => {
        throw new DOMException("denied", "SecurityError");
      },
    });
    await store.getState().signIn("the-key");
    expect(store.getState().phase).toBe("open");
  });
});
