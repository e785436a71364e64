import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { shippingRun } from "./shipping-run.js";
import { pressSequence, showApp, type ShownApp } from "./shown-app.js";

const BASE_MS = Date.now() - 3_600_000;

interface Turn {
  readonly session?: string;
  readonly user?: string;
  readonly trace: string;
  readonly atS: number;
  readonly question?: string;
  readonly answer?: string;
  readonly isRunning?: boolean;
}

/** Posts a trace: an agent that calls a model and two tools. */
async function post(app: ShownApp, turn: Turn): Promise<void> {
  const { session, user, trace, atS, question, answer, isRunning = false } = turn;
  const at = (ms: number): string => new Date(BASE_MS + atS * 1000 + ms).toISOString();
  const child = { trace_id: trace, parent_span_id: "root", duration_ms: 300 };
  const spans = [
    {
      name: "support.answer",
      trace_id: trace,
      span_id: "root",
      span_type: "agent",
      start_time: at(0),
      ...(isRunning ? { status: "RUNNING" } : { duration_ms: 2000 }),
      attributes: {
        agent: "support",
        ...(session !== undefined && { session_id: session }),
        ...(user !== undefined && { user_id: user }),
        ...(question !== undefined && { input_text: question }),
        ...(answer !== undefined && { output_text: answer }),
      },
    },
    {
      ...child,
      name: "chat",
      span_id: "m",
      span_type: "llm",
      start_time: at(100),
      // Without a cost, the collector computes it.
      attributes: isRunning
        ? { model: "gpt-5-mini", tokens_input: 9000, tokens_output: 100 }
        : { cost_usd: 0.01 },
    },
    { ...child, name: "get_order", span_id: "t1", span_type: "tool", start_time: at(500) },
    {
      ...child,
      name: "get_order",
      span_id: "t2",
      span_type: "tool",
      start_time: at(900),
      status: "ERROR",
      attributes: { error_type: "timeout", error_message: "no answer in 3 s" },
    },
  ];
  await send(app, spans);
}

async function send({ url }: Pick<ShownApp, "url">, spans: readonly object[]): Promise<void> {
  const response = await fetch(`${url}/v1/telemetry`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ service: "shop", env: "production", spans }),
  });
  expect(response.status).toBe(202);
}

