import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { launchApp, newConfigHome } from "./launch-app.js";

const KEY = "sk-test-0123456789";

test("the first run offers limits of the traces, and the judge's key is kept in the system's safe storage, and as plain text only if the user wants it", async () => {
  const configHome = newConfigHome();
  const file = join(configHome, "Obspan/judge-key.json");
  const judge = async (url: string): Promise<unknown> => {
    const { config } = (await (await fetch(`${url}/v1/config`)).json()) as { config: Record<string, object> };
    return config["evaluation.judge_api_key"];
  };

  // A desktop of Linux without a keyring: Electron would use a fixed password.
  const bare = launchApp({ configHome, env: { ELECTRON_DOUBLE_KEYRING: "basic_text" } });
  const page = await bare.page();

  // The first run offers in one line to change how long traces are kept; a later one does not.
  const offer = page.getByRole("region", { name: "How long traces are kept" });
  await offer.getByLabel("Traces are kept for").selectOption("30 days");
  await offer.getByText("OK").click();
  await offer.getByText("Saved. The limits hold after a restart.").waitFor();
  expect(readFileSync(join(configHome, "obspan/obspan.yaml"), "utf8")).toMatch(/ttl_seconds: 2592000/);
  await offer.getByText("Later").click();
  await page.goto(`${await bare.url()}/settings`);
  const row = page.locator('[data-key="evaluation.judge_api_key"]');
  await row.getByLabel("evaluation.judge_api_key").fill(KEY);
  await row.getByText("Store key").click();
  const asked = await bare.dialog();
  expect(asked.options).toMatchObject({
    message: "This system has no safe storage for the key",
    buttons: ["Don't Save", "Save as Plain Text"],
    defaultId: 0,
  });
  // A page that saves keys in a loop causes one question.
  const save = { type: "invoke-as", isMainFrame: true, channel: "obspan:save-judge-key" } as const;
  expect(await bare.ask({ ...save, url: await bare.url(), args: [KEY] })).toMatchObject({ stored: "none" });
  expect(bare.reports("dialog")).toHaveLength(1);
  bare.command({ type: "answer-dialog", id: asked.id, response: 0 });
  await row.getByText("No key is stored.").waitFor();
  expect(existsSync(file)).toBe(false);

  await row.getByLabel("evaluation.judge_api_key").fill(KEY);
  await row.getByText("Store key").click();
  bare.command({ type: "answer-dialog", id: (await bare.dialog(2)).id, response: 1 });
  await row.getByText("A key is stored as plain text").waitFor();
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ protection: "plain", key: KEY });
  // An option is saved and holds after one click.
  await page.locator('[data-key="sampling.rate"]').getByLabel("sampling.rate").fill("0.5");
  await page.getByText("Save and restart").click();
  expect(await bare.exit).toBe(0);
  expect(readFileSync(join(configHome, "obspan/obspan.yaml"), "utf8")).toMatch(/rate: 0\.5/);
  expect(bare.reports("relaunch")).toHaveLength(1);

  // With a keyring. The configuration has the key, and nothing shows it.
  const app = launchApp({ configHome });
  const url = await app.url();
  expect(await judge(url)).toMatchObject({ value: "***" });
  const settings = await app.page();
  expect(await settings.evaluate(() => window.obspan?.retention.isSettled())).toBe(true);
  await settings.goto(`${url}/settings`);
  const stored = settings.locator('[data-key="evaluation.judge_api_key"]');
  await stored.getByLabel("evaluation.judge_api_key").fill(`${KEY}-new`);
  await stored.getByText("Store key").click();
  await stored.getByText("A key is in the system's safe storage.").waitFor();
  expect(readFileSync(file, "utf8")).not.toContain(KEY);
  // What the next start needs is not removed.
  const yaml = join(configHome, "obspan/obspan.yaml");
  const before = readFileSync(yaml, "utf8");
  const judged =
    before.replaceAll("\n", "\r\n") + "evaluation:\r\n  enabled: true\r\n  judge_provider: openai\r\n";
  writeFileSync(yaml, judged);
  await stored.getByText("Remove").click();
  await stored.getByText(/^The key is needed: .*evaluation\.enabled = true/).waitFor();
  expect(existsSync(file)).toBe(true);
  writeFileSync(yaml, before);
  expect(app.reports("dialog")).toEqual([]);
  expect(JSON.stringify(app.log())).not.toContain(KEY);
  await app.ask({ type: "tray" });
  // The terminal that started it was closed.
  app.process.kill("SIGHUP");
  expect(await app.exit).toBe(0);
  expect(app.log().map(({ message }) => message)).toContain("Stopping: SIGHUP");

  // Another system cannot read it. The app starts all the same, says so, and the key can be removed.
  const foreign = launchApp({ configHome, env: { ELECTRON_DOUBLE_KEYRING: "none" } });
  const there = await foreign.page();
  await there.goto(`${await foreign.url()}/settings`);
  const lost = there.locator('[data-key="evaluation.judge_api_key"]');
  await lost.getByText("The stored key cannot be read.").waitFor();
  expect(await judge(await foreign.url())).toMatchObject({ value: null });
  await lost.getByText("Remove").click();
  await vi.waitFor(() => expect(existsSync(file)).toBe(false), { timeout: 30_000 });
});
