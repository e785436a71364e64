import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OPTION_LIST } from "../../src/config/options.js";

const BIN = fileURLToPath(new URL("../../bin/obspan.js", import.meta.url));
let directory: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "obspan-cli-"));
});
afterAll(() => {
  rmSync(directory, { recursive: true });
});

/** Runs the built command line to its end. */
function obspan(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...args], {
    env: { PATH: process.env["PATH"], XDG_DATA_HOME: directory, LOCALAPPDATA: directory, ...env },
    encoding: "utf8",
    // It only tells a hang from health: a start takes long on a busy machine.
    timeout: 60_000,
  });
  return { status, stdout, stderr };
}

function yamlFile(name: string, content: string): string {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
}

const BROKEN = "limits:\n  max_traces: 0\nsampling:\n  rate: 2\n";

describe("obspan serve", () => {
  it("prints each problem on its own line below a header with their number, and exits with 1", () => {
    const path = yamlFile("broken.yaml", BROKEN);
    const env = { OBS_SERVER_PORT: "http", OBS_SERVER_LOGGING_LOG_FILE: directory, OBS_SERVER_PROT: "1" };
    const { status, stdout, stderr } = obspan(["serve", "--config", path], env);
    expect(stderr).toBe(
      "obspan cannot start: its configuration has 4 problems:\n" +
        "  server.port = http (OBS_SERVER_PORT): must be a whole number from 0 to 65,535\n" +
        `  limits.max_traces = 0 (${path}:2): must be a whole number from 1 to 500,000\n` +
        `  sampling.rate = 2 (${path}:4): must be a number from 0 to 1\n` +
        `  logging.log_file = ${directory} (OBS_SERVER_LOGGING_LOG_FILE): must be a file, not a directory\n` +
        'warning: unknown variable OBS_SERVER_PROT (did you mean "OBS_SERVER_PORT"?)\n',
    );
    expect(stdout).toBe("");
    expect(status).toBe(1);
  });

  it("does not start if the log file cannot be opened", () => {
    const { status, stderr } = obspan(["serve"], { OBS_SERVER_LOGGING_LOG_FILE: "/nowhere/obspan.log" });
    expect(stderr).toMatch(
      /^obspan cannot start: its configuration has 1 problem:\n {2}logging\.log_file = \/nowhere\/obspan\.log \(OBS_SERVER_LOGGING_LOG_FILE\): must be a file that can be written: ENOENT/,
    );
    expect(status).toBe(1);
  });

  it("logs warnings, and binds 127.0.0.1 with --local", async () => {
    // A port in use ends the process before it serves anything, and says where it wanted to bind.
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" ? (address?.port ?? 0) : 0;
    const env = {
      OBS_SERVER_PORT: String(port),
      OBS_SERVER_PROT: "1",
      OBS_SERVER_LOGGING_STRUCTURED: "true",
    };
    const { status, stderr } = obspan(["serve", "--local"], env);
    server.close();
    const lines = stderr.trim().split("\n");
    const records = lines.map((line) => JSON.parse(line) as Record<string, string>);
    expect(records[0]).toMatchObject({
      level: "WARNING",
      logger: "config",
      message: 'unknown variable OBS_SERVER_PROT (did you mean "OBS_SERVER_PORT"?)',
    });
    expect(records.at(-1)?.["level"]).toBe("CRITICAL");
    expect(records.at(-1)?.["message"]).toContain(`port ${port} of 127.0.0.1 is in use`);
    expect(status).toBe(1);
  });

  it("--help lists every option with its variable", () => {
    const { status, stdout } = obspan(["serve", "--help"]);
    for (const { key, env } of OPTION_LIST) expect(stdout).toContain(`${key}  ${env}`);
    expect(status).toBe(0);
  });
});

describe("obspan check-config", () => {
  it("prints the problems and exits with 1", () => {
    const { status, stderr } = obspan(["check-config"], {
      OBS_SERVER_CONFIG: yamlFile("broken.yaml", BROKEN),
    });
    expect(stderr).toMatch(/^The configuration has 2 problems:\n/);
    expect(status).toBe(1);
  });

  it("prints each configured value with its source, and exits with 0", () => {
    const path = yamlFile("good.yaml", "limits:\n  max_traces: 7\n  max_trace: 8\n");
    const { status, stdout, stderr } = obspan(["check-config", "--config", path], {
      OBS_SERVER_HISTOGRAMS_DURATION_BUCKETS: "1,2",
      OBS_SERVER_CONFIG: "/nowhere.yaml",
    });
    expect(stdout).toBe(
      "The configuration is valid.\n" +
        `  config_file = ${path} (--config)\n` +
        `  limits.max_traces = 7 (${path}:2)\n` +
        "  histograms.duration_buckets = 1, 2 (OBS_SERVER_HISTOGRAMS_DURATION_BUCKETS)\n",
    );
    expect(stderr).toBe(
      `warning: unknown key "limits.max_trace" (${path}:3) (did you mean "limits.max_traces"?)\n`,
    );
    expect(status).toBe(0);
  });

  it("does not create a log file", () => {
    const path = join(directory, "never.log");
    expect(obspan(["check-config"], { OBS_SERVER_LOGGING_LOG_FILE: path }).status).toBe(0);
    expect(() => rmSync(path)).toThrow("ENOENT");
  });
});

it("obspan version prints the versions of the package and of Node.js", () => {
  const { status, stdout } = obspan(["version"]);
  expect(stdout).toBe(`obspan 0.1.0 (Node.js ${process.version})\n`);
  expect(status).toBe(0);
});

it.each([[[]], [["fly"]], [["serve", "--nope"]], [["serve", "extra"]], [["check-config", "--config"]]])(
  "bad usage exits with 2: obspan %j",
  (args) => {
    const { status, stderr } = obspan(args);
    expect(stderr).not.toBe("");
    expect(status).toBe(2);
  },
);

it("asks the user to build if the build is missing", () => {
  const bin = join(directory, "bin", "obspan.mjs");
  cpSync(BIN, bin);
  const { status, stderr } = spawnSync(process.execPath, [bin, "version"], { encoding: "utf8" });
  expect(stderr).toContain("npm run build");
  expect(status).toBe(1);
});
