import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLogger, type LoggerOptions } from "../../src/logging/logger.js";

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "obspan-log-"));
});
afterAll(() => {
  rmSync(directory, { recursive: true });
});

function logTo(lines: string[], options: Partial<LoggerOptions> = {}) {
  return createLogger({ level: "DEBUG", structured: true, stderr: (line) => lines.push(line), ...options });
}

function parsed(line: string | undefined): Record<string, unknown> {
  return JSON.parse(line ?? "") as Record<string, unknown>;
}

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe("structured lines", () => {
  it("spec 2.6: are JSON with timestamp, level, logger and message, then the context", () => {
    const lines: string[] = [];
    logTo(lines).child("queue").warning("Queue is filling", { service: "shop", usage_pct: 81.5 });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/\}\n$/);
    const record = parsed(lines[0]);
    expect(Object.keys(record)).toEqual(["timestamp", "level", "logger", "message", "service", "usage_pct"]);
    expect(record).toMatchObject({
      timestamp: expect.stringMatching(RFC_3339),
      level: "WARNING",
      logger: "queue",
      message: "Queue is filling",
      service: "shop",
      usage_pct: 81.5,
    });
  });

  it("spec 2.6: name the level as the spec does", () => {
    const lines: string[] = [];
    const logger = logTo(lines);
    for (const level of ["debug", "info", "warning", "error", "critical"] as const) logger[level]("x");
    expect(lines.map((line) => parsed(line)["level"])).toEqual([
      "DEBUG",
      "INFO",
      "WARNING",
      "ERROR",
      "CRITICAL",
    ]);
  });

  it("keep a context field with the name of a standard field", () => {
    const lines: string[] = [];
    logTo(lines).info("real", { message: "forged", level: "DEBUG", timestamp: 0, logger: "x" });
    expect(parsed(lines[0])).toMatchObject({
      message: "real",
      level: "INFO",
      logger: "obspan",
      message_: "forged",
      level_: "DEBUG",
      timestamp_: 0,
      logger_: "x",
    });
    expect(lines[0]?.match(/"message"/g)).toHaveLength(1);
  });

  it("escape line breaks", () => {
    const lines: string[] = [];
    logTo(lines).info("a\nb", { c: "d\ne" });
    expect(lines[0]?.match(/\n/g)).toHaveLength(1);
  });
});

it.each([
  ["DEBUG", 5],
  ["INFO", 4],
  ["WARNING", 3],
  ["ERROR", 2],
  ["CRITICAL", 1],
] as const)("at %s, %i of the five levels are written", (level, count) => {
  const lines: string[] = [];
  const logger = logTo(lines, { level });
  for (const each of ["debug", "info", "warning", "error", "critical"] as const) logger.child("x")[each]("x");
  expect(lines).toHaveLength(count);
});

describe("a context", () => {
  const circular: Record<string, unknown> = { name: "loop" };
  circular["self"] = circular;
  const odd = {
    circular,
    big: 2n ** 64n,
    nested: { big: 5n },
    nan: Number.NaN,
    missing: undefined,
    run: () => 1,
    symbol: Symbol("s"),
    hostile: {
      toJSON() {
        throw new Error("no");
      },
    },
    err: { message: "not an Error" },
  };

  it.each([true, false])("can have any shape (structured: %s)", (structured) => {
    const lines: string[] = [];
    logTo(lines, { structured }).info("odd", odd);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain("18446744073709551616");
    expect(lines[0]).toContain("[Circular]");
    if (structured) expect(parsed(lines[0])["message"]).toBe("odd");
  });

  it("with a getter that throws does not lose the message", () => {
    const lines: string[] = [];
    const context = {
      get value(): string {
        throw new Error("no");
      },
    };
    logTo(lines).info("still here", context);
    expect(parsed(lines[0])).toMatchObject({ message: "still here", context: "(cannot be read)" });
  });

  it("keeps the stack and the cause of an error", () => {
    const lines: string[] = [];
    logTo(lines).error("failed", { error: new TypeError("outer", { cause: new Error("inner") }) });
    const { error } = parsed(lines[0]);
    expect(error).toContain("TypeError: outer\n    at ");
    expect(error).toContain("inner");
  });
});

