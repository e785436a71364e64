import { Menu, Tray, type MenuItemConstructorOptions } from "electron";
import type { TraceSummary } from "@obspan/collector-core";
import { join } from "node:path";
import type { CollectorSnapshot } from "./run-watch.js";
import { menuLabel, trayIconFile, trayView, type TrayView } from "./tray-view.js";

/** Options of {@link createAppTray}. */
export interface AppTrayOptions {
  /** Directory of the icons. */
  readonly icons: string;
  readonly platform: NodeJS.Platform;
  /** The collector's address, which is shown. */
  readonly url: string;
  readonly onOpen: () => void;
  readonly onOpenRun: (run: TraceSummary) => void;
  readonly onPause: (isPaused: boolean) => void;
  readonly onQuit: () => void;
}

/** The icon in the notification area, with its menu. */
export interface AppTray {
  show(snapshot: CollectorSnapshot): void;
}

/** On Linux a new menu replaces an open one: a rate that changes each second would close it under the pointer. */
const UPDATES_BETWEEN_MENUS = 5;
const MAX_SHOWN_RUNS = 5;

/** Creates the tray. Keep a reference: Electron removes the icon of a tray that is collected. */
export function createAppTray(options: AppTrayOptions): AppTray {
  const icon = ({ state }: TrayView): string => join(options.icons, trayIconFile(state, options.platform));
  let tray: Tray | undefined;
  let shown: TrayView | undefined;
  let shownMenu = "";
  let shownSteady = "";
  let sinceMenu = 0;

  function template(
    { isPaused, failedRuns }: CollectorSnapshot,
    view: TrayView,
  ): MenuItemConstructorOptions[] {
    const runs = failedRuns.slice(0, MAX_SHOWN_RUNS);
    return [
      { id: "status", label: menuLabel(view.line), enabled: false },
      { id: "address", label: menuLabel(options.url), enabled: false },
      { type: "separator" },
      { id: "open", label: "Open Obspan", click: options.onOpen },
      {
        id: "pause",
        label: isPaused ? "Resume Collecting" : "Pause Collecting",
        click: () => options.onPause(!isPaused),
      },
      { type: "separator" },
      { id: "failed", label: runs.length === 0 ? "No failed runs" : "Recent failed runs", enabled: false },
      ...runs.map((run, index) => ({
        id: `failed-${index}`,
        label: menuLabel(run.root_name === "" ? run.trace_id : run.root_name),
        click: () => options.onOpenRun(run),
      })),
      { type: "separator" },
      { id: "quit", label: "Quit Obspan", click: options.onQuit },
    ];
  }

  return {
    show(snapshot) {
      const view = trayView(snapshot);
      if (tray === undefined) {
        tray = new Tray(icon(view));
        // Windows and Linux: the menu opens on a click of the other button. macOS opens it on any.
        if (options.platform !== "darwin") tray.on("click", options.onOpen);
      } else if (view.state !== shown?.state) tray.setImage(icon(view));
      if (view.toolTip !== shown?.toolTip) tray.setToolTip(view.toolTip);
      shown = view;

      sinceMenu++;
      const steady = JSON.stringify([view.state, snapshot.isPaused, snapshot.failedRuns.map(keyOf)]);
      const menu = JSON.stringify([steady, view.line]);
      if (menu === shownMenu || (steady === shownSteady && sinceMenu < UPDATES_BETWEEN_MENUS)) return;
      tray.setContextMenu(Menu.buildFromTemplate(template(snapshot, view)));
      shownMenu = menu;
      shownSteady = steady;
      sinceMenu = 0;
    },
  };
}

function keyOf({ tenant, trace_id: traceId, root_name: name }: TraceSummary): readonly string[] {
  return [tenant, traceId, name];
}
