import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, request, type IncomingMessage, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { connect, type AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { proxyOf } from "../../src/export/proxy.js";
import { listenToConsole } from "../fresh-sdk.js";

const SDK = new URL("../../dist/index.js", import.meta.url).href;
/** A self-signed certificate for collector.test, only for this test. */
const CERTIFICATE = new URL("./collector-cert.pem", import.meta.url);
const KEY = new URL("./collector-key.pem", import.meta.url);

describe("proxyOf()", () => {
  const HTTP = { HTTP_PROXY: "http://proxy:3128" };

  it.each([
    ["http://collector.test", HTTP, "http://proxy:3128/"],
    ["http://collector.test", { http_proxy: "http://lower:1", ...HTTP }, "http://lower:1/"],
    ["https://collector.test", { https_proxy: "proxy:3128" }, "http://proxy:3128/"],
    ["https://collector.test", HTTP, undefined],
    ["http://collector.test", { HTTP_PROXY: "" }, undefined],
    ["http://collector.test", { HTTP_PROXY: "socks5://proxy:1080" }, undefined],
    ["http://localhost:8080", HTTP, undefined],
    ["http://127.0.0.1:8080", HTTP, undefined],
    ["http://[::1]:8080", HTTP, undefined],
    ["http://collector.test", { ...HTTP, NO_PROXY: "*" }, undefined],
    ["http://collector.test", { ...HTTP, no_proxy: "a.test, collector.test" }, undefined],
    ["http://eu.collector.test", { ...HTTP, NO_PROXY: ".collector.test" }, undefined],
    ["http://eu.collector.test", { ...HTTP, NO_PROXY: "*.collector.test" }, undefined],
    ["http://eu.collector.test", { ...HTTP, NO_PROXY: "COLLECTOR.test" }, undefined],
    ["http://mycollector.test", { ...HTTP, NO_PROXY: "collector.test" }, "http://proxy:3128/"],
    ["http://collector.test:8080", { ...HTTP, NO_PROXY: "collector.test:8080" }, undefined],
    ["http://collector.test:8081", { ...HTTP, NO_PROXY: "collector.test:8080" }, "http://proxy:3128/"],
    ["http://collector.test", { ...HTTP, NO_PROXY: ",, " }, "http://proxy:3128/"],
  ])("%s with %j is %s", (url, environment, proxy) => {
    listenToConsole();
    expect(proxyOf(new URL(url), environment)?.url.href).toBe(proxy);
  });
});

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

/** A collector that counts spans, over HTTP or HTTPS. */
async function startCollector(isSecure: boolean) {
  const names: string[] = [];
  const onRequest = (
    incoming: IncomingMessage,
    response: { writeHead(status: number): { end(text: string): void } },
  ) => {
    let body = "";
    incoming.setEncoding("utf8").on("data", (text: string) => (body += text));
    incoming.on("end", () => {
      const { spans } = JSON.parse(body) as { spans: { name: string }[] };
      names.push(...spans.map(({ name }) => `${incoming.headers.authorization ?? ""} ${name}`.trim()));
      response.writeHead(202).end("{}");
    });
  };
  const server = isSecure
    ? createTlsServer({ cert: readFileSync(CERTIFICATE), key: readFileSync(KEY) }, onRequest)
    : createServer(onRequest);
  return { names, port: await listen(server) };
}

/** A proxy that wants credentials. Every name leads to 127.0.0.1. */
async function startProxy() {
  const requests: string[] = [];
  const isAllowed = ({ headers }: IncomingMessage) =>
    headers["proxy-authorization"] === `Basic ${Buffer.from("me:pass word").toString("base64")}`;
  const server = createServer((incoming, response) => {
    requests.push(`${incoming.method} ${incoming.url}`);
    if (!isAllowed(incoming)) {
      response.writeHead(407).end();
      return;
    }
    const target = new URL(incoming.url ?? "");
    const { method, headers } = incoming;
    const options = { host: "127.0.0.1", port: target.port, path: target.pathname, method, headers };
    incoming.pipe(
      request(options, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      }),
    );
  });
  server.on("connect", (incoming: IncomingMessage, socket) => {
    requests.push(`CONNECT ${incoming.url}`);
    if (!isAllowed(incoming)) {
      socket.end("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n");
      return;
    }
    const upstream = connect(Number(incoming.url?.split(":")[1]), "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      upstream.pipe(socket).pipe(upstream);
    });
    for (const each of [socket, upstream]) each.on("error", () => void upstream.destroy());
  });
  return { requests, port: await listen(server) };
}