describe("plain lines", () => {
  it("are time, level, logger, message and context in columns", () => {
    const lines: string[] = [];
    const logger = logTo(lines, { structured: false });
    logger
      .child("queue")
      .warning("Queue is filling", { service: "my shop", usage_pct: 81.5, empty: "", url: "http://a/b" });
    logger.info("Ready");
    expect(lines[0]?.slice(24)).toBe(
      ' WARNING  queue    Queue is filling service="my shop" usage_pct=81.5 empty="" url=http://a/b\n',
    );
    expect(lines[0]?.slice(0, 24)).toMatch(RFC_3339);
    expect(lines[1]?.slice(24)).toBe(" INFO     obspan   Ready\n");
  });

  it("cannot be forged by line breaks or control characters in any part of the line", () => {
    const lines: string[] = [];
    const evil = "x\n2026-01-01T00:00:00.000Z CRITICAL obspan fake\r\u001b[2J\u2028\u0085";
    logTo(lines, { structured: false })
      .child(evil)
      .info(evil, { [evil]: evil, list: [evil] });
    expect(lines[0]?.split(/[\n\r\u2028\u0085\u001b]/)).toHaveLength(2);
    expect(lines[0]).toContain("x\\n2026");
  });

  it("are coloured on request, but never in the file", () => {
    const lines: string[] = [];
    const logFile = join(directory, "colour.log");
    const logger = logTo(lines, { structured: false, colour: true, logFile });
    logger.error("red", { a: 1 });
    logger.close();
    expect(lines[0]).toContain("\u001b[31mERROR");
    expect(lines[0]?.replace(/\u001b\[[\d;]*m/g, "")).toBe(readFileSync(logFile, "utf8"));
  });
});

describe("the log file", () => {
  it.each([true, false])("mirrors stderr, and is appended to (structured: %s)", (structured) => {
    const logFile = join(directory, `mirror-${structured}.log`);
    const lines: string[] = [];
    for (const message of ["first run", "second run"]) {
      const logger = logTo(lines, { structured, logFile });
      logger.info(message);
      logger.child("x").debug("more", { n: 1 });
      logger.flush();
      expect(readFileSync(logFile, "utf8")).toBe(lines.join(""));
      logger.close();
    }
    expect(lines).toHaveLength(4);
  });

  it("throws if it cannot be opened", () => {
    expect(() => logTo([], { logFile: join(directory, "missing", "x.log") })).toThrow("ENOENT");
    expect(() => logTo([], { logFile: directory })).toThrow("EISDIR");
  });

  it("throws for a named pipe without a reader instead of blocking", () => {
    const pipe = join(directory, "pipe");
    execFileSync("mkfifo", [pipe]);
    expect(() => logTo([], { logFile: pipe })).toThrow("ENXIO");
  });

  it("on a full disk loses only its own lines: stderr continues, failures are counted and logged once", () => {
    const lines: string[] = [];
    const logger = logTo(lines, { logFile: "/dev/full" });
    for (let index = 0; index < 100; index += 1) logger.info(`line ${index}`);
    const records = lines.map(parsed);
    expect(records.filter(({ message }) => String(message).startsWith("line "))).toHaveLength(100);
    const said = records.filter(({ logger: name }) => name === "logging");
    expect(said).toEqual([expect.objectContaining({ level: "ERROR", log_file: "/dev/full" })]);
    expect(said[0]?.["error"]).toContain("ENOSPC");
    // The line that says so is one more that the file could not take.
    expect(logger.fileErrors).toBe(101);
    expect(logger.child("x").fileErrors).toBe(101);
    logger.close();
  });

  it("is closed once, and logging to stderr continues", () => {
    const lines: string[] = [];
    const logger = logTo(lines, { logFile: join(directory, "closed.log") });
    logger.close();
    logger.close();
    logger.flush();
    logger.info("after");
    expect(lines[0]).toContain("after");
  });
});

it("without a log file, has no file errors and can be closed", () => {
  const logger = logTo([]);
  logger.flush();
  logger.close();
  expect(logger.fileErrors).toBe(0);
});
