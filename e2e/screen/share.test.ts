import { mkdtempSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Download, Page } from "playwright";
import { expect, it, onTestFinished } from "vitest";
import { accessibilityViolations } from "./accessibility.js";
import { sharedBrowser } from "./browser.js";
import { showApp } from "./shown-app.js";

/** Texts that do something where they are not taken as text. */
const HOSTILE = [
  "</script><script>document.title = 'run'</script>",
  `<img src="http://127.0.0.1:9/i.png" onerror="document.title = 'run'">`,
  "[click](javascript:document.title='run') <a href=\"javascript:document.title='run'\">x</a>",
  "![picture](http://127.0.0.1:9/p.png)",
  "</pre></details><style>body{display:none}</style><iframe src=http://127.0.0.1:9></iframe>",
].join("\n");
/** One pixel. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const image = (url: string) => ({ type: "image_url", image_url: { url } });
const SPANS = [
  {
    name: `support ${HOSTILE}`,
    trace_id: "t",
    span_id: "root",
    span_type: "agent",
    duration_ms: 900,
    attributes: {
      ...{ agent: "support", session_id: "chat", user_id: HOSTILE },
      ...{ input_text: "Where is it?", output_text: "In Lyon.", [HOSTILE]: HOSTILE },
    },
  },
  {
    name: "chat",
    trace_id: "t",
    span_id: "call",
    parent_span_id: "root",
    span_type: "llm",
    duration_ms: 400,
    attributes: {
      model: "small",
      prompt_messages: [
        { role: "system", content: "You help." },
        {
          role: "user",
          content: [
            { type: "text", text: `${HOSTILE} jane.roe@example.com` },
            image(`data:image/png;base64,${PNG}`),
            image("http://127.0.0.1:9/remote.png"),
          ],
        },
      ],
      completion_messages: [{ role: "assistant", content: `The parcel is in **Lyon**. ${HOSTILE}` }],
    },
  },
  {
    name: "n".repeat(600),
    trace_id: "t",
    span_id: "long",
    parent_span_id: "root",
    span_type: "llm",
    duration_ms: 20,
    attributes: {
      model: "m".repeat(600),
      prompt_messages: [
        { role: "r".repeat(600), content: [{ type: "text", text: "word" }, image("x".repeat(600))] },
      ],
      completion_messages: [
        {
          role: "assistant",
          tool_calls: [{ id: "1", type: "function", function: { name: "f".repeat(600), arguments: "{}" } }],
        },
      ],
    },
  },
  {
    name: "get_order",
    trace_id: "t",
    span_id: "tool",
    parent_span_id: "root",
    span_type: "tool",
    duration_ms: 30,
    status: "ERROR",
    attributes: {
      tool_name: "get_order",
      error_type: "timeout",
      error_message: HOSTILE,
      input_text: '{"id": 7}',
    },
  },
];

async function downloadOf(page: Page, start: () => Promise<void>): Promise<Download> {
  const downloading = page.waitForEvent("download");
  await start();
  return await downloading;
}

it("downloads a trace as lines, Markdown, and a page that opens anywhere and runs nothing", async () => {
  const app = await showApp();
  const { page } = app;
  await fetch(`${app.url}/v1/telemetry`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ service: "shop", env: "production", spans: SPANS }),
  });
  await page.getByRole("grid", { name: "Traces" }).getByRole("row").nth(1).click();
  await page.getByRole("button", { name: "Share" }).waitFor();

  const html = await downloadOf(page, async () => {
    // The key works from the first effect of the page on.
    await expect
      .poll(async () => {
        await page.keyboard.press("s");
        return await page.getByRole("menuitem", { name: /Web page/ }).count();
      })
      .toBe(1);
    expect(await accessibilityViolations(page, ["[role=menu]"])).toEqual([]);
    await page.getByRole("menuitem", { name: /Web page/ }).press("Enter");
  });
  expect(html.suggestedFilename()).toBe("obspan-trace-t.html");
  const raw = await downloadOf(page, async () => {
    await page.keyboard.press("s");
    await page.getByRole("menuitemcheckbox", { name: "Replace personal data" }).click();
    await page.getByRole("menuitem", { name: /Markdown/ }).click();
  });
  expect(await readFile(await raw.path(), "utf8")).toContain("jane.roe@example.com");
  const lines = await downloadOf(page, async () => {
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Search or jump to" }).fill(">json");
    await page.keyboard.press("Enter");
  });
  expect(lines.suggestedFilename()).toBe("obspan-trace-t.otlp.jsonl");
  expect((await readFile(await lines.path(), "utf8")).trim().split("\n")).toHaveLength(1);

  const file = join(mkdtempSync(join(tmpdir(), "obspan-share-")), "trace.html");
  await html.saveAs(file);
  const session = await fetch(`${app.url}/v1/sessions/chat/export?format=html`);
  const sessionFile = join(dirname(file), "session.html");
  await writeFile(sessionFile, await session.text());
  const browser = await sharedBrowser();
  for (const colorScheme of ["dark", "light"] as const) {
    const context = await browser.newContext({ colorScheme, viewport: { width: 900, height: 800 } });
    onTestFinished(() => context.close());
    const requested: string[] = [];
    await context.route(/^(?!file:|data:)/, async (route) => {
      requested.push(route.request().url());
      await route.abort();
    });
    const shared = await context.newPage();
    const complaints: string[] = [];
    shared.on("console", (message) => complaints.push(message.text()));
    shared.on("pageerror", (error) => complaints.push(error.message));
    await shared.goto(pathToFileURL(file).href);

    await shared.getByRole("heading", { name: "Transcript" }).waitFor();
    await shared.getByText("The parcel is in Lyon.").waitFor();
    expect(await shared.getByText("onerror=").count()).toBeGreaterThan(3);
    expect(await shared.content()).not.toContain("jane.roe");
    // No name or text makes the page wider than the window.
    expect(
      await shared.evaluate(
        () =>
          (globalThis as unknown as { document: { documentElement: { scrollWidth: number } } }).document
            .documentElement.scrollWidth,
      ),
    ).toBeLessThanOrEqual(900);
    // Each span unfolds to its attributes.
    const tool = shared.getByRole("group").filter({ hasText: "ERROR" }).last();
    await tool.locator("summary").click();
    await tool.getByText('{"id": 7}').waitFor();

    expect(await shared.title()).toMatch(/^support /);
    expect(
      await shared
        .locator("img")
        .evaluateAll((images) => (images as unknown as { src: string }[]).map(({ src }) => src.slice(0, 15))),
    ).toEqual(["data:image/png;"]);
    expect(
      await shared
        .locator("a")
        .evaluateAll((links) =>
          (links as unknown as { getAttribute(name: string): string }[]).map((link) =>
            link.getAttribute("href"),
          ),
        ),
    ).toEqual(["#transcript", "#spans"]);
    expect(await shared.locator("script").count()).toBe(1);
    expect(await shared.locator("iframe, object, embed, form, link, base").count()).toBe(0);
    const data = JSON.parse((await shared.locator("#trace-data").textContent()) ?? "") as {
      spans: { name: string }[];
    };
    expect(data.spans.some(({ name }) => name.startsWith("support </script><script>"))).toBe(true);
    expect(await accessibilityViolations(shared)).toEqual([]);

    // The file of a session is as safe. Its steps unfold without a script.
    await shared.goto(pathToFileURL(sessionFile).href);
    await shared.getByRole("heading", { name: /^Turn 1/ }).waitFor();
    expect(await shared.getByText("The parcel is in Lyon.").isVisible()).toBe(false);
    await shared.getByText(/2 model calls · 1 tool call/).click();
    await shared.getByText("The parcel is in Lyon.").waitFor();
    expect(await shared.title()).toBe("chat · Obspan session");
    expect(await shared.content()).not.toContain("jane.roe");
    expect(await shared.locator("script, a, iframe, object, embed, form, link, base").count()).toBe(0);
    expect(await accessibilityViolations(shared)).toEqual([]);
    expect([requested, complaints]).toEqual([[], []]);
  }
});
