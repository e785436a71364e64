import type { Menu, MenuItemConstructorOptions } from "electron";

/** The result of `buildFromTemplate`, as far as the double uses it. */
export interface BuiltMenu {
  readonly template: readonly MenuItemConstructorOptions[];
}

/** What a role does is Electron's; that there are such roles is checked (api/menu-item.md, "Roles"). */
const ROLES = new Set([
  "about",
  "appMenu",
  "close",
  "editMenu",
  "help",
  "quit",
  "reload",
  "resetZoom",
  "toggleDevTools",
  "togglefullscreen",
  "windowMenu",
  "zoomIn",
  "zoomOut",
]);

let shown: BuiltMenu | undefined;

/** `Menu` (api/menu.md). */
export const MenuDouble = {
  buildFromTemplate(template: readonly MenuItemConstructorOptions[]): BuiltMenu {
    for (const item of template) check(item);
    return { template };
  },
  setApplicationMenu(menu: BuiltMenu | null): void {
    shown = menu ?? undefined;
  },
} satisfies Record<keyof Pick<typeof Menu, "buildFromTemplate" | "setApplicationMenu">, unknown>;

/** Chooses an entry of the application menu, by its id. */
export function chooseMenuItem(id: string): void {
  const item = findMenuItem(shown?.template ?? [], id);
  if (item === undefined) throw new Error(`electron double: the menu has no item ${id}`);
  // Its arguments are not given: the app's own entries take none.
  const click = item.click as (() => void) | undefined;
  click?.();
}

/** The labels of the entries with an id, by it. */
export function menuLabels(): Record<string, string> {
  const labelsIn = (items: readonly MenuItemConstructorOptions[]): [string, string][] =>
    items.flatMap(({ id, label = "", submenu }) => [
      ...(id === undefined ? [] : [[id, label] as [string, string]]),
      ...(Array.isArray(submenu) ? labelsIn(submenu) : []),
    ]);
  return Object.fromEntries(labelsIn(shown?.template ?? []));
}

/** "A MenuItem must have a role, label or type" (api/menu-item.md). */
function check(item: MenuItemConstructorOptions): void {
  if (item.role === undefined && item.label === undefined && item.type === undefined) {
    throw new Error("Invalid template for MenuItem: must have at least one of label, role or type");
  }
  if (item.role !== undefined && !ROLES.has(item.role)) {
    throw new Error(`electron double: menu role ${item.role} is not implemented`);
  }
  if (Array.isArray(item.submenu)) for (const child of item.submenu) check(child);
}

/** The entry with an id, in a menu or a menu inside it. */
export function findMenuItem(
  items: readonly MenuItemConstructorOptions[],
  id: string,
): MenuItemConstructorOptions | undefined {
  for (const item of items) {
    if (item.id === id) return item;
    const inside = Array.isArray(item.submenu) ? findMenuItem(item.submenu, id) : undefined;
    if (inside !== undefined) return inside;
  }
  return undefined;
}
