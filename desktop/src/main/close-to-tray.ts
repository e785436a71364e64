import type { BrowserWindow } from "electron";
import { askUser } from "./ask-user.js";
import type { Preferences } from "./preferences.js";

/** Options of {@link closeToTray}. */
export interface CloseToTrayOptions {
  readonly preferences: Preferences;
  readonly platform: NodeJS.Platform;
  /** True from the first request to quit: the window then closes. */
  readonly isQuitting: () => boolean;
  readonly quit: () => void;
}

/** Hides the window instead of closing it, so that the collector goes on. The first time, it says so and offers to quit. */
export function closeToTray(window: BrowserWindow, options: CloseToTrayOptions): void {
  const { preferences } = options;
  let isAsking = false;

  async function tell(): Promise<void> {
    isAsking = true;
    const place = options.platform === "darwin" ? "menu bar" : "tray";
    const answer = await askUser(
      {
        type: "info",
        message: "Obspan keeps collecting",
        detail:
          `Closing the window leaves Obspan running in the ${place}, so that your apps can send their spans. ` +
          "Start Obspan again to see the window; quit it from its icon or its menu. " +
          "File › Keep Collecting When Closed turns this off.",
        buttons: ["Keep Collecting", "Quit"],
        defaultId: 0,
        cancelId: 0,
      },
      window,
    );
    isAsking = false;
    preferences.change({ wasToldOfTray: true });
    if (answer === 1) options.quit();
    else window.hide();
  }

  window.on("close", (event) => {
    if (options.isQuitting() || !preferences.values.keepsCollecting) return;
    event.preventDefault();
    if (preferences.values.wasToldOfTray) window.hide();
    else if (!isAsking) void tell();
  });
}
