import { expect, it } from "vitest";
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
async function post({ url }: ShownApp, turn: Turn): Promise<void> {
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
      attributes: { cost_usd: 0.01 },
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
  await post(app, {
    session: "s1",
    trace: "c",
    atS: 9,
    question: "When?",
    answer: "Tomorrow, **before noon**.",
  });
  await expect.poll(() => rows.nth(1).textContent()).toContain("Tomorrow");
  await app.expectAccessible();

  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.getByRole("article", { name: "Turn 2" }).getByText("before noon").waitFor();
  expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("u_42");
  expect(await page.getByRole("article", { name: "Turn 1" }).textContent()).toContain("Where is it?");
  // The right pane has what failed.
  await page.getByRole("region", { name: "Selected turn" }).getByText("no answer in 3 s").waitFor();
  await app.expectAccessible();
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
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/traces\/b/);
  await page.getByRole("link", { name: "s", exact: true }).click();
  await page.waitForURL(/\/sessions\/s\?turn=b/);
  await turn(2).waitFor();
});

it("opens a session of 300 turns at its end, renders few of them, and fetches earlier ones", async () => {
  const app = await showApp("/traces");
  const { page, url } = app;
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
  await fetch(`${url}/v1/telemetry`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ service: "shop", spans }),
  });
  await expect.poll(async () => (await fetch(`${url}/v1/sessions/long`)).status).toBe(200);
  await page.goto(`${url}/sessions/long`);
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
