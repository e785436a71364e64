import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createLoginItem, type LoginSettings } from "../../src/main/login-item.js";
import { openPreferences } from "../../src/main/preferences.js";

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

test("preferences keep what is valid, and the last ten files", () => {
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
  const again = openPreferences(file, log).values;
  expect(again.recentFiles.slice(0, 3)).toEqual(["/5.jsonl", "/11.jsonl", "/10.jsonl"]);
  expect(again.recentFiles).toHaveLength(10);
  openPreferences(join(file, "no-directory.json"), log).change({ wasToldOfTray: true });
  expect(warnings).toHaveLength(1);
});
