import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The argument of a start at login: no window is shown. */
export const HIDDEN_ARGUMENT = "--hidden";

/** Whether the app starts with the user's session. */
export interface LoginItem {
  isOn(): boolean;
  set(isOn: boolean): void;
}

/** The part of Electron's `app` that macOS and Windows need. */
export interface LoginSettings {
  getLoginItemSettings(options?: { args?: string[] }): { readonly openAtLogin: boolean };
  setLoginItemSettings(settings: { openAtLogin: boolean; args?: string[] }): void;
}

/** Options of {@link createLoginItem}. */
export interface LoginItemOptions {
  readonly platform: NodeJS.Platform;
  readonly app: LoginSettings;
  /** Directory of the user's configuration on Linux, such as `~/.config`. */
  readonly configDirectory: string;
  /** Path of the program: that of the AppImage, which mounts its content elsewhere at each start. */
  readonly program: string;
}

/** Starts the app at login, hidden. Linux has no call for it: a file in `autostart` is its standard. */
export function createLoginItem({ platform, app, configDirectory, program }: LoginItemOptions): LoginItem {
  const args = [HIDDEN_ARGUMENT];
  if (platform === "win32")
    return {
      isOn: () => app.getLoginItemSettings({ args }).openAtLogin,
      set: (openAtLogin) => app.setLoginItemSettings({ openAtLogin, args }),
    };
  // macOS passes no arguments, and tells the app that it was opened at login.
  if (platform === "darwin")
    return {
      isOn: () => app.getLoginItemSettings().openAtLogin,
      set: (openAtLogin) => app.setLoginItemSettings({ openAtLogin }),
    };
  const directory = join(configDirectory, "autostart");
  const file = join(directory, "obspan.desktop");
  return {
    isOn: () => existsSync(file),
    set(isOn) {
      if (!isOn) {
        rmSync(file, { force: true });
        return;
      }
      mkdirSync(directory, { recursive: true });
      writeFileSync(file, desktopEntry(program));
    },
  };
}

/** https://specifications.freedesktop.org/desktop-entry-spec/latest/exec-variables.html */
function desktopEntry(program: string): string {
  // Quoted twice: as an argument, and as a string of the file. A percent sign would be a field code.
  const quoted = `"${program.replaceAll(/["`$\\]/g, String.raw`\$&`)}"`;
  const exec = quoted.replaceAll("\\", "\\\\").replaceAll("%", "%%");
  return [
    "[Desktop Entry]",
    "Type=Application",
    "Name=Obspan",
    `Exec=${exec} ${HIDDEN_ARGUMENT}`,
    "Terminal=false",
    "X-GNOME-Autostart-enabled=true",
    "",
  ].join("\n");
}
