import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const sources = ["main", "preload", "renderer", "shared"].flatMap((part) => {
  const directory = join(root, "desktop/src", part);
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => ({ name: `${part}/${file}`, text: readFileSync(join(directory, file), "utf8") }));
});

/** The files whose text matches. */
function filesWith(pattern: RegExp): string[] {
  return sources.filter(({ text }) => pattern.test(text)).map(({ name }) => name);
}

describe("Electron's security checklist, where no attack can be tried on the double", () => {
  test("no page gets Node, and no switch of Electron is weakened", () => {
    expect(
      filesWith(/nodeIntegration\w*: true|contextIsolation: false|sandbox: false|webSecurity: false/),
    ).toEqual([]);
    expect(filesWith(/allowRunningInsecureContent: true|experimentalFeatures|enableBlinkFeatures/)).toEqual(
      [],
    );
    expect(filesWith(/<webview|allowpopups|webviewTag: true/)).toEqual([]);
    expect(
      filesWith(/--no-sandbox|commandLine\.appendSwitch|setAsDefaultProtocolClient\("(?!obspan)/),
    ).toEqual([]);
  });

  test("the preload script has no general way to send, and passes on no event", () => {
    expect(filesWith(/ipcRenderer\.(send|sendSync|sendToHost|postMessage)\b/)).toEqual([]);
    expect(filesWith(/from "electron"/).filter((file) => !file.startsWith("main/"))).toEqual([
      "preload/preload.ts",
    ]);
    expect(filesWith(/ipcMain/)).toEqual(["main/bridge-handlers.ts"]);
  });

  test("only two places open something outside, and no page is loaded from a file", () => {
    expect(filesWith(/openExternal\(/).filter((file) => file.startsWith("main/"))).toEqual([
      "main/app-menu.ts",
      "main/external-links.ts",
    ]);
    expect(filesWith(/openPath\(|loadFile\(|protocol\.(handle|register)/)).toEqual([]);
  });

  test("the packed app has its fuses set", () => {
    const config = readFileSync(join(root, "electron-builder.yml"), "utf8");
    const fuses = /^electronFuses:\n((?: {2}.*\n)+)/m.exec(config)?.[1] ?? "";
    expect(fuses.trim().split(/\n\s*/)).toEqual([
      "runAsNode: false",
      "enableNodeOptionsEnvironmentVariable: false",
      "enableNodeCliInspectArguments: false",
      "enableCookieEncryption: true",
      "enableEmbeddedAsarIntegrityValidation: true",
      "onlyLoadAppFromAsar: true",
      "grantFileProtocolExtraPrivileges: false",
    ]);
    expect(config).toMatch(/^asar: true$/m);
  });

  test("the app is offered for files of traces and takes none over", () => {
    const config = readFileSync(join(root, "electron-builder.yml"), "utf8");
    expect(config).toMatch(/rank: Alternate/);
    const installer = readFileSync(join(root, "packaging/installer.nsh"), "utf8");
    expect(installer).toMatch(/\.jsonl\\OpenWithProgids/);
    expect(installer).not.toMatch(/WriteRegStr SHELL_CONTEXT "Software\\Classes\\\.(nd)?jsonl?" ""/);
  });
});
