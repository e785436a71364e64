import { expect, test, vi } from "vitest";
import { launchApp } from "./launch-app.js";

async function isCollecting(url: string): Promise<boolean> {
  return (await fetch(`${url}/ready`)).status === 200;
}

test("a page that crashes or hangs can be reloaded, the collector goes on, and the app can be restarted", async () => {
  const app = launchApp();
  const url = await app.url();
  const page = await app.page();
  await page.evaluate(() => location.assign("/pipeline"));
  await page.waitForURL(`${url}/pipeline`);

  app.command({ type: "crash-page" });
  const crashed = await app.page("data:");
  expect(await crashed.title()).toBe("The page stopped – Obspan");
  const text = await crashed.innerText("main");
  expect(text).toContain("Its process ended (crashed). The collector keeps running");
  expect(text).toContain("The page's process ended: crashed");
  expect(text).toContain("obspan.log");
  expect(await isCollecting(url)).toBe(true);

  // The page stands outside of the collector's origin: the bridge answers it nothing, and no script of it runs.
  const called = crashed.evaluate(() => window.obspan?.openExternal("https://example.com/"));
  await expect(called).rejects.toThrow("Denied.");
  const ran = await crashed.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.ran = true";
    document.body.append(script);
    return "ran" in window;
  });
  expect(ran).toBe(false);

  await crashed.click("text=Reload the page");
  await vi.waitFor(async () => expect(await app.ask({ type: "page-url" })).toBe(`${url}/pipeline`), {
    timeout: 30_000,
  });

  // A page that hangs: waiting changes nothing, reloading does.
  app.command({ type: "page-hangs" });
  const hangs = await app.dialog();
  expect(hangs.options).toMatchObject({ message: "The page does not respond", buttons: ["Wait", "Reload"] });
  app.command({ type: "page-hangs" });
  app.command({ type: "answer-dialog", id: hangs.id, response: 0 });
  await app.ask({ type: "tray" });
  app.command({ type: "page-hangs" });
  app.command({ type: "answer-dialog", id: (await app.dialog(2)).id, response: 1 });
  await vi.waitFor(() => expect(crashed.isClosed()).toBe(true), { timeout: 30_000 });
  const reloaded = await app.page(`${url}/pipeline`);
  expect(await reloaded.title()).toBe("Obspan");

  // Only the page of a crash restarts the app.
  await reloaded.evaluate(() => location.assign("/restart-obspan"));
  app.command({
    type: "child-process-gone",
    details: { type: "GPU", reason: "oom", exitCode: 5, serviceName: "GPU", name: "GPU" },
  });
  await vi.waitFor(
    () => expect(app.log().at(-1)).toMatchObject({ message: "A process of Electron ended: GPU: oom" }),
    { timeout: 30_000 },
  );
  expect(app.reports("relaunch")).toEqual([]);
  app.command({ type: "crash-page" });
  await (await app.page("data:")).click("text=Restart Obspan");
  expect(await app.exit).toBe(0);
  expect(app.reports("relaunch")).toHaveLength(1);
  expect(app.log().at(-1)).toMatchObject({ message: "Ledger" });
});

test("an error that nothing catches stops the app in order, and a restart is offered with the log", async () => {
  const app = launchApp({ args: ["--hidden"] });
  await app.url();
  // A choice in a menu that does not exist throws in the double, and so in the main process.
  app.command({ type: "menu", id: "no such entry" });
  // Where the machine is busy, the dialog of a long stop comes first.
  const told = await vi.waitFor(
    () => {
      const found = app.reports("dialog").find(({ options }) => options.message === "Obspan has to stop");
      if (found === undefined) throw new Error("No dialog of the error");
      return found;
    },
    { timeout: 30_000 },
  );
  expect(told.options.buttons).toEqual(["Restart", "Quit"]);
  expect(told.options.detail).toMatch(
    /^electron double: the menu has no item[^]*obspan\.log\n[^]*Uncaught exception/,
  );
  expect(app.log().at(-1)).toMatchObject({ message: "Ledger" });
  app.command({ type: "answer-dialog", id: told.id, response: 0 });
  expect(await app.exit).toBe(1);
  // The new start shows its window.
  const [{ args } = { args: ["--hidden"] }] = app.reports("relaunch");
  expect(args).not.toContain("--hidden");
});