it("lists the sessions by their last activity, follows them, and opens one as a conversation", async () => {
  const app = await showApp("/sessions");
  const { page } = app;
  await post(app, { trace: "alone", atS: 0, question: "No session" });
  await page.getByText("1 trace is stored without one.").waitFor();
  await app.expectAccessible();

  await post(app, {
    session: "s1",
    user: "u_42",
    trace: "a",
    atS: 1,
    question: "Where is it?",
    answer: "In Lyon.",
  });
  const rows = page.getByRole("grid", { name: "Sessions" }).getByRole("row");
  await rows.filter({ hasText: "u_42" }).waitFor();
  await post(app, { session: "s2", trace: "b", atS: 5, question: "And mine?", isRunning: true });
  await rows.filter({ hasText: "And mine?" }).getByText("running…").waitFor();
  expect(await rows.nth(1).textContent()).toContain("And mine?");
  expect(await rows.nth(1).textContent()).toContain("≈ $0.0024, computed from the price list");
  expect(await rows.nth(2).textContent()).not.toContain("≈");
  await page.getByText(/^2 sessions · 1 running · 2 with errors · ≈ \$0\.01/).waitFor();
  await post(app, {
    session: "s1",
    trace: "c",
    atS: 9,
    question: "When?",
    answer: "Tomorrow, **before noon**.",
  });
  await expect.poll(() => rows.nth(1).textContent()).toContain("Tomorrow");
  await app.expectAccessible();
  await page.getByRole("link", { name: "1 trace has none" }).waitFor();
  await filterByWhatSessionsAre(app);
  await selectAndExport(app);

  await page.getByRole("grid", { name: "Sessions" }).press("Home");
  await page.keyboard.press("Enter");
  await page.getByRole("article", { name: "Turn 2" }).getByText("before noon").waitFor();
  expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("u_42");
  expect(await page.getByRole("article", { name: "Turn 1" }).textContent()).toContain("Where is it?");
  // The right pane has what failed.
  const pane = page.getByRole("region", { name: "Selected turn" });
  await pane.getByText("no answer in 3 s").waitFor();
  await app.expectAccessible();

  // Turns of one cost have bars of one length, whichever is selected.
  const bars = page.getByRole("navigation", { name: "Turns" }).locator("button > i");
  expect((await bars.first().boundingBox())?.width).toBe((await bars.nth(1).boundingBox())?.width);

  // What the agent did, and the scores, can be hidden.
  const activity = page.getByRole("button", { name: /^What happened/ });
  await page.getByRole("button", { name: "Activity", pressed: true }).click();
  await expect.poll(() => activity.count()).toBe(0);
  await page.getByRole("button", { name: "Activity", pressed: false }).click();
  await expect.poll(() => activity.count()).toBe(2);

  // The search finds what spans say, in whichever turn.
  await page.keyboard.press("/");
  const search = page.getByRole("textbox", { name: "Search inside this session" });
  await search.fill("LYON");
  await page.getByRole("search").getByText("– of 1").waitFor();
  await search.press("Enter");
  await page.getByRole("search").getByText("1 of 1").waitFor();
  const first = page.getByRole("article", { name: "Turn 1" });
  expect(await first.getAttribute("aria-current")).toBe("true");
  await first.getByText("has the text").waitFor();
  await app.expectAccessible();
  await search.fill("no such words");
  await page.getByRole("search").getByText("none").waitFor();
  await search.press("Escape");
  await page.getByRole("button", { name: "Search inside" }).waitFor();

  // The whole session for others, and for a judge.
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("button", { name: "Copy as Markdown" }).click();
  await expect
    .poll(() => page.evaluate("navigator.clipboard.readText()"))
    .toMatch(/^# Session: s1\n[^]*> Where is it\?[^]*> Tomorrow, \*\*before noon\*\*\./);
  await page.keyboard.press("s");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("menuitem", { name: /JSON lines/ }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("obspan-session-s1.otlp.jsonl");
  // A menu that is still open takes the key.
  await page.getByRole("menu").waitFor({ state: "detached" });
  await page.keyboard.press("s");
  const [web] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("menuitem", { name: /Web page/ }).click(),
  ]);
  expect(web.suggestedFilename()).toBe("obspan-session-s1.html");
  await page.getByRole("button", { name: "Evaluate the session" }).click();
  const [request] = await Promise.all([
    page.waitForRequest((each) => each.method() === "POST" && each.url().endsWith("/v1/evaluations")),
    page.getByRole("menuitem", { name: "relevance", exact: true }).click(),
  ]);
  expect(request.postDataJSON()).toMatchObject({ types: ["relevance"], trace_ids: ["a", "c"] });
  // Without a judge, the collector says so.
  await page.locator("footer").getByRole("status").waitFor();

  await page.getByRole("feed").focus();
  await page.keyboard.press("End");
  await page.keyboard.press("c");
  await page.waitForURL(/\/compare\?a=a&b=c/);
});

/** The menus of sessions: each shows what it found, and is a part of the address. */
async function filterByWhatSessionsAre({ page, expectAccessible }: ShownApp): Promise<void> {
  const rows = page.getByRole("grid", { name: "Sessions" }).getByRole("row");
  const filters = page.getByRole("group", { name: "Filters" });
  const open = (name: string) => filters.getByRole("button", { name, exact: false }).click();
  const clear = () => page.getByRole("button", { name: "Clear", exact: true }).click();

  await open("Turns");
  await expectAccessible();
  await page.getByRole("menuitemradio", { name: "2 or more" }).click();
  await expect.poll(() => rows.count()).toBe(2);
  expect(await rows.nth(1).textContent()).toContain("u_42");
  await filters.getByRole("button", { name: "Turns ≥ 2" }).waitFor();
  expect(new URL(page.url()).searchParams.get("query")).toBe("turns:>=2");
  await clear();
  await expect.poll(() => rows.count()).toBe(3);

  await open("State");
  await page.getByRole("option", { name: "running" }).click();
  await expect.poll(() => rows.count()).toBe(2);
  expect(await rows.nth(1).textContent()).toContain("And mine?");
  await open("Feedback");
  await expectAccessible();
  await page.getByRole("option", { name: "thumb down" }).click();
  await page.getByRole("heading", { name: "No session matches" }).waitFor();
  await clear();

  await open("User");
  // What is counted is not what is listed.
  await page.getByRole("option", { name: /^u_42\s*1 trace$/ }).click();
  await expect.poll(() => rows.count()).toBe(2);
  await open("Cost");
  await page.getByRole("menuitemradio", { name: "$0.05 or more" }).click();
  await page.getByRole("heading", { name: "No session matches" }).waitFor();
  await page.reload();
  await filters.getByRole("button", { name: "Cost ≥ $0.05" }).waitFor();
  await clear();
  await expect.poll(() => rows.count()).toBe(3);

  // A wrong value is named where it is typed.
  const query = page.getByRole("combobox", { name: "Filter sessions" });
  await query.fill("turns:many");
  await query.press("Enter");
  await page
    .getByRole("alert")
    .getByText(/^Turns must be a number or a range/)
    .waitFor();
  await query.fill("");
  await query.blur();
}

