import { describe, expect, test } from "vitest";
import { meaningOf, SHORTCUTS, type Press } from "../../../../src/renderer/features/frame/keyboard.js";

const press = (key: string, held: Partial<Press> = {}): Press => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  ...held,
});

describe("a key press", () => {
  test("opens a page after G, and is not the frame's without it", () => {
    expect(meaningOf(press("g"), undefined, false)).toEqual({ type: "first", key: "g" });
    expect(meaningOf(press("E"), "g", false)).toMatchObject({
      command: { type: "go", path: "/evaluations" },
    });
    expect(meaningOf(press("e"), undefined, false)).toBeUndefined();
  });

  test("opens the palette with ⌘ on a Mac and Ctrl elsewhere", () => {
    const palette = { type: "command", command: { type: "palette" }, withMod: true };
    expect(meaningOf(press("k", { ctrlKey: true }), undefined, false)).toEqual(palette);
    expect(meaningOf(press("k", { metaKey: true }), undefined, true)).toEqual(palette);
    expect(meaningOf(press("k", { ctrlKey: true }), undefined, true)).toBeUndefined();
  });

  test("with Ctrl, ⌘ or Alt is the browser's, but AltGr may be needed to type `[`", () => {
    for (const held of [{ ctrlKey: true }, { metaKey: true }, { altKey: true }]) {
      expect(meaningOf(press("[", held), undefined, false)).toBeUndefined();
    }
    expect(meaningOf(press("[", { ctrlKey: true, altKey: true }), undefined, false)).toBeDefined();
  });

  test("has one meaning: no two bindings of the frame are equal", () => {
    const keys = SHORTCUTS.flatMap(({ shortcuts }) => shortcuts.flatMap(({ binding }) => binding ?? []));
    expect(new Set(keys.map(({ after = "", key }) => `${after} ${key}`)).size).toBe(keys.length);
  });
});
