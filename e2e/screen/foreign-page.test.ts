import type { TraceList } from "@obspan/collector-core/api-schema";
import { createReadStream } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { collectorHere } from "../harness/collector-here.js";
import { openPage, sharedBrowser } from "./browser.js";

const BROWSER_BUILD = new URL("../../sdk/dist/edge/", import.meta.url);

/** Serves an empty page and the SDK's build for browsers. Returns the origin. */
async function startSite(): Promise<string> {
  const server = createServer(({ url = "/" }, response) => {
    const name = /^\/sdk\/([\w-]+\.js)$/.exec(url)?.[1];
    response.setHeader("Content-Type", name === undefined ? "text/html" : "text/javascript");
    if (name === undefined) response.end("<!doctype html><link rel=icon href=data:,><title>shop</title>");
    else createReadStream(fileURLToPath(new URL(name, BROWSER_BUILD))).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it("contract 5: a page of an allowed origin sends the spans of a tenant with the SDK, and reads Retry-After", async () => {
  const origin = await startSite();
  const collector = await collectorHere({
    ALLOWED_ORIGINS: origin,
    MULTI_TENANT_ENABLED: "true",
    RATE_LIMIT_ENABLED: "true",
    RATE_LIMIT_PER_IP_RPM: "1",
  });
  const { page, complaints } = await openPage(await sharedBrowser(), origin);
  const program = `
    const { configure, flush, observe, stats } = await import("/sdk/index.js");
    const pushUrl = ${JSON.stringify(collector.url)};
    configure({ service: "shop-web", pushUrl, tenant: "acme", flushInterval: 600 });
    await observe("visit", async () => 1);
    await flush();
    const headers = { "Content-Type": "application/json" };
    const refused = await fetch(pushUrl + "/v1/telemetry", { method: "POST", headers, body: "{}" });
    return [stats().acked, refused.status, Number(refused.headers.get("retry-after")) > 0];`;
  expect(await page.evaluate(`(async () => {${program}})()`)).toEqual([1, 429, true]);
  // Chromium logs the refusal.
  expect(complaints.filter((line) => !line.includes("429"))).toEqual([]);
  const response = await fetch(`${collector.url}/v1/traces?tenant=acme`);
  const { traces } = (await response.json()) as TraceList;
  expect(traces.map(({ root_name: name, tenant }) => [name, tenant])).toEqual([["visit", "acme"]]);
});
