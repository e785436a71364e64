import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { lateAnswer, startReceiver } from "../export/receiver.js";
import { freshSdk, type Sdk } from "../fresh-sdk.js";

const SOURCES = join(import.meta.dirname, "../../src");

it("every file of platform has a version for edge runtimes with the same exports", async () => {
  const files = readdirSync(join(SOURCES, "platform"));
  expect(files.length).toBeGreaterThan(5);
  for (const file of files) {
    const [node, edge] = await Promise.all(
      ["platform", "edge"].map(
        async (folder) => (await import(join(SOURCES, folder, file))) as Record<string, unknown>,
      ),
    );
    expect([file, Object.keys(edge ?? {})]).toEqual([file, expect.arrayContaining(Object.keys(node ?? {}))]);
  }
});

async function sendingSdk(pushUrl: string, options: Parameters<Sdk["configure"]>[0] = {}): Promise<Sdk> {
  const sdk = await freshSdk();
  sdk.configure({ pushUrl, flushInterval: 600, retryBackoff: 0.001, shutdownTimeout: 1, ...options });
  return sdk;
}

/** `fetch()` as in a runtime that drops what a request started when the request ends. */
function loseFetches(): () => void {
  vi.stubGlobal("fetch", () => new Promise(() => undefined));
  onTestFinished(() => void vi.unstubAllGlobals());
  return () => void vi.unstubAllGlobals();
}

describe("spans of a request that ended while they were sent", () => {
  it("are sent by the flush of a later request, under the same batch id", async () => {
    const receiver = await startReceiver();
    const sdk = await sendingSdk(receiver.url, { timeout: 1 });
    const sent: string[] = [];
    const restore = loseFetches();
    const lost = globalThis.fetch;
    vi.stubGlobal("fetch", (...args: Parameters<typeof fetch>) => {
      sent.push(
        (JSON.parse(new TextDecoder().decode(args[1]?.body as Uint8Array)) as { batch_id: string }).batch_id,
      );
      return lost(...args);
    });
    sdk.observe("lost", () => 1);
    // The timers of the request are lost, too.
    vi.stubGlobal("setTimeout", () => 1);
    void sdk.flush();
    await vi.waitUntil(() => sent.length === 1, { timeout: 10_000 });
    restore();
    expect(sdk.stats()).toMatchObject({ acked: 0, pending: 1 });

    sdk.observe("next", () => 1);
    expect(await sdk.flush({ timeoutMs: 15_000 })).toBe(true);
    expect(new Set(receiver.names)).toEqual(new Set(["next", "lost"]));
    expect(receiver.requests.map(({ batch }) => batch.batch_id)).toContain(sent[0]);
    expect(sdk.stats()).toMatchObject({ enqueued: 2, acked: 2, pending: 0 });
  });

  it("are dropped and counted by shutdown()", async () => {
    const restore = loseFetches();
    const sdk = await sendingSdk("http://127.0.0.1:9", { shutdownTimeout: 0.05 });
    sdk.observe("lost", () => 1);
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    onTestFinished(() => {
      warn.mockRestore();
    });
    await sdk.shutdown();
    restore();
    expect(sdk.stats()).toMatchObject({ dropped: { shutdown: 1 }, pending: 0 });
  });
});

it("flushes of several requests send at the same time, each what it finds, and at most four", async () => {
  const { reply, most } = lateAnswer(30);
  const receiver = await startReceiver(reply);
  const sdk = await sendingSdk(receiver.url, { batchSize: 1 });
  sdk.observe("the first that the collector accepts", () => 1);
  await sdk.flush();
  const names = Array.from({ length: 8 }, (_, index) => `request ${index}`);
  await Promise.all(
    names.map((name) => {
      sdk.observe(name, () => 1);
      return sdk.flush();
    }),
  );
  expect(receiver.names.slice(1).toSorted()).toEqual(names);
  expect(most()).toBeGreaterThan(1);
  expect(most()).toBeLessThanOrEqual(4);
  expect(sdk.stats()).toMatchObject({ acked: 9, pending: 0 });
});

it("flushes at the same time send one batch until the collector has accepted one", async () => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
  onTestFinished(() => {
    warn.mockRestore();
  });
  const receiver = await startReceiver((response) => {
    setTimeout(() => response.writeHead(503).end(), 30);
  });
  const sdk = await sendingSdk(receiver.url, { batchSize: 1, maxRetries: 0 });
  await Promise.all(
    ["first", "second", "third"].map((name) => {
      sdk.observe(name, () => 1);
      return sdk.flush();
    }),
  );
  expect(receiver.names).toEqual(["first"]);
  expect(sdk.stats()).toMatchObject({ dropped: { retries_exhausted: 1 }, pending: 2 });
});

it("flush() waits for the batches that the exporter took meanwhile", async () => {
  const receiver = await startReceiver((response) => {
    setTimeout(() => response.writeHead(202).end(), 30);
  });
  const sdk = await sendingSdk(receiver.url, { batchSize: 2 });
  sdk.observe("first", () => 1);
  await sdk.flush();
  // Each pair starts the sending of the exporter itself.
  for (let pair = 0; pair < 3; pair++) {
    for (let span = 0; span < 2; span++) sdk.observe(`pair ${pair}`, () => 1);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await sdk.flush();
  expect(sdk.stats()).toMatchObject({ acked: 7, pending: 0 });
});

it("a redirect that a browser hides is refused", async () => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
  onTestFinished(() => {
    warn.mockRestore();
  });
  vi.stubGlobal("fetch", () => {
    const response = new Response();
    return Promise.resolve(
      Object.defineProperties(response, { type: { value: "opaqueredirect" }, status: { value: 0 } }),
    );
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  const sdk = await sendingSdk("http://127.0.0.1:9");
  sdk.observe("moved", () => 1);
  await sdk.flush();
  expect(sdk.stats().dropped.refused).toBe(1);
  expect(warn.mock.calls[0]?.[0]).toContain("redirects are not followed");
});
