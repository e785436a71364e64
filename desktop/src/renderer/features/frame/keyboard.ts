import { PAGES } from "./pages.js";

/** What a key does wherever the reader is. */
export type GlobalCommand =
  | { readonly type: "palette" | "shortcuts" | "rail" | "pause" }
  | { readonly type: "go"; readonly path: string };

/** A key that the frame takes. */
interface Binding {
  /** As `KeyboardEvent.key` names it, letters in lower case. */
  readonly key: string;
  /** With ⌘ on a Mac and Ctrl elsewhere; such a key works in fields as well. */
  readonly withMod?: true;
  /** The second of two: this one came just before. */
  readonly after?: string;
  readonly command: GlobalCommand;
}

/** A line of the list of keys. `keys` are alternatives, each of one or more keys pressed in turn. */
export interface Shortcut {
  readonly keys: readonly (readonly string[])[];
  readonly does: string;
  /** Of the keys that the frame itself takes; the others belong to their page. */
  readonly binding?: Binding;
}

export interface ShortcutSection {
  readonly name: string;
  readonly shortcuts: readonly Shortcut[];
}

/** How ⌘ or Ctrl is written in {@link SHORTCUTS}. */
export const MOD = "Mod";

/** Every key of the app: what the list of keys shows, and of its own keys what the frame acts on. */
export const SHORTCUTS: readonly ShortcutSection[] = [
  {
    name: "Anywhere",
    shortcuts: [
      own("Search or jump to", [MOD, "K"], { key: "k", withMod: true, command: { type: "palette" } }),
      own("Keyboard shortcuts", ["?"], { key: "?", command: { type: "shortcuts" } }),
      ...PAGES.map(({ name, path, key }) =>
        own(name, ["G", key], { key: key.toLowerCase(), after: "g", command: { type: "go", path } }),
      ),
      own("Pause or resume", ["Space"], { key: " ", command: { type: "pause" } }),
      own("Names in the rail", ["["], { key: "[", command: { type: "rail" } }),
      page("Filter, or search inside", ["/"]),
      page("Back, close, clear", ["Esc"]),
    ],
  },
  {
    name: "Traces",
    shortcuts: [
      page("Move", ["↑"], ["↓"]),
      page("First, last", ["Home"], ["End"]),
      page("Open", ["↵"]),
      page("Select", ["X"]),
      page("Extend the selection", ["⇧", "↑"], ["⇧", "↓"]),
      page("Add a filter", ["F"]),
      page("Follow new traces", ["L"]),
    ],
  },
  {
    name: "One trace",
    shortcuts: [
      page("Move", ["↑"], ["↓"]),
      page("Fold, unfold", ["←"], ["→"]),
      page("Tree, timeline", ["1"], ["2"]),
      page("Tabs", ["⇧", "1"], ["⇧", "2"], ["⇧", "3"], ["⇧", "4"]),
      page("Next, previous error", ["E"], ["⇧", "E"]),
      page("Older, newer trace", ["J"], ["K"]),
      page("Zoom in, out, fit", ["+"], ["−"], ["0"]),
      page("Right pane", ["]"]),
      page("Copy the link", ["Y"]),
    ],
  },
  {
    name: "Evaluations",
    shortcuts: [page("Move", ["↑"], ["↓"]), page("Open the span", ["↵"]), page("Run again", ["R"])],
  },
];

function own(does: string, keys: readonly string[], binding: Binding): Shortcut {
  return { does, keys: [keys], binding };
}

function page(does: string, ...keys: readonly (readonly string[])[]): Shortcut {
  return { does, keys };
}

const BINDINGS = SHORTCUTS.flatMap(({ shortcuts }) => shortcuts.flatMap(({ binding }) => binding ?? []));
/** Keys that another one must follow. */
const FIRST_KEYS = new Set(BINDINGS.flatMap(({ after }) => after ?? []));

/** The parts of a `KeyboardEvent` that decide. */
export interface Press {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

/** What a key press means: a command, or the first of two keys, or nothing of the frame's. */
export type Meaning =
  | { readonly type: "command"; readonly command: GlobalCommand; readonly withMod: boolean }
  | { readonly type: "first"; readonly key: string };

/** @param after - the first of two keys, where one is waiting for its second. */
export function meaningOf(press: Press, after: string | undefined, isMac: boolean): Meaning | undefined {
  const key = press.key.toLowerCase();
  const hasMod = isMac ? press.metaKey : press.ctrlKey;
  // On many keyboards `[` takes AltGr, which reads as Ctrl and Alt together.
  const isPlain = !press.metaKey && press.ctrlKey === press.altKey;
  const binding = BINDINGS.find(
    (each) => each.key === key && each.after === after && (each.withMod ? hasMod && !press.altKey : isPlain),
  );
  if (binding !== undefined) {
    return { type: "command", command: binding.command, withMod: binding.withMod === true };
  }
  return isPlain && after === undefined && FIRST_KEYS.has(key) ? { type: "first", key } : undefined;
}
