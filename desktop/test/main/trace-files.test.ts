import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { launchApp, newConfigHome } from "./launch-app.js";

const SPAN = {
  traceId: "0af7651916cd43dd8448eb211c80319c",
  spanId: "b7ad6b7169203331",
  name: "chat",
  startTimeUnixNano: "1000000",
  endTimeUnixNano: "2000000",
};

/** A line of a file, as the collector exports it. */
function line(span: object, tenant = "acme"): string {
  const attributes = [{ key: "obspan.tenant", value: { stringValue: tenant } }];
  return `${JSON.stringify({ resourceSpans: [{ resource: { attributes }, scopeSpans: [{ spans: [span] }] }] })}\n`;
}

const SENT_ID = { ...SPAN, attributes: [{ key: "obspan.trace_id", value: { stringValue: "my run" } }] };

test("files of traces are opened by every way there is, told if they are broken, and saved with their tenant", async () => {
  const configHome = newConfigHome();
  const file = (name: string, text: string): string => {
    writeFileSync(join(configHome, name), text);
    return join(configHome, name);
  };
  const good = file("good.jsonl", line(SPAN));
  const named = file("named.jsonl", line(SENT_ID));
  const mixed = file("mixed.jsonl", `${line(SPAN)}no json\n`);
  const broken = file("broken.jsonl", "no json\n");

  // An argument of the first start.
  const paths = {
    "dropped.jsonl": join(configHome, "dropped.jsonl"),
    "notes.txt": join(configHome, "notes.txt"),
  };
  const env = { ELECTRON_DOUBLE_PATHS: JSON.stringify(paths) };
  const app = launchApp({ configHome, env, args: ["--hidden", good] });
  const page = await app.page();
  const url = await app.url();
  // A page that replaces another one ends its navigation, which `waitForURL` takes for a failure.
  const shows = (address: string) => vi.waitFor(() => expect(page.url()).toBe(address), { timeout: 30_000 });
  await shows(`${url}/traces/${SPAN.traceId}`);
  expect(app.reports("protocol")).toEqual([{ type: "protocol", protocol: "obspan" }]);

  // Saving the trace that is shown. The file has its tenant, and can be opened again.
  await page.waitForSelector("text=chat");
  app.command({ type: "menu", id: "save-trace" });
  const saving = await app.report("save-dialog");
  expect(saving.options.defaultPath).toBe(`obspan-trace-${SPAN.traceId}.jsonl`);
  const saved = join(configHome, "saved.jsonl");
  // Of another program, which downloads a file of that name.
  const beside = `${saved}.part`;
  writeFileSync(beside, "half of another file");
  app.command({ type: "answer-files", id: saving.id, paths: [saved] });
  await vi.waitFor(() => expect(readFileSync(saved, "utf8")).toContain(SPAN.traceId), { timeout: 30_000 });
  expect(readFileSync(saved, "utf8")).toContain('"stringValue":"acme"');
  expect(readFileSync(beside, "utf8")).toBe("half of another file");

  // The menu, with several files; the last is shown.
  app.command({ type: "menu", id: "open-file" });
  const choosing = await app.report("open-dialog");
  app.command({ type: "answer-files", id: choosing.id, paths: [saved, named] });
  await shows(`${url}/traces/my%20run`);
  expect(app.reports("progress").map(({ progress }) => progress)).toEqual([-1, 1, -1, 1, -1]);
  await vi.waitFor(
    async () =>
      expect(await app.ask({ type: "menu-labels" })).toMatchObject({
        "recent-0": named,
        "recent-1": saved,
        "recent-2": good,
      }),
    { timeout: 30_000 },
  );

  // What is dropped on the page is offered again, if it may have traces and is a file on the disk.
  await page.goto(`${url}/traces`);
  await page.getByText("chat").first().waitFor();
  for (const name of ["notes.txt", "made-by-the-page.jsonl", "dropped.jsonl"]) {
    const data = await page.evaluateHandle(
      ([called, text]) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([text], called));
        return transfer;
      },
      [name, line(SPAN)] as const,
    );
    await page.dispatchEvent("body", "drop", { dataTransfer: data });
  }
  await expect
    .poll(() => app.ask({ type: "menu-labels" }))
    .toMatchObject({ "recent-0": paths["dropped.jsonl"], "recent-1": named });

  // A file that is refused in part, and one that is refused, by the Dock and by another start.
  app.command({ type: "open-from-system", name: "open-file", target: mixed });
  const inPart = await app.dialog();
  expect(inPart.options.message).toBe("mixed.jsonl was opened in part");
  expect(inPart.options.detail).toMatch(/^Left out: 1 of 2 lines\.\nLine 2: /);
  const second = launchApp({ configHome, args: [broken] });
  expect(await second.exit).toBe(0);
  const refused = await app.dialog(2);
  expect(refused.options.message).toBe("broken.jsonl cannot be opened");
  expect(refused.options.detail).toMatch(/^Line 1: /);

  // A refused line that only looks like an id does not keep the others from being shown.
  const odd = file("odd.jsonl", `{"key":"obspan.trace_id","value":{"stringValue":"\\x"}\n${line(SPAN)}`);
  app.command({ type: "open-from-system", name: "open-file", target: odd });
  expect((await app.dialog(3)).options.message).toBe("odd.jsonl was opened in part");
  await shows(`${url}/traces`);

  // What is gone is told, and no longer offered.
  app.command({ type: "menu", id: "recent-4" });
  await shows(`${url}/traces/${SPAN.traceId}`);
  const gone = join(configHome, "gone.jsonl");
  app.command({ type: "open-from-system", name: "open-file", target: gone });
  expect((await app.dialog(4)).options.detail).toBe("The file is not there.");
  app.command({ type: "menu", id: "forget-recent" });
  await vi.waitFor(
    async () =>
      expect(await app.ask({ type: "menu-labels" })).toMatchObject({ "no-recent": "No Recent Files" }),
    { timeout: 30_000 },
  );

  // Links: of the system, and of another start, where nothing else of its arguments counts.
  app.command({ type: "open-from-system", name: "open-url", target: "obspan://trace/my%20run" });
  await shows(`${url}/traces/my%20run`);
  const third = launchApp({ configHome, args: [broken, "obspan://trace/..", "--hidden"] });
  expect(await third.exit).toBe(0);
  await shows(`${url}/traces/by-id?trace_id=..`);
  expect(app.reports("dialog")).toHaveLength(4);
  app.command({ type: "menu", id: "save-trace" });
  const missing = await app.report("save-dialog", 2);
  app.command({ type: "answer-files", id: missing.id, paths: [gone] });
  expect((await app.dialog(5)).options.message).toBe("gone.jsonl was not saved");
});