/** Selects by key and by pointer, exports what is selected and what matches, and hides a column. */
async function selectAndExport({ page, expectAccessible }: ShownApp): Promise<void> {
  const grid = page.getByRole("grid", { name: "Sessions" });
  const bar = page.getByRole("region", { name: "Selected sessions" });
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("x");
  await bar.getByText("1 selected").waitFor();
  await page.keyboard.press("Shift+ArrowDown");
  await bar.getByText("2 selected").waitFor();
  const chosen = grid.getByRole("row", { selected: true });
  expect(await chosen.count()).toBe(2);
  // Also the row that the keys are at looks selected, while the focus is elsewhere.
  const grounds = await chosen.evaluateAll((elements) => {
    const { getComputedStyle } = globalThis as unknown as {
      getComputedStyle(element: unknown): { backgroundColor: string };
    };
    return elements.map((element) => getComputedStyle(element).backgroundColor);
  });
  expect(new Set(grounds).size).toBe(1);
  await grid.getByRole("row").nth(2).locator("[data-selects]").click();
  await bar.getByText("1 selected").waitFor();
  await expectAccessible();
  const exported = async (start: () => Promise<void>): Promise<string> => {
    const [download] = await Promise.all([page.waitForEvent("download"), start()]);
    expect(download.suggestedFilename()).toMatch(/^obspan-sessions-[\dT-]+\.otlp\.jsonl$/);
    return await readFile(await download.path(), "utf8");
  };
  const one = await exported(() => bar.getByRole("button", { name: "Export" }).click());
  const id = (trace: string): RegExp => new RegExp(`"session_id","value":{"stringValue":"${trace}"}`);
  expect(one).toMatch(id("s1"));
  expect(one).not.toMatch(id("s2"));
  const all = await exported(() => page.getByRole("link", { name: "Export what matches" }).click());
  expect(all).toMatch(id("s1"));
  expect(all).toMatch(id("s2"));

  await bar.getByRole("button", { name: "Delete" }).click();
  await bar.getByRole("alert").getByText("Delete 1 session with all its traces?").waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await expect.poll(() => bar.count()).toBe(0);

  const columns = page.getByRole("button", { name: "Columns" });
  await columns.click();
  await page.getByRole("menuitemcheckbox", { name: "Turns" }).press("Space");
  await expect.poll(() => grid.getByRole("columnheader", { name: "Turns" }).count()).toBe(0);
  await page.getByRole("menuitemcheckbox", { name: "User" }).press("ArrowRight");
  await page.getByRole("menuitemcheckbox", { name: "User" }).getByText("140 px").waitFor();
  await expectAccessible();
  await page.getByRole("menuitem", { name: "Reset columns" }).click();
  await grid.getByRole("columnheader", { name: "Turns" }).waitFor();
  await page.keyboard.press("Escape");
}

it("fetches the parser of the texts with the page, before there is a text", async () => {
  const { page } = await showApp("/sessions/none");
  await page.getByRole("heading", { name: "No such session" }).waitFor();
  const fetched = (): Promise<number> =>
    page.evaluate<number>(
      `performance.getEntriesByType("resource").filter(({ name }) => /\\/markdown-/.test(name)).length`,
    );
  await expect.poll(fetched).toBeGreaterThan(0);
});

