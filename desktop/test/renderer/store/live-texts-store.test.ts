import { expect, it, vi } from "vitest";
import type { OpenTextFeed, TextListener } from "../../../src/renderer/api/text-feed.js";
import { appendText } from "../../../src/renderer/store/append-text.js";
import { createLiveTextsStore } from "../../../src/renderer/store/live-texts-store.js";

function setUp() {
  const close = vi.fn();
  let listener: TextListener = () => undefined;
  const open = vi.fn<OpenTextFeed>((_key, listen) => {
    listener = listen;
    return close;
  });
  const store = createLiveTextsStore(open);
  const receive = (span_id: string, completion_partial: string): void =>
    listener({ tenant: "", trace_id: "t", span_id, completion_partial });
  return { store, open, close, receive, texts: () => Object.fromEntries(store.getState().texts) };
}

it("keeps the latest text of each span while it follows a trace", () => {
  const { store, open, close, receive, texts } = setUp();
  const stop = store.getState().follow({ traceId: "t", tenant: "a" });
  expect(open.mock.calls[0]?.[0]).toEqual({ traceId: "t", tenant: "a" });
  receive("s1", "The ");
  receive("s2", "Another ");
  receive("s1", "The capital ");
  expect(texts()).toEqual({ s1: "The capital ", s2: "Another " });
  stop();
  expect(close).toHaveBeenCalledOnce();
  expect(texts()).toEqual({});
});

it("keeps a bounded number of texts", () => {
  const { store, receive, texts } = setUp();
  store.getState().follow({ traceId: "t", tenant: "" });
  for (let index = 0; index < 1000; index++) receive(`s${index}`, "text ");
  expect(Object.keys(texts())).toHaveLength(200);
  expect(texts()).toHaveProperty("s999");
});

it("joins the last part of a text with what is shown, so that its beginning does not move", () => {
  const words = Array.from({ length: 3000 }, (_, index) => `word${index} `);
  let shown = "";
  for (let count = 100; count <= words.length; count += 100) {
    const whole = words.slice(0, count).join("");
    shown = appendText(shown, whole.length <= 8000 ? whole : `…${whole.slice(-8000)}`);
    expect(shown).toBe(whole);
  }
});

it("shows the last part alone where text before it is missing, or where the text is too long", () => {
  expect(appendText("", "…the end ")).toBe("…the end ");
  expect(appendText("something else ", "…the end ")).toBe("…the end ");
  expect(appendText("x".repeat(100_000), `…${"x".repeat(300)}y `)).toBe(`…${"x".repeat(300)}y `);
});
