import { expect, it } from "vitest";
import { defaultConfigFile } from "../../src/config/default-config-file.js";

it.each([
  ["linux", {}, "/home/ada", "/home/ada/.config/obspan/obspan.yaml"],
  ["linux", { XDG_CONFIG_HOME: "/settings" }, "/home/ada", "/settings/obspan/obspan.yaml"],
  ["linux", { XDG_CONFIG_HOME: "settings" }, "/home/ada", "/home/ada/.config/obspan/obspan.yaml"],
  ["darwin", {}, "/Users/ada", "/Users/ada/Library/Application Support/obspan/obspan.yaml"],
  [
    "win32",
    { APPDATA: String.raw`C:\Users\Ada\AppData\Roaming` },
    String.raw`C:\Users\Ada`,
    String.raw`C:\Users\Ada\AppData\Roaming\obspan\obspan.yaml`,
  ],
  ["win32", {}, String.raw`C:\Users\Ada`, String.raw`C:\Users\Ada\AppData\Roaming\obspan\obspan.yaml`],
  ["linux", {}, "", undefined],
] as const)(
  "the file is in the configuration directory of the user: %s %j %s",
  (platform, env, homeDirectory, expected) => {
    expect(defaultConfigFile({ platform, env, homeDirectory })).toBe(expected);
  },
);
