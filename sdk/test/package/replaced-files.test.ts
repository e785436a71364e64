import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { packApp, type PackedApp } from "./packed-app.js";

let app: PackedApp;
beforeEach(() => {
  app = packApp();
});
afterEach(() => app.remove());

/** Runs an app whose package disappears soon after its start, as when a deployment replaces `node_modules`. */
function runReplaced(format: "mjs" | "cjs", code: string) {
  const load =
    format === "mjs"
      ? 'import { rmSync } from "node:fs"; import { configure, observe, flush } from "@obspan/sdk";'
      : 'const { rmSync } = require("node:fs"); const { configure, observe, flush } = require("@obspan/sdk");';
  const file = app.write(
    `app.${format}`,
    `${load}
     configure({ pushUrl: "http://127.0.0.1:9", flushInterval: 60 });
     observe("waits", () => 1);
     setTimeout(async () => {
       rmSync(${JSON.stringify(app.installed)}, { recursive: true });
       ${code}
     }, 200);`,
  );
  const { status, signal, stderr, stdout } = spawnSync(process.execPath, [file], {
    encoding: "utf8",
    timeout: 15_000,
    killSignal: "SIGKILL",
  });
  return { status, signal, output: stdout + stderr };
}

describe.each(["mjs", "cjs"] as const)("an app whose files were replaced while it runs (%s)", (format) => {
  it("ends by SIGTERM as usual, and logs that its spans cannot be sent", () => {
    const { status, signal, output } = runReplaced(
      format,
      'setInterval(() => 1, 1000); process.kill(process.pid, "SIGTERM");',
    );
    expect([status, signal]).toEqual([null, "SIGTERM"]);
    expect(output).toMatch(/^\[obspan\] Spans cannot be sent: .*delivery-loop/);
  });

  it("keeps its own signal handling", () => {
    const { status, signal } = runReplaced(
      format,
      'setInterval(() => 1, 1000); process.on("SIGTERM", () => setTimeout(() => process.exit(3), 300)); process.kill(process.pid, "SIGTERM");',
    );
    expect([status, signal]).toEqual([3, null]);
  });

  it("ends when it has nothing left to do; flush() does not reject", () => {
    const { status, output } = runReplaced(format, 'await flush(); console.log("flushed");');
    expect(status).toBe(0);
    expect(output).toContain("flushed");
  });
});

it("the CommonJS build loads everything by require(), because import() does not work in Jest", () => {
  const dist = join(app.installed, "dist");
  const code = readdirSync(dist)
    .filter((name) => name.endsWith(".cjs"))
    .map((name) => readFileSync(join(dist, name), "utf8"));
  expect(code.length).toBeGreaterThan(4);
  expect(code.filter((text) => /\bimport\s*\(/.test(text))).toEqual([]);
});
