import type { ViewContent } from "@obspan/collector-core/api-schema";
import { describe, expect, it } from "vitest";
import { createViewsStore } from "../../../src/renderer/store/views-store.js";
import { fakeApi } from "../fake-api.js";

function content(name: string, query = ""): ViewContent {
  return { name, page: "traces", query, columns: null, order: null, group_by: null };
}

describe("the saved views", () => {
  it("are fetched, saved under new ids, and replaced by name", async () => {
    const { api } = fakeApi([]);
    let ids = 0;
    const store = createViewsStore({ api, newId: () => `id${++ids}` });
    await store.getState().load();
    expect(store.getState().views).toEqual([]);
    await store.getState().save(content("Slow"));
    await store.getState().save(content("Failed", "has:error"));
    await store.getState().save(content("Slow", "duration:>2s"));
    expect(store.getState()).toMatchObject({
      isSaving: false,
      views: [
        { id: "id1", query: "duration:>2s" },
        { id: "id2", query: "has:error" },
      ],
    });
    await store.getState().remove("id1");
    expect(store.getState().views?.map(({ id }) => id)).toEqual(["id2"]);
  });

  it("say why a change was refused, until the next one", async () => {
    const { api } = fakeApi([]);
    const store = createViewsStore({ api, newId: () => "a" });
    await store.getState().remove("gone");
    expect(store.getState()).toMatchObject({ failure: "There is no view gone.", isSaving: false });
    await store.getState().save(content("A"));
    expect(store.getState().failure).toBeUndefined();
  });

  it("are imported from a file, and replace those with the same name", async () => {
    const { api } = fakeApi([]);
    let ids = 0;
    const store = createViewsStore({ api, newId: () => `id${++ids}` });
    await store.getState().save(content("Slow"));
    const views = [
      { id: "x", ...content("Slow", "duration:>2s") },
      { id: "y", ...content("Costly", "cost:>1") },
    ];
    await store.getState().importFile(JSON.stringify({ views }));
    expect(store.getState().views).toMatchObject([
      { id: "id1", query: "duration:>2s" },
      { id: "id2", name: "Costly" },
    ]);
    for (const text of ["no JSON", "[]", '{"views":1}']) {
      await store.getState().importFile(text);
      expect(store.getState().failure).toMatch(/no saved views/);
    }
  });
});
