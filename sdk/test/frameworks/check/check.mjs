/** What the check of each project needs: a model server, the programs of the project, and the traces that arrive. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { dirname, join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { ANSWER, startModelServer } from "./model-server.mjs";
import { startProgram } from "./programs.mjs";
import { COLLECTOR_URL, untilTraces } from "./traces.mjs";

export { PLAIN_CALL, STREAMED_CALL } from "./model-server.mjs";
export { tracesOf } from "./traces.mjs";

/** A span of another service, and the header that it sends. */
export const REMOTE_SPAN = "00f067aa0ba902b7";
export const REMOTE_HEADERS = { traceparent: `00-4bf92f3577b34da6a3ce929d0e0e4736-${REMOTE_SPAN}-01` };

/** @typedef {import("./programs.mjs").Program} Program */

/**
 * @typedef {object} Check
 * @property {(command: string, args?: readonly string[], env?: Readonly<Record<string, string>>, exitCode?: number | null) =>
 * Promise<string>} run - runs a program to its end, and returns its output. Throws if it ends with another code; null is a signal.
 * @property {(command: string, args?: readonly string[], env?: Readonly<Record<string, string>>) => Promise<App>} start - starts a
 * server that listens on `PORT`.
 * @property {(service: string, expected: string[][]) => Promise<void>} expectTraces - waits until a service has exactly these
 * traces, stops the servers, and looks once more: nothing may arrive twice or late.
 */

/**
 * @typedef {object} App
 * @property {string} url
 * @property {Program} program
 * @property {(path?: string, headers?: Readonly<Record<string, string>>) => Promise<void>} ask - sends a question, and expects the
 * answer of the model server. Default: `/ask`.
 * @property {() => Promise<void>} stop - sends SIGTERM, and waits for the end.
 */

/** The address of the collector in the files of the projects. */
const GUIDE_ADDRESS = "http://127.0.0.1:8080";

/**
 * Copies the app of another project, without its package.json and its check, to run it with another version of the framework.
 *
 * @param {string} project
 */
export function copyAppOf(project) {
  const source = new URL(`../${project}/`, import.meta.url);
  for (const entry of readdirSync(source, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || /^(?:package.*\.json|check\.mjs|\.npmrc)$/.test(entry.name)) continue;
    const file = join(entry.parentPath, entry.name);
    const path = relative(fileURLToPath(source), file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, readFileSync(file, "utf8").replaceAll(GUIDE_ADDRESS, COLLECTOR_URL));
  }
}

/**
 * Runs the check of a project. The process ends with 0, or with 1 and the reason.
 *
 * @param {(check: Check) => Promise<void>} steps
 */
export async function check(steps) {
  const model = await startModelServer();
  const shared = {
    OPENAI_API_KEY: "test-key",
    OPENAI_BASE_URL: model.url,
    OBS_FLUSH_INTERVAL: "0.2",
    OBS_PROVIDER_HOSTS: new URL(model.url).host,
  };
  /** @type {Set<App>} */
  const apps = new Set();
  const stopAll = () => Promise.all(Array.from(apps, (app) => app.stop()));
  try {
    await steps({
      async run(command, args = [], env = {}, exitCode = 0) {
        const program = startProgram(command, args, { ...shared, ...env });
        const code = await program.exit;
        if (code !== exitCode)
          throw new Error(`${command} ${args.join(" ")} ended with ${code}:\n${program.output()}`);
        return program.output();
      },
      async start(command, args = [], env = {}) {
        const port = await freePort();
        const program = startProgram(command, args, { ...shared, PORT: String(port), ...env });
        const app = appOf(program, `http://127.0.0.1:${port}`);
        apps.add(app);
        await untilListens(app);
        return app;
      },
      async expectTraces(service, expected) {
        await untilTraces(service, expected);
        await stopAll();
        await untilTraces(service, expected, 0);
      },
    });
  } catch (error) {
    const outputs = Array.from(apps, ({ program }) => program.output());
    console.error([error instanceof Error ? (error.stack ?? error) : error, ...outputs].join("\n--\n"));
    process.exitCode = 1;
  }
  await stopAll();
  model.close();
}

/**
 * @param {Program} program
 * @param {string} url
 * @returns {App}
 */
function appOf(program, url) {
  return {
    url,
    program,
    async ask(path = "/ask", headers = {}) {
      const response = await fetch(url + path, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: ReadableStream.from(inTwoPieces(JSON.stringify({ question: "Where is my order?" }))),
        duplex: "half",
      });
      const text = await response.text();
      assert.equal(response.ok, true, `POST ${path}: ${response.status} ${text}`);
      assert.deepEqual(JSON.parse(text), { answer: ANSWER });
    },
    async stop() {
      program.signal("SIGTERM");
      await program.exit;
    },
  };
}

/**
 * A body as a slow client sends it: the server reads the second piece in a later event, where it could lose the trace.
 *
 * @param {string} text
 */
async function* inTwoPieces(text) {
  const bytes = new TextEncoder().encode(text);
  yield bytes.subarray(0, 5);
  await sleep(20);
  yield bytes.subarray(5);
}

/** @param {App} app */
async function untilListens({ url, program }) {
  let hasExited = false;
  void program.exit.then(() => (hasExited = true));
  // A connection without a request: a request to the page of an app would be a trace.
  while (!(await connects(Number(new URL(url).port)))) {
    if (hasExited) throw new Error("The server ended.");
    await sleep(30);
  }
}

/** @param {number} port */
function connects(port) {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}

/** @returns {Promise<number>} */
async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  server.close();
  await once(server, "close");
  return port;
}
