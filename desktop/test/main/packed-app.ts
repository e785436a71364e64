import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const desktop = fileURLToPath(new URL("../../", import.meta.url));

/** As in electron-builder.yml. */
const LEFT_OUT = /\.(?:map|tsbuildinfo|br|gz)$/;

/** An unpacked copy of the packed app outside the sources, with no other files. */
export interface PackedApp {
  readonly directory: string;
  readonly main: string;
  remove(): void;
}

/** Copies what electron-builder.yml packs. Needs the build. */
export function packApp(): PackedApp {
  const directory = mkdtempSync(join(tmpdir(), "obspan-app-"));
  for (const part of [
    "package.json",
    "dist/main",
    "dist/preload",
    "dist/renderer",
    "icons/icon.png",
    "icons/tray",
  ]) {
    const source = join(desktop, part);
    if (!existsSync(source)) throw new Error(`desktop/${part} is missing: run \`npm run build\` first.`);
    cpSync(source, join(directory, part), { recursive: true, filter: (file) => !LEFT_OUT.test(file) });
  }
  return {
    directory,
    main: join(directory, "dist/main/main.js"),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}
