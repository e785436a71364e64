import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openUpdater } from "../../src/main/electron-updater.js";
import { openPreferences } from "../../src/main/preferences.js";
import { createUpdates, type Update, type Updater } from "../../src/main/updates.js";

/** An app whose user gives these answers. */
function withAnswers(answers: number[], update: Update | undefined, failure?: string) {
  const directory = mkdtempSync(join(tmpdir(), "obspan-updates-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const log: string[] = [];
  const asked: string[] = [];
  const updater: Updater = {
    check: () => (failure === undefined ? Promise.resolve(update) : Promise.reject(new Error(failure))),
    download(onProgress) {
      onProgress(0.5);
      log.push("downloaded");
      return Promise.resolve();
    },
    installAtEnd: (startsAgain) => void log.push(startsAgain ? "installs and starts" : "installs"),
  };
  const quiet = { info: () => undefined, warning: (message: string) => void log.push(message) };
  const updates = createUpdates({
    updater,
    version: "1.0.0",
    preferences: openPreferences(join(directory, "preferences.json"), quiet),
    log: quiet,
    ask({ message, detail = "", buttons = [] }) {
      asked.push(`${message}: ${detail} [${buttons.join(", ")}]`);
      return Promise.resolve(answers.shift() ?? 0);
    },
    onProgress: (share) => void log.push(`progress ${share}`),
    quit: () => void log.push("quits"),
  });
  return { updates, log, asked };
}

test("an update is shown with what has changed, and each step is asked for", async () => {
  const { updates, log, asked } = withAnswers([0, 0], { version: "1.1.0", notes: "x".repeat(5000) });
  await updates.check(false);
  expect(asked[0]).toMatch(
    /^Obspan 1\.1\.0 is available: This is 1\.0\.0\.\n\nx{1500}… \[Download, Later\]$/,
  );
  expect(asked[1]).toMatch(/^Obspan 1\.1\.0 is ready: .* \[Restart Now, When Obspan Quits\]$/);
  expect(log).toEqual(["progress 0.5", "downloaded", "progress -1", "installs and starts", "quits"]);
});

test("later is remembered for that version, and the user's own question is answered all the same", async () => {
  const { updates, log, asked } = withAnswers([1, 0, 1], { version: "1.1.0", notes: "news" });
  await updates.check(false);
  await updates.check(false);
  expect(asked).toHaveLength(1);
  expect(log).toEqual([]);
  await updates.check(true);
  expect(asked).toHaveLength(3);
  expect(log).toEqual(["progress 0.5", "downloaded", "progress -1", "installs"]);
});

test("no update and a failure are told only where they were asked for", async () => {
  const newest = withAnswers([], undefined);
  await newest.updates.check(false);
  await newest.updates.check(true);
  expect(newest.asked).toEqual(["Obspan is up to date: 1.0.0 is the newest version. [OK]"]);
  const offline = withAnswers([], undefined, "the feed does not answer");
  await offline.updates.check(false);
  await offline.updates.check(true);
  expect(offline.asked).toEqual(["Obspan cannot be updated: the feed does not answer [OK]"]);
  expect(offline.log).toEqual(["No update: the feed does not answer", "No update: the feed does not answer"]);
});

test("updates are off where the app was built without a feed", async () => {
  const log = { info: () => undefined, warning: () => undefined };
  const onEnd = (): void => undefined;
  expect(await openUpdater({ resources: undefined, log, onEnd })).toBeUndefined();
  expect(await openUpdater({ resources: tmpdir(), log, onEnd })).toBeUndefined();
});
