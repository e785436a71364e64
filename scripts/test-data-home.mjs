/**
 * Global setup of the test suites: gives them directories of their own for data and configuration, and fails if one wrote into the user's. A test that
 * starts `obspan serve --local` with an environment of its own passes the variables on.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";

const VARIABLES = ["XDG_DATA_HOME", "LOCALAPPDATA", "XDG_CONFIG_HOME", "APPDATA"];

export function setup() {
  const directories = userDirectories();
  const missing = directories.filter((directory) => !existsSync(directory));
  const home = mkdtempSync(join(tmpdir(), "obspan-test-data-"));
  for (const variable of VARIABLES) process.env[variable] = home;
  return () => {
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    const written = missing.filter((directory) => existsSync(directory));
    if (written.length === 0) return;
    // Vitest prints what its teardown throws, and ends with 0.
    process.exitCode = 1;
    throw new Error(
      `${written.join(", ")} was created while the tests ran: by a test, or by a collector that was started meanwhile.`,
    );
  };
}

/** The directories in which `--local` and the desktop app keep data of this user. */
function userDirectories() {
  const { HOME: home = homedir(), XDG_DATA_HOME, XDG_CONFIG_HOME, LOCALAPPDATA } = process.env;
  const data = [
    XDG_DATA_HOME,
    LOCALAPPDATA,
    join(home, ".local/share"),
    join(home, "Library/Application Support"),
    join(home, "AppData/Local"),
  ];
  const config = [XDG_CONFIG_HOME, join(home, ".config"), join(home, "Library/Application Support")];
  return [
    ...data.filter((each) => each !== undefined).map((each) => join(each, "obspan")),
    ...config
      .filter((each) => each !== undefined)
      .flatMap((each) => [join(each, "Obspan"), join(each, "obspan")]),
  ];
}
