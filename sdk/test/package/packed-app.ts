import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const SDK = join(import.meta.dirname, "../..");

/** An app's directory with the packed SDK in its node_modules, as `npm install` puts it there. */
export interface PackedApp {
  readonly directory: string;
  readonly tarball: string;
  /** The package within `node_modules`. */
  readonly installed: string;
  write(file: string, text: string): string;
  remove(): void;
}

/** The tarball of `npm pack`. All tests of a run share it, because packing takes a second. */
const PACKED = join(process.env["XDG_DATA_HOME"] ?? tmpdir(), `obspan-sdk-${process.ppid}.tgz`);

function packSdk(directory: string): Buffer {
  if (!existsSync(PACKED)) {
    execFileSync("npm", ["pack", "--silent", "--pack-destination", directory], { cwd: SDK, stdio: "pipe" });
    const tarball = join(directory, readdirSync(directory).find((name) => name.endsWith(".tgz")) ?? "");
    // Whole at once, for another process that looks.
    renameSync(tarball, PACKED);
  }
  return readFileSync(PACKED);
}

/** Packs the SDK and unpacks the tarball, which is a complete installation without dependencies. */
export function packApp(): PackedApp {
  const directory = mkdtempSync(join(tmpdir(), "obspan-packed-"));
  const tarball = join(directory, "sdk.tgz");
  writeFileSync(tarball, packSdk(directory));
  execFileSync("tar", ["-xzf", tarball, "-C", directory]);
  const installed = join(directory, "node_modules/@obspan/sdk");
  mkdirSync(dirname(installed), { recursive: true });
  renameSync(join(directory, "package"), installed);
  return {
    directory,
    tarball,
    installed,
    write(file, text) {
      const path = join(directory, file);
      writeFileSync(path, text);
      return path;
    },
    remove: () => rmSync(directory, { recursive: true }),
  };
}