it("reads one session by keys, takes a thumb, and follows the next turn", async () => {
  const app = await showApp("/traces");
  const { page } = app;
  for (const [n, trace] of ["a", "b", "c"].entries())
    await post(app, {
      session: "s",
      user: "u",
      trace,
      atS: n * 10,
      question: `question ${n}`,
      answer: `answer ${n}`,
    });
  await pressSequence(page, "g", "c");
  await page.getByRole("gridcell", { name: /question 0/ }).click();
  const turn = (n: number) => page.getByRole("article", { name: `Turn ${n}`, exact: true });
  await turn(3).getByText("answer 2").waitFor();
  expect(await turn(3).getAttribute("aria-current")).toBe("true");

  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowRight");
  await turn(2).getByRole("list").getByText("get_order").first().waitFor();
  await page.keyboard.press("ArrowLeft");
  await expect.poll(() => turn(2).getByRole("list").count()).toBe(0);

  await page.keyboard.press("+");
  await turn(2).getByRole("button", { name: "Good", pressed: true }).waitFor();
  await page.keyboard.press("-");
  await turn(2).getByRole("button", { name: "Bad", pressed: true }).waitFor();
  expect(await turn(2).getByRole("button", { name: "Good" }).getAttribute("aria-pressed")).toBe("false");

  await post(app, { session: "s", trace: "d", atS: 40, question: "question 3", isRunning: true });
  await turn(4).getByText("question 3").waitFor();
  // The reader has chosen another turn.
  expect(await turn(2).getAttribute("aria-current")).toBe("true");

  // What was billed again because the cache broke, and how much redaction replaced in what was said.
  const [root, ...steps] = shippingRun("shipping", BASE_MS + 60_000);
  const said = { session_id: "s", input_text: "Call me: [PHONE_NUMBER] or [EMAIL], not [LATER]." };
  await send(app, [{ ...root, attributes: { ...root?.attributes, ...said } }, ...steps]);
  await turn(5).getByText("Call me").click();
  const broken = page
    .getByRole("region", { name: "Selected turn" })
    .getByRole("link", { name: /Cache broke/ });
  expect(await broken.innerText()).toMatch(/summarise \(step \d\)\s+≈ \$0\.0108/);
  await page.getByText("5 turns = 5 traces · 2 redactions").waitFor();
  await turn(2).getByText("question 1").click();
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/traces\/b/);
  await page.getByRole("link", { name: "s", exact: true }).click();
  await page.waitForURL(/\/sessions\/s\?turn=b/);
  await turn(2).waitFor();
});

it("opens a session of 300 turns at its end, renders few of them, and fetches earlier ones", async () => {
  const spans = Array.from({ length: 300 }, (_, n) => ({
    name: "answer",
    trace_id: `t${n}`,
    span_id: "root",
    start_time: new Date(BASE_MS + n * 1000).toISOString(),
    duration_ms: 100,
    attributes: {
      session_id: "long",
      input_text: `question ${n + 1}`,
      output_text: `answer ${n + 1}\n\nIt is late.\n\nSorry.`,
    },
  }));
  const { page } = await showApp("/sessions/long", {
    before: async ({ url }) => {
      await fetch(`${url}/v1/telemetry`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ service: "shop", spans }),
      });
      await expect.poll(async () => (await fetch(`${url}/v1/sessions/long`)).status).toBe(200);
    },
  });
  await page.getByText("answer 300").waitFor();
  const turns = page.getByRole("article");
  expect(await turns.count()).toBeLessThan(30);
  const feed = page.getByRole("feed");
  // Turns grow when their texts arrive, and the end stays in view.
  const belowView = (): Promise<number> =>
    feed.evaluate((element: { scrollHeight: number; clientHeight: number; scrollTop: number }) =>
      Math.round(element.scrollHeight - element.clientHeight - element.scrollTop),
    );
  await page.getByText("Sorry.").last().waitFor();
  await expect.poll(belowView).toBeLessThan(5);
  await expect
    .poll(
      async () => {
        await feed.evaluate((element: { scrollTop: number }) => (element.scrollTop = 0));
        return await page.getByText("question 1", { exact: true }).count();
      },
      { timeout: 20_000 },
    )
    .toBe(1);
  expect(await turns.count()).toBeLessThan(30);
});
