import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { describe, expect, onTestFinished } from "vitest";
import { runProgram } from "../harness/shell.js";
import { rule } from "./rule.js";

interface Push {
  readonly atMs: number;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly batch: {
    readonly service: string;
    readonly env: string;
    readonly version?: string;
    readonly spans: readonly Readonly<Record<string, unknown>>[];
  };
}

/** A fake collector that answers the n-th push with the n-th status, later ones with the last. */
async function receiver(...statuses: (number | "never")[]): Promise<{ url: string; pushes: Push[] }> {
  const pushes: Push[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks);
      const text = request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body;
      const batch = JSON.parse(text.toString("utf8")) as Push["batch"];
      const status = statuses[pushes.length] ?? statuses.at(-1) ?? 202;
      pushes.push({ atMs: performance.now(), path: request.url ?? "", headers: request.headers, batch });
      answer(response, status, batch.spans.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, pushes };
}

function answer(response: ServerResponse, status: number | "never", spans: number): void {
  if (status === "never") return;
  const body = status === 202 ? { status: "accepted", spans_received: spans } : { error: { code: "test" } };
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}

/** Runs an app with the SDK until it exits, and parses its output. */
async function runApp(source: string, env: Readonly<Record<string, string>> = {}): Promise<unknown> {
  const head = 'import { configure, flush, llm, observe, shutdown, stats } from "@obspan/sdk";\n';
  const { code, stdout, stderr } = await runProgram(
    process.execPath,
    ["--input-type=module", "--eval", head + source],
    { cwd: import.meta.dirname, env },
  );
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return stdout === "" ? undefined : (JSON.parse(stdout) as unknown);
}

const SPANS = (count: number): string =>
  `for (let n = 0; n < ${count}; n++) await observe({ name: "step " + n }, async () => undefined);`;

describe("the client", () => {
  rule("2.5", "prefers arguments over the environment, and the environment over defaults", async () => {
    const { url, pushes } = await receiver();
    const app = `${SPANS(1)} await shutdown();`;
    await runApp(app, { OBS_PUSH_URL: url });
    await runApp(app, { OBS_PUSH_URL: url, OBS_SERVICE: "shop", OBS_ENV: "test", OBS_VERSION: "1.0" });
    await runApp(`configure({ service: "argument" }); ${app}`, { OBS_PUSH_URL: url, OBS_SERVICE: "shop" });
    expect(pushes.map(({ batch: { service, env, version } }) => [service, env, version])).toEqual([
      ["unknown", "development", undefined],
      ["shop", "test", "1.0"],
      ["argument", "development", undefined],
    ]);
  });

  rule("2.5", "captures prompts and completions unless that is switched off", async () => {
    const { url, pushes } = await receiver();
    const app = `await llm({ model: "m" }, async (prompt) => "On its way.")("Where is it?"); await shutdown();`;
    await runApp(app, { OBS_PUSH_URL: url });
    await runApp(app, { OBS_PUSH_URL: url, OBS_CAPTURE_PROMPT: "false", OBS_CAPTURE_COMPLETION: "false" });
    const texts = pushes.map(({ batch }) => JSON.stringify(batch.spans));
    expect(texts[0]).toContain("Where is it?");
    expect(texts[0]).toContain("On its way.");
    expect(texts[1]).not.toMatch(/Where is it|On its way/);
  });

  rule("2.5", "queues spans locally without a push URL", async () => {
    const left = await runApp(
      `configure({ service: "shop" }); ${SPANS(3)} console.log(JSON.stringify(stats()));`,
    );
    expect(left).toMatchObject({ enqueued: 3, acked: 0, pending: 3 });
  });

  rule("3.1", "throws a RuntimeError at a second configure() and changes nothing", async () => {
    const { url, pushes } = await receiver();
    const thrown = await runApp(
      `configure({ service: "first" });
       try { configure({ service: "second" }); } catch ({ name, message }) { console.log(JSON.stringify({ name, message })); }
       ${SPANS(1)} await shutdown();`,
      { OBS_PUSH_URL: url },
    );
    expect(thrown).toEqual({ name: "RuntimeError", message: expect.stringContaining("already called") });
    expect(pushes[0]?.batch.service).toBe("first");
  });

  rule("4.10 rule 1", "sends batches of at most batch_size, with the key", async () => {
    const { url, pushes } = await receiver();
    await runApp(`${SPANS(7)} await shutdown();`, {
      OBS_PUSH_URL: url,
      OBS_BATCH_SIZE: "3",
      OBS_API_KEY: "k-one",
    });
    const sizes = pushes.map(({ batch }) => batch.spans.length);
    expect(sizes.reduce((total, size) => total + size, 0)).toBe(7);
    expect(Math.max(...sizes)).toBe(3);
    expect(new Set(pushes.map(({ path, headers }) => `${path} ${String(headers["x-api-key"])}`))).toEqual(
      new Set(["/v1/telemetry k-one"]),
    );
  });

  rule("4.10 rule 1", "sends a partial batch every flush_interval", async () => {
    const { url, pushes } = await receiver();
    await runApp(
      `${SPANS(1)}
       while (stats().acked === 0) await new Promise((resolve) => setTimeout(resolve, 50));
       console.log(JSON.stringify(stats()));`,
      { OBS_PUSH_URL: url, OBS_FLUSH_INTERVAL: "1" },
    ).then((left) => expect(left).toMatchObject({ acked: 1, pending: 0 }));
    expect(pushes).toHaveLength(1);
  });

  rule("4.10 rule 2", "retries 429 and 5xx, waiting twice as long each time", async () => {
    const { url, pushes } = await receiver(503, 429, 500, 202);
    const left = await runApp(`${SPANS(1)} await flush(); console.log(JSON.stringify(stats()));`, {
      OBS_PUSH_URL: url,
      OBS_RETRY_BACKOFF: "0.1",
    });
    expect(left).toMatchObject({ acked: 1, pending: 0 });
    const waits = pushes.slice(1).map(({ atMs }, index) => atMs - (pushes[index]?.atMs ?? 0));
    expect(waits).toHaveLength(3);
    for (const [index, wait] of waits.entries()) expect(wait).toBeGreaterThanOrEqual(95 * 2 ** index);
  });

  rule("4.10 rule 2", "gives up after max_retries, and at once when a retry cannot help", async () => {
    const [failing, refusing] = [await receiver(500), await receiver(400)];
    const app = `${SPANS(1)} await flush(); console.log(JSON.stringify(stats()));`;
    const env = { OBS_RETRY_BACKOFF: "0.01", OBS_MAX_RETRIES: "2" };
    expect(await runApp(app, { ...env, OBS_PUSH_URL: failing.url })).toMatchObject({ acked: 0, pending: 0 });
    expect(await runApp(app, { ...env, OBS_PUSH_URL: refusing.url })).toMatchObject({ acked: 0, pending: 0 });
    expect(failing.pushes).toHaveLength(3);
    expect(refusing.pushes).toHaveLength(1);
  });

  rule("4.10 rule 3", "waits for the collector at most shutdown_timeout at the end", async () => {
    const { url } = await receiver("never");
    const tookMs = await runApp(
      `${SPANS(1)} const from = performance.now(); await shutdown(); console.log(performance.now() - from);`,
      { OBS_PUSH_URL: url, OBS_SHUTDOWN_TIMEOUT: "0.5" },
    );
    expect(tookMs).toBeGreaterThan(400);
    expect(tookMs).toBeLessThan(3000);
  });
});
