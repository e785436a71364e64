import { expect, it } from "vitest";
import { defaultTraceDirectory } from "../../src/config/default-trace-directory.js";

it.each([
  ["linux", {}, "/home/ada", "/home/ada/.local/share/obspan/traces"],
  ["linux", { XDG_DATA_HOME: "/data" }, "/home/ada", "/data/obspan/traces"],
  ["linux", { XDG_DATA_HOME: "data" }, "/home/ada", "/home/ada/.local/share/obspan/traces"],
  ["linux", { XDG_DATA_HOME: "" }, "/home/ada", "/home/ada/.local/share/obspan/traces"],
  ["freebsd", {}, "/home/ada", "/home/ada/.local/share/obspan/traces"],
  ["darwin", {}, "/Users/ada", "/Users/ada/Library/Application Support/obspan/traces"],
  ["darwin", { XDG_DATA_HOME: "/data" }, "/Users/ada", "/data/obspan/traces"],
  [
    "win32",
    { LOCALAPPDATA: "C:\\Users\\Ada\\AppData\\Local" },
    "C:\\Users\\Ada",
    "C:\\Users\\Ada\\AppData\\Local\\obspan\\traces",
  ],
  ["win32", {}, "C:\\Users\\Ada", "C:\\Users\\Ada\\AppData\\Local\\obspan\\traces"],
  ["linux", {}, "", undefined],
  ["linux", { XDG_DATA_HOME: "/data" }, "", "/data/obspan/traces"],
] as const)(
  "keeps traces in the data directory of the user: %s %j %s",
  (platform, env, homeDirectory, expected) => {
    expect(defaultTraceDirectory({ platform, env, homeDirectory })).toBe(expected);
  },
);
