import { describe, expect, test } from "vitest";
import { pressSequence, showApp, type ShownApp } from "./shown-app.js";

const TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";

const input = ({ page }: ShownApp) => page.getByRole("combobox", { name: "Search or jump to" });
const lines = ({ page }: ShownApp) => page.getByRole("option");

/** The used part of an element, because the types of Node lack the DOM. */
interface PageElement {
  readonly ownerDocument: { readonly activeElement: unknown };
  contains(other: unknown): boolean;
}

/** Runs in the page: true if an element or a descendant has the focus. */
const hasFocus = (element: PageElement): boolean => element === element.ownerDocument.activeElement;
const holdsFocus = (element: PageElement): boolean => element.contains(element.ownerDocument.activeElement);

async function openPalette(app: ShownApp, typed = ""): Promise<void> {
  await app.page.keyboard.press("Control+k");
  await input(app).waitFor();
  if (typed !== "") await app.page.keyboard.type(typed);
}

describe("the palette", () => {
  test("opens with Ctrl K, takes the focus and returns it, runs actions, and shows only actions after `>`", async () => {
    const app = await showApp();
    const jump = app.page.getByRole("button", { name: "Search or jump to…" });
    await jump.focus();
    await openPalette(app);
    await app.expectAccessible();
    expect(await input(app).evaluate(hasFocus)).toBe(true);
    await app.page.keyboard.press("Escape");
    await input(app).waitFor({ state: "detached" });
    await expect.poll(() => jump.evaluate(hasFocus)).toBe(true);

    await openPalette(app, ">light");
    await expect.poll(() => lines(app).allTextContents()).toEqual(["Light theme"]);
    await app.page.keyboard.press("Enter");
    await expect.poll(() => app.page.locator("html").getAttribute("data-theme")).toBe("light");
    await openPalette(app, ">nothing like it");
    await expect.poll(() => lines(app).count()).toBe(0);
    await app.expectAccessible("[role=dialog]");
  });

  test("searches the collector for traces by text, filters by a known value and by text with Tab, and opens the trace of a pasted id", async () => {
    const app = await showApp();
    await app.post([TRACE_ID, "refunds.process", "refunds-agent"], ["t2", "catalog.enrich", "catalog-agent"]);
    await openPalette(app, "refu");
    const first = lines(app).first();
    await expect.poll(() => first.textContent()).toContain("refunds.process · refunds-agent");
    await expect.poll(() => lines(app).allTextContents()).toContain("agent:refunds-agent1 trace");
    await app.expectAccessible("[role=dialog]");
    await app.page.keyboard.press("Enter");
    await app.page.waitForURL(`${app.url}/traces/${TRACE_ID}**`);

    await openPalette(app, "refunds-agent");
    await app.page.getByRole("option", { name: "agent:refunds-agent" }).click();
    await app.page.waitForURL(`${app.url}/traces?agent=refunds-agent`);
    await openPalette(app, "order");
    await app.page.keyboard.press("Tab");
    await app.page.waitForURL(`${app.url}/traces?agent=refunds-agent&query=order`);

    // The collector does not have it.
    const pasted = TRACE_ID.replaceAll("4", "5");
    await openPalette(app);
    await input(app).fill(pasted);
    await app.page.keyboard.press("Enter");
    await app.page.waitForURL(`${app.url}/traces/${pasted}**`);
  });

  test("deletes all traces only after a confirmation that defaults to keeping them", async () => {
    const app = await showApp();
    await app.post(["t1", "one", "a"], ["t2", "two", "a"]);
    const kept = async (): Promise<number> =>
      ((await (await fetch(`${app.url}/v1/facets`)).json()) as { total: number }).total;
    await expect.poll(kept, { timeout: 20_000 }).toBe(2);

    await openPalette(app, ">delete all");
    await app.page.getByRole("option", { name: "Delete all traces…" }).waitFor();
    await app.page.keyboard.press("Enter");
    await app.page.getByText("Delete all 2 traces?").waitFor();
    await app.expectAccessible("[role=dialog]");
    await app.page.keyboard.press("Enter");
    await app.page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await kept()).toBe(2);

    await openPalette(app, ">delete all");
    await app.page.getByRole("option", { name: "Delete all traces…" }).waitFor();
    await app.page.keyboard.press("Enter");
    await app.page.getByRole("button", { name: "Delete all" }).click();
    await app.page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await kept()).toBe(0);
  });
});

describe("keys", () => {
  test("pause with Space except on a focused button, go to a page with G and a letter, and are listed by `?` and the palette", async () => {
    const app = await showApp();
    // An open dialog hides the rail from assistive technology, not from the eye.
    const rail = app.page.getByRole("navigation", { name: "Main", includeHidden: true });
    const name = rail.getByText("Evaluations");
    // It is open until the first trace arrives.
    await app.post(["t1", "one", "a"]);
    await name.waitFor({ state: "hidden" });

    await app.page.keyboard.press("Space");
    const resume = app.page.getByRole("button", { name: "Resume" });
    await resume.waitFor();
    await resume.focus();
    await app.page.keyboard.press("Space");
    await app.page.getByRole("button", { name: "Pause" }).waitFor();

    await pressSequence(app.page, "g", "p");
    await app.page.waitForURL(`${app.url}/pipeline`);
    await app.page.keyboard.press("?");
    const dialog = app.page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await dialog.waitFor();
    await app.expectAccessible("[role=dialog]");
    // A dialog disables the keys of the page.
    await pressSequence(app.page, "g", "t");
    expect(app.page.url()).toBe(`${app.url}/pipeline`);
    await app.page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });

    await openPalette(app, "keyboard");
    await lines(app)
      .filter({ hasText: /keyboard/i })
      .first()
      .waitFor();
    await app.page.keyboard.press("Enter");
    await dialog.waitFor();
    await expect.poll(() => dialog.evaluate(holdsFocus)).toBe(true);
    await app.page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });

    // `[` opens the rail, and keys that are typed do nothing else.
    await app.page.keyboard.press("[");
    await name.waitFor();
    await openPalette(app, "[ ?gp");
    expect(await input(app).inputValue()).toBe("[ ?gp");
    expect(await name.isVisible()).toBe(true);
    expect(app.page.url()).toBe(`${app.url}/pipeline`);
  });
});
