import { describe, expect, it } from "vitest";
import { createTraceViewStore } from "../../../../src/renderer/features/trace/trace-view-store.js";

describe("the view store", () => {
  const view = () => createTraceViewStore({ spanId: undefined, tab: "messages", view: "timeline" });

  it("unfolds the ancestors of the selected span", () => {
    const store = view();
    store.getState().setAllFolded(["root", "a", "b"]);
    store.getState().select("a1", ["a", "root"]);
    expect(store.getState()).toMatchObject({ spanId: "a1", folded: new Set(["b"]) });
  });

  it("zooms only once the timeline is rendered, and back to the whole trace", () => {
    const store = view();
    store.getState().zoomBy(0.5);
    expect(store.getState().window).toBeUndefined();
    store.getState().setWhole({ startMs: 0, endMs: 1000 });
    store.getState().zoomBy(0.5);
    expect(store.getState().window).toEqual({ startMs: 250, endMs: 750 });
    store.getState().zoomBy(2);
    expect(store.getState().window).toBeUndefined();
  });
});
