import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { LiveEvent } from "@obspan/collector-core/api-schema";
import type { OpenLiveFeed } from "../../../src/renderer/api/live-feed.js";
import { connect, createConnectionStore } from "../../../src/renderer/store/connection-store.js";

type Message = Parameters<Parameters<OpenLiveFeed>[0]>[0];

/** A store, and how to pass it messages of the feed. */
function connected(onConnected: (unchangedMs: number) => void = () => undefined) {
  const store = createConnectionStore();
  let send: (message: Message) => void = () => undefined;
  const nothing = (): void => undefined;
  connect(
    store,
    (onMessage) => {
      send = onMessage;
      return { close: nothing } as unknown as ReturnType<OpenLiveFeed>;
    },
    { onEvent: nothing, onAdmitted: nothing, onUnauthorized: nothing, onConnected },
  );
  const status = (uptimeSeconds: number, startedAt = "2026-01-01T00:00:00.000Z"): void => {
    const data = { started_at: startedAt, uptime_seconds: uptimeSeconds, spans_per_second: 0 };
    send({ type: "event", event: { type: "status", data } as unknown as LiveEvent });
  };
  return {
    store,
    status,
    send: (type: "connected" | "disconnected") =>
      send(type === "connected" ? { type, unchangedMs: 5000 } : { type }),
  };
}

describe("a collector has restarted", () => {
  beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
  afterEach(() => void vi.useRealTimers());

  it("if it tells another time of its start, although that is a millisecond later and it runs for longer", () => {
    const { store, status, send } = connected();
    send("connected");
    status(60);
    expect(store.getState()).toMatchObject({ hasRestarted: false, startedAtMs: 940_000 });
    send("disconnected");
    vi.advanceTimersByTime(10_000);
    send("connected");
    status(70, "2026-01-01T00:00:00.001Z");
    expect(store.getState()).toMatchObject({ hasRestarted: true, startedAtMs: 940_000 });
    status(71, "2026-01-01T00:00:00.001Z");
    expect(store.getState()).toMatchObject({ hasRestarted: true, startedAtMs: 940_000 });
  });

  it("not if it was only out of reach, or its status is late", () => {
    const { store, status, send } = connected();
    send("connected");
    status(1);
    send("disconnected");
    vi.advanceTimersByTime(10_000);
    send("connected");
    status(10.5);
    vi.advanceTimersByTime(5000);
    status(12);
    expect(store.getState()).toMatchObject({ hasRestarted: false, startedAtMs: 999_000 });
  });
});

it("what was asked for before the first connection is trusted, after a loss nothing is", () => {
  const trusted: number[] = [];
  const { send } = connected((unchangedMs) => trusted.push(unchangedMs));
  send("connected");
  send("disconnected");
  send("connected");
  expect(trusted).toEqual([5000, 0]);
});
