import { fileURLToPath } from "node:url";
import type { TraceDetail, TraceList } from "@obspan/collector-core/api-schema";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright";
import { expect, it, onTestFinished } from "vitest";
import { until } from "../harness/until.js";
import { startProgram } from "../harness/child-program.js";
import { showApp, type ShownApp } from "./shown-app.js";

const APP = fileURLToPath(new URL("../harness/streaming-app.mjs", import.meta.url));

/** A provider that streams a chat completion. The test sends its pieces. */
interface Provider {
  readonly url: string;
  send(text: string): Promise<void>;
  finish(): Promise<void>;
}

async function startProvider(): Promise<Provider> {
  let begin: (response: ServerResponse) => void;
  const begun = new Promise<ServerResponse>((resolve) => (begin = resolve));
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      response.flushHeaders();
      begin(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const event = (delta: object, reason: string | null = null): string => {
    const choices = [{ index: 0, delta, finish_reason: reason }];
    const chunk = { id: "c1", object: "chat.completion.chunk", created: 1, model: "gpt-5-mini", choices };
    return `data: ${JSON.stringify(chunk)}\n\n`;
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    send: async (text) => void (await begun).write(event({ role: "assistant", content: text })),
    finish: async () => void (await begun).end(`${event({}, "stop")}data: [DONE]\n\n`),
  };
}

const WORDS = Array.from({ length: 4000 }, (_, index) => `word${index} `);

/** Opens the model call that runs. */
async function openCall({ page, url }: ShownApp): Promise<void> {
  const path = await until(
    "the model call runs",
    async () => {
      const { traces } = (await (await fetch(`${url}/v1/traces`)).json()) as TraceList;
      const traceId = traces[0]?.trace_id ?? "";
      const { spans } = (await (await fetch(`${url}/v1/traces/${traceId}`)).json()) as TraceDetail;
      const call = spans.find(({ span_type: type }) => type === "llm");
      return call && `/traces/${traceId}?span=${call.span_id}`;
    },
    30_000,
  );
  await page.goto(url + path);
}

const message = (page: Page) => page.getByRole("article", { name: "Assistant, still writing" });
const panel = (page: Page) => page.getByRole("tabpanel");

/** How far the message is scrolled, and how much of it is below, in pixels. */
async function scrolling(page: Page): Promise<{ top: number; rest: number }> {
  return await panel(page).evaluate(({ scrollTop, scrollHeight, clientHeight }: ScrolledElement) => ({
    top: scrollTop,
    rest: scrollHeight - clientHeight - scrollTop,
  }));
}

/** The types of a browser are not those of the tests. */
type ScrolledElement = Readonly<Record<"scrollTop" | "scrollHeight" | "clientHeight", number>>;

it("the trace page shows the answer of a model while it is written, and then the whole answer", async () => {
  const app = await showApp();
  const { page } = app;
  const provider = await startProvider();
  const program = startProgram(process.execPath, [APP], {
    OBS_PUSH_URL: app.url,
    OBS_LIVE: "true",
    OPENAI_API_KEY: "k",
    OPENAI_BASE_URL: provider.url,
  });
  onTestFinished(() => program.signal("SIGKILL"));

  await provider.send("The capital of **France** is Par");
  await openCall(app);
  await message(page).getByText("The capital of **France** is", { exact: true }).waitFor();
  const transcript = page.getByRole("feed", { name: "Transcript" });
  await transcript.getByText("The capital of **France** is", { exact: true }).waitFor();
  await app.expectAccessible();

  // The text grows beyond 8 KiB, at its end only.
  await provider.send(`is, ${WORDS.slice(0, 1000).join("")}`);
  await message(page).getByText("word999").waitFor();
  for (let first = 1000; first < WORDS.length; first += 1000) {
    await provider.send(WORDS.slice(first, first + 1000).join(""));
    await message(page)
      .getByText(`word${first + 998}`)
      .waitFor();
  }
  const shown = (await message(page).locator("pre").textContent()) ?? "";
  expect(shown).toContain("word3998");
  expect(shown).not.toContain("writing");
  // The end of the text stays in view, until its reader scrolls up: then nothing moves.
  await expect.poll(async () => (await scrolling(page)).rest).toBeLessThan(2);
  await panel(page).press("Home");
  await expect.poll(async () => (await scrolling(page)).top).toBe(0);
  const above = (await message(page).boundingBox())?.y;
  await provider.send(`and the last lines${"\nare here now".repeat(10)} at the end`);
  await message(page).getByText("are here now at the").waitFor();
  expect((await scrolling(page)).top).toBe(0);
  expect((await message(page).boundingBox())?.y).toBe(above);

  await provider.finish();
  expect(await program.exit).toMatchObject({ code: 0 });
  expect(program.stdout()).toContain("word3999 and the last lines");
  await message(page).waitFor({ state: "detached" });
  // The complete answer is Markdown.
  await transcript.getByText("France", { exact: true }).and(page.locator("strong")).waitFor();
  await panel(page).getByText("France", { exact: true }).and(page.locator("strong")).waitFor();
  await app.expectAccessible("[role=feed]", "[role=tabpanel]");
}, 120_000);
