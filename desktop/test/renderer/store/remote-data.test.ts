import { describe, expect, it } from "vitest";
import { CollectorError } from "../../../src/renderer/api/collector-api.js";
import { createRemoteData, watchData } from "../../../src/renderer/store/remote-data.js";
import { fakeTime } from "../fake-api.js";

/** Requests that the test answers, and their results. */
function heldRequests() {
  const time = fakeTime();
  const state = { canRefresh: true };
  const requests: { signal: AbortSignal; answer: (text: string) => void; refuse: (error: Error) => void }[] =
    [];
  const data: string[] = [];
  const errors: CollectorError[] = [];
  const remote = createRemoteData<string>({
    fetch: (signal) =>
      new Promise((answer, refuse) => {
        requests.push({ signal, answer, refuse });
      }),
    onData: (text) => void data.push(text),
    onError: (error) => void errors.push(error),
    refresh: { intervalMs: 1000, restFactor: 2 },
    canRefresh: () => state.canRefresh,
    ...time,
  });
  return { ...time, state, requests, data, errors, remote };
}

describe("remote data", () => {
  it("aborts the older request, and uses only the newest answer", async () => {
    const { remote, requests, data, pass } = heldRequests();
    void remote.load();
    void remote.load();
    expect(requests.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    requests[1]?.answer("new");
    requests[0]?.answer("old");
    await pass(0);
    expect(data).toEqual(["new"]);
    expect(remote.isLoading()).toBe(false);
  });

  it("reports only the failure of the newest request, as a collector error", async () => {
    const { remote, requests, errors, pass } = heldRequests();
    void remote.load();
    void remote.load();
    requests[0]?.refuse(new Error("aborted"));
    requests[1]?.refuse(new Error("no"));
    await pass(0);
    expect(errors).toMatchObject([{ code: "internal_error", message: "no" }]);
    void remote.load();
    requests[2]?.refuse(new CollectorError("overloaded", "busy"));
    await pass(0);
    expect(errors[1]).toMatchObject({ code: "overloaded", message: "busy" });
  });

  it("joins changes into one request in an interval, and rests longer after a slow answer", async () => {
    const { remote, requests, pass } = heldRequests();
    for (let change = 0; change < 10; change++) remote.invalidate();
    await pass(0);
    expect(requests).toHaveLength(1);
    remote.invalidate();
    await pass(3000);
    requests[0]?.answer("slow");
    await pass(5900);
    expect(requests).toHaveLength(1);
    await pass(200);
    expect(requests).toHaveLength(2);
  });

  it("waits for the current request before it refreshes", async () => {
    const { remote, requests, pass } = heldRequests();
    void remote.load();
    remote.invalidate();
    await pass(3000);
    expect(requests).toHaveLength(1);
    requests[0]?.answer("first");
    await pass(0);
    expect(requests).toHaveLength(2);
    expect(requests[0]?.signal.aborted).toBe(false);
  });

  it("skips a refresh that was requested before the user paused", async () => {
    const { remote, requests, state, pass } = heldRequests();
    remote.invalidate();
    state.canRefresh = false;
    await pass(1000);
    expect(requests).toHaveLength(0);
  });
});

describe("watched data", () => {
  it("follows changes while it is watched, and aborts when the last watcher leaves", async () => {
    const { remote, requests, pass } = heldRequests();
    const watched = watchData(remote);
    watched.invalidate();
    await pass(2000);
    expect(requests).toHaveLength(0);
    const leave = watched.watch();
    const leaveToo = watched.watch();
    expect(requests).toHaveLength(2);
    leave();
    expect(requests[1]?.signal.aborted).toBe(false);
    leaveToo();
    expect(requests[1]?.signal.aborted).toBe(true);
    expect(watched.isWatched()).toBe(false);
  });

  it("are fetched at the first connection only if something changed since they were asked for", async () => {
    const { remote, requests, pass } = heldRequests();
    const watched = watchData(remote);
    watched.watch();
    await pass(100);
    watched.catchUp(101);
    await pass(2000);
    expect(requests).toHaveLength(1);
    requests[0]?.answer("first");
    await pass(0);
    watched.catchUp(2101);
    await pass(2000);
    expect(requests).toHaveLength(1);
    // A change in the same millisecond may not be in the answer.
    watched.catchUp(4100);
    await pass(0);
    expect(requests).toHaveLength(2);
    requests[1]?.refuse(new Error("no answer"));
    await pass(0);
    watched.catchUp(60_000);
    await pass(2000);
    expect(requests).toHaveLength(3);
  });
});
