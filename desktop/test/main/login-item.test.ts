import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { openJudgeKey } from "../../src/main/judge-key.js";
import { createLoginItem, type LoginSettings } from "../../src/main/login-item.js";
import { openPreferences } from "../../src/main/preferences.js";

vi.mock("electron", () => ({
  safeStorage: {
    isAsyncEncryptionAvailable: () => Promise.resolve(true),
    encryptStringAsync: (text: string) => Promise.resolve(Buffer.from(`sealed:${text}`)),
    decryptStringAsync: (bytes: Buffer) =>
      Promise.resolve({ result: bytes.toString("utf8").replace("sealed:", "") }),
  },
}));

function directory(): string {
  const path = mkdtempSync(join(tmpdir(), "obspan-login-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

/** Remembers the settings as the system does. */
function loginSettings(): LoginSettings & { calls: unknown[] } {
  const calls: unknown[] = [];
  let openAtLogin = false;
  return {
    calls,
    getLoginItemSettings: (options) => {
      calls.push(options);
      return { openAtLogin };
    },
    setLoginItemSettings: (settings) => {
      calls.push(settings);
      ({ openAtLogin } = settings);
    },
  };
}

test.each([
  ["win32", { openAtLogin: true, args: ["--hidden"] }, { args: ["--hidden"] }],
  ["darwin", { openAtLogin: true }, undefined],
] as const)("on %s the system starts the app at login, hidden", (platform, set, get) => {
  const app = loginSettings();
  const item = createLoginItem({ platform, app, configDirectory: "/none", program: "/opt/obspan" });
  expect(item.isOn()).toBe(false);
  item.set(true);
  expect(item.isOn()).toBe(true);
  expect(app.calls).toEqual([get, set, get]);
});

test("on Linux a file in autostart starts it, with its path quoted", () => {
  const configDirectory = directory();
  const program = String.raw`/home/a b/100%/"x"$y.AppImage`;
  const item = createLoginItem({ platform: "linux", app: loginSettings(), configDirectory, program });
  expect(item.isOn()).toBe(false);
  item.set(true);
  expect(item.isOn()).toBe(true);
  const entry = readFileSync(join(configDirectory, "autostart/obspan.desktop"), "utf8");
  expect(entry).toContain(String.raw`Exec="/home/a b/100%%/\\"x\\"\\$y.AppImage" --hidden` + "\n");
  item.set(false);
  expect(item.isOn()).toBe(false);
});

test("preferences keep what is valid, and the last ten files", async () => {
  const file = join(directory(), "preferences.json");
  const warnings: string[] = [];
  const log = { warning: (message: string) => void warnings.push(message) };
  writeFileSync(
    file,
    JSON.stringify({ keepsCollecting: false, costLimitUsd: -1, notifiesFailedRuns: "yes" }),
  );
  const preferences = openPreferences(file, log);
  expect(preferences.values).toMatchObject({
    keepsCollecting: false,
    costLimitUsd: null,
    notifiesFailedRuns: false,
  });
  for (let index = 0; index < 12; index++) preferences.addRecentFile(`/${index}.jsonl`);
  preferences.addRecentFile("/5.jsonl");
  await preferences.saved();
  const again = openPreferences(file, log).values;
  expect(again.recentFiles.slice(0, 3)).toEqual(["/5.jsonl", "/11.jsonl", "/10.jsonl"]);
  expect(again.recentFiles).toHaveLength(10);
  const unwritable = openPreferences(join(file, "no-directory.json"), log);
  unwritable.change({ wasToldOfTray: true });
  await unwritable.saved();
  expect(warnings).toHaveLength(1);
});

test("a file that another program holds, as scanners of Windows do, is tried again: preferences and the judge's key", async () => {
  const path = directory();
  const warnings: string[] = [];
  const log = { warning: (message: string) => void warnings.push(message) };
  /** Fails as Windows does, and then works. */
  const held = <A extends unknown[]>(action: (...args: A) => Promise<void>) => {
    const codes = ["EPERM", "EBUSY", "EACCES"];
    return async (...args: A): Promise<void> => {
      const code = codes.shift();
      if (code !== undefined) throw Object.assign(new Error("in use"), { code });
      await action(...args);
    };
  };
  const file = join(path, "preferences.json");
  const preferences = openPreferences(file, log, held(rename));
  preferences.change({ wasToldOfTray: true });
  preferences.change({ keepsCollecting: false });
  await preferences.saved();
  expect(openPreferences(file, log).values).toMatchObject({ wasToldOfTray: true, keepsCollecting: false });
  expect(warnings).toEqual([]);

  const keyFile = join(path, "judge-key.json");
  const open = async (files: { rename: typeof rename; rm: typeof rm }) => {
    const env: Record<string, string | undefined> = {};
    const whenReady = (): Promise<void> => Promise.resolve();
    return { env, key: await openJudgeKey({ file: keyFile, platform: "win32", env, whenReady, files }) };
  };
  const { key, env } = await open({ rename: held(rename), rm: held(rm) });
  expect(await key.save("first", undefined)).toMatchObject({ stored: "system" });
  // A crash before the new key has its name leaves the old one.
  const failing = await open({
    rename: () => Promise.reject(Object.assign(new Error("disk"), { code: "EIO" })),
    rm: () => Promise.reject(Object.assign(new Error("disk"), { code: "EIO" })),
  });
  await expect(failing.key.save("second", undefined)).rejects.toThrow("disk");
  await expect(failing.key.remove(() => [])).rejects.toThrow("disk");
  expect(failing.env).toEqual({ OBS_SERVER_EVALUATION_JUDGE_API_KEY: "first" });
  expect(readdirSync(path).toSorted()).toEqual(["judge-key.json", "preferences.json"]);
  expect(await key.remove(() => [])).toMatchObject({ stored: "none" });
  expect(env).toEqual({ OBS_SERVER_EVALUATION_JUDGE_API_KEY: undefined });
  expect(readdirSync(path)).toEqual(["preferences.json"]);
});