async function runApp(pushUrl: string, environment: Record<string, string>, program: string) {
  const code = `
    import { configure, observe, flush, stats } from ${JSON.stringify(SDK)};
    configure({ pushUrl: ${JSON.stringify(pushUrl)}, maxRetries: 0, flushInterval: 600 });
    ${program}`;
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: fileURLToPath(CERTIFICATE), ...environment };
  const child = spawn(process.execPath, ["--input-type=module", "--eval", code], { env });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += String(chunk)));
  await once(child, "close");
  return output;
}

const FLUSH_TWICE = `
  for (const name of ["one", "two"]) { observe(name, () => 1); await flush(); }
  console.log(stats().acked);`;
const EXIT = `
  setTimeout(() => { observe("last", () => 1); process.exit(); }, 100);`;

describe.each([
  ["http", "HTTP_PROXY", "POST http://collector.test:"],
  ["https", "https_proxy", "CONNECT collector.test:"],
])("a collector over %s behind a proxy", (protocol, variable, asked) => {
  it("gets the spans, also those that are sent at exit, with the credentials of both URLs", async () => {
    const collector = await startCollector(protocol === "https");
    const proxy = await startProxy();
    const url = `${protocol}://app:key@collector.test:${collector.port}`;
    const environment = { [variable]: `http://me:pass%20word@127.0.0.1:${proxy.port}` };
    expect(await runApp(url, environment, FLUSH_TWICE)).toBe("2\n");
    expect(await runApp(url, environment, EXIT)).toBe("");
    const authorization = `Basic ${Buffer.from("app:key").toString("base64")}`;
    expect(collector.names).toEqual(["one", "two", "last"].map((name) => `${authorization} ${name}`));
    expect(proxy.requests.length).toBeGreaterThanOrEqual(2);
    for (const line of proxy.requests) expect(line.startsWith(asked)).toBe(true);
  });

  it("does not get them with wrong credentials, and no message shows these", async () => {
    const collector = await startCollector(protocol === "https");
    const proxy = await startProxy();
    const url = `${protocol}://collector.test:${collector.port}`;
    const environment = { [variable]: `http://me:wrong-secret@127.0.0.1:${proxy.port}` };
    const output = await runApp(url, environment, FLUSH_TWICE);
    expect(output).toContain("407");
    expect(output).not.toContain("wrong-secret");
    expect(collector.names).toEqual([]);
  });
});

it("shutdown() gives up a tunnel that the proxy never opens, within shutdownTimeout", async () => {
  const connects: string[] = [];
  const proxy = createServer().on("connect", ({ url }: IncomingMessage) => {
    connects.push(url ?? "");
    child.stdin.write("asked");
  });
  const port = await listen(proxy);
  const program = `
    const { flush, shutdown, configure, observe, stats } = await import(${JSON.stringify(SDK)});
    configure({
      pushUrl: "https://collector.test",
      timeout: 600,
      shutdownTimeout: 0.2,
      flushInterval: 600,
    });
    observe("one", () => 1);
    void flush();
    // The proxy has been asked for a tunnel.
    await new Promise((resolve) => process.stdin.once("data", resolve));
    process.stdin.destroy();
    const isHanging = setTimeout(() => process.exit(1), 20_000);
    await shutdown();
    clearTimeout(isHanging);
    console.log(JSON.stringify(stats().dropped.shutdown));`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    env: { ...process.env, HTTPS_PROXY: `http://127.0.0.1:${port}` },
  });
  let output = "";
  child.stdout.on("data", (chunk) => (output += String(chunk)));
  await once(child, "close");
  expect(output).toBe("1\n");
  expect(connects).toEqual(["collector.test:443"]);
});

it("a collector on the same machine gets the spans directly", async () => {
  const collector = await startCollector(false);
  const environment = { HTTP_PROXY: "http://127.0.0.1:9" };
  expect(await runApp(`http://127.0.0.1:${collector.port}`, environment, FLUSH_TWICE)).toBe("2\n");
  expect(collector.names).toEqual(["one", "two"]);
});
