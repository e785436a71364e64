import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const SDK = new URL("../../dist/index.js", import.meta.url).href;

/** Runs a program that uses the built SDK in its own process. It gets the signals once its output has `ready`. */
export async function runApp(
  code: string,
  pushUrl: string,
  options: { signals?: NodeJS.Signals[]; shutdownTimeout?: number; retryBackoff?: number } = {},
) {
  const { signals = [], shutdownTimeout = 2, retryBackoff = 0.01 } = options;
  const program = `
    import { configure, observe, stats, flush, shutdown } from ${JSON.stringify(SDK)};
    configure({ pushUrl: ${JSON.stringify(pushUrl)}, shutdownTimeout: ${shutdownTimeout}, retryBackoff: ${retryBackoff}, flushInterval: 60 });
    const spans = (count) => { for (let index = 0; index < count; index++) observe("s" + index, () => 1); };
    ${code}
  `;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    stdio: ["ignore", "pipe", "pipe"],
    cwd: fileURLToPath(new URL(".", import.meta.url)),
  });
  let output = "";
  child.stderr.on("data", (chunk) => (output += String(chunk)));
  child.stdout.on("data", (chunk) => {
    output += String(chunk);
    if (output.includes("ready")) for (const signal of signals.splice(0)) child.kill(signal);
  });
  const startedMs = performance.now();
  const [exitCode, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
  return { exitCode, signal, output, tookMs: performance.now() - startedMs };
}
