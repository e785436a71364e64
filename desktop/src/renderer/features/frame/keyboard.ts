import { PAGES } from "./pages.js";

/** A command that works on every page. */
export type GlobalCommand =
  | { readonly type: "palette" | "shortcuts" | "rail" | "pause" }
  | { readonly type: "go"; readonly path: string };

/** A key binding of the frame. */
interface Binding {
  /** As in `KeyboardEvent.key`, letters in lower case. */
  readonly key: string;
  /** With ⌘ on a Mac and Ctrl elsewhere. Works in text fields too. */
  readonly withMod?: true;
  /** For the second key of a sequence: the key before it. */
  readonly after?: string;
  readonly command: GlobalCommand;
}

/** A row of the shortcut list. `keys` are alternatives, each a sequence of one or more keys. */
export interface Shortcut {
  readonly keys: readonly (readonly string[])[];
  /** The last of a range of sequences that begins with `keys`. */
  readonly to?: readonly string[];
  readonly does: string;
  /** Only for keys that the frame handles; pages handle the others. */
  readonly binding?: Binding;
}

export interface ShortcutSection {
  readonly name: string;
  readonly shortcuts: readonly Shortcut[];
}

/** Placeholder for ⌘ or Ctrl in {@link SHORTCUTS}. */
export const MOD = "Mod";

/** Every shortcut of the app. The frame acts on those that have bindings. */
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
      page("Group by a value", ["B"]),
      page("Follow new traces", ["L"]),
      page("Compare two selected", ["C"]),
    ],
  },
  {
    name: "One trace",
    shortcuts: [
      page("Move", ["↑"], ["↓"]),
      page("Fold, unfold", ["←"], ["→"]),
      range("Views, tree to transcript", ["1"], ["5"]),
      range("Tabs of the span", ["⇧", "1"], ["⇧", "6"]),
      page("Next, previous error", ["E"], ["⇧", "E"]),
      page("Older, newer trace", ["J"], ["K"]),
      page("Follow the newest step", ["L"]),
      page("Zoom in, out, fit", ["+"], ["−"], ["0"]),
      page("Right pane", ["]"]),
      page("Share", ["S"]),
      page("Copy the link", ["Y"]),
      page("Compare with the previous run", ["C"]),
    ],
  },
  {
    name: "Two runs",
    shortcuts: [
      page("Step before, after", ["↑"], ["↓"]),
      page("Next, previous difference", ["N"], ["⇧", "N"]),
      page("Spans, prompts", ["1"], ["2"]),
      page("Swap A and B", ["S"]),
      page("Side by side, unified", ["U"]),
      page("Only changes", ["O"]),
    ],
  },
  {
    name: "Flame",
    shortcuts: [
      page("Next frame", ["↑"], ["↓"], ["←"], ["→"]),
      page("Zoom in; again: open the span", ["↵"]),
      page("Time, tokens, cost", ["T"]),
      page("Fold repeats", ["R"]),
    ],
  },
  {
    name: "Graph",
    shortcuts: [
      page("Next node", ["↑"], ["↓"], ["←"], ["→"]),
      page("Open the span", ["↵"]),
      page("Step before, after", [","], ["."]),
      page("Next loop", ["O"]),
    ],
  },
  {
    name: "Sessions",
    shortcuts: [
      page("Move", ["↑"], ["↓"]),
      page("Open", ["↵"]),
      page("Add a filter", ["F"]),
      page("Follow new sessions", ["L"]),
    ],
  },
  {
    name: "One session",
    shortcuts: [
      page("Turn before, after", ["↑"], ["↓"]),
      page("First, last turn", ["Home"], ["End"]),
      page("Unfold, fold its activity", ["→"], ["←"]),
      page("Open the trace of the turn", ["↵"]),
      page("Compare with the turn before", ["C"]),
      page("Thumb up, down", ["+"], ["−"]),
      page("Older, newer session", ["J"], ["K"]),
      page("Share", ["S"]),
      page("Copy the link", ["Y"]),
      page("Right pane", ["]"]),
    ],
  },
  {
    name: "Evaluations",
    shortcuts: [page("Move", ["↑"], ["↓"]), page("Open the span", ["↵"]), page("Run again", ["R"])],
  },
  { name: "Settings", shortcuts: [page("Find an option", ["/"]), page("Save", [MOD, "S"])] },
];

function own(does: string, keys: readonly string[], binding: Binding): Shortcut {
  return { does, keys: [keys], binding };
}

function page(does: string, ...keys: readonly (readonly string[])[]): Shortcut {
  return { does, keys };
}

function range(does: string, from: readonly string[], to: readonly string[]): Shortcut {
  return { does, keys: [from], to };
}

const BINDINGS = SHORTCUTS.flatMap(({ shortcuts }) => shortcuts.flatMap(({ binding }) => binding ?? []));
/** First keys of sequences. */
const FIRST_KEYS = new Set(BINDINGS.flatMap(({ after }) => after ?? []));

/** The parts of a `KeyboardEvent` that matter here. */
export interface Press {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

/** The meaning of a key press: a command, the first key of a sequence, or nothing. */
export type Meaning =
  | { readonly type: "command"; readonly command: GlobalCommand; readonly withMod: boolean }
  | { readonly type: "first"; readonly key: string };

/** @param after - the first key of a sequence that waits for its second. */
export function meaningOf(press: Press, after: string | undefined, isMac: boolean): Meaning | undefined {
  const key = press.key.toLowerCase();
  const hasMod = isMac ? press.metaKey : press.ctrlKey;
  // On many keyboards `[` needs AltGr, which is reported as Ctrl and Alt.
  const isPlain = !press.metaKey && press.ctrlKey === press.altKey;
  const binding = BINDINGS.find(
    (each) => each.key === key && each.after === after && (each.withMod ? hasMod && !press.altKey : isPlain),
  );
  if (binding !== undefined) {
    return { type: "command", command: binding.command, withMod: binding.withMod === true };
  }
  return isPlain && after === undefined && FIRST_KEYS.has(key) ? { type: "first", key } : undefined;
}
