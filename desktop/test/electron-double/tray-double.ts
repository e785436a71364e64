import type { Tray } from "electron";
import { existsSync } from "node:fs";
import { findMenuItem, type BuiltMenu } from "./menu-double.js";
import { KnownEvents } from "./unimplemented.js";

type TrayMethods = Pick<Tray, "setContextMenu" | "setImage" | "setToolTip">;

const EVENTS = new Set(["click"]);

/** What a test sees of a tray. */
export interface ShownTray {
  readonly image: string;
  readonly toolTip: string;
  readonly items: readonly { readonly id: string | undefined; readonly label: string | undefined }[];
}

let shown: TrayDouble | undefined;

/** `Tray` (api/tray.md): one, which a test asks for what it shows. */
export class TrayDouble extends KnownEvents implements TrayMethods {
  #image = "";
  #toolTip = "";
  #menu: BuiltMenu | undefined;

  constructor(image: string) {
    super("Tray", EVENTS);
    this.setImage(image);
    show(this);
  }

  /** "Sets the image associated with this tray icon." A path without a file gives no icon. */
  setImage(image: Electron.NativeImage | string): void {
    if (typeof image !== "string") throw new Error("electron double: Tray takes paths only");
    if (!existsSync(image)) throw new Error(`electron double: there is no image ${image}`);
    this.#image = image;
  }

  setToolTip(toolTip: string): void {
    this.#toolTip = toolTip;
  }

  setContextMenu(menu: Electron.Menu | BuiltMenu | null): void {
    this.#menu = (menu as BuiltMenu | null) ?? undefined;
  }

  get shown(): ShownTray {
    const template = this.#menu?.template ?? [];
    return {
      image: this.#image,
      toolTip: this.#toolTip,
      items: template.map(({ id, label }) => ({ id, label })),
    };
  }

  choose(id: string): void {
    const click = findMenuItem(this.#menu?.template ?? [], id)?.click as (() => void) | undefined;
    if (click === undefined) throw new Error(`electron double: the tray has no item ${id}`);
    click();
  }
}

/** The tray of the app. */
export function theTray(): TrayDouble {
  if (shown === undefined) throw new Error("electron double: there is no tray");
  return shown;
}

function show(tray: TrayDouble): void {
  shown = tray;
}
