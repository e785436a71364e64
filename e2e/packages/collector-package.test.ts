import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { freePort } from "../../collector-core/test/free-port.js";
import { inherited, startProgram } from "../harness/child-program.js";
import { until } from "../harness/until.js";
import { sharedBrowser, openPage } from "../screen/browser.js";

const project = fileURLToPath(new URL("../../", import.meta.url));
const README = join(project, "collector-core/README.md");

/** Files that the tarball may contain, below `package/`. */
const SHIPPED = [
  /^(package\.json|README\.md|LICENSE)$/,
  /^bin\/obspan\.js$/,
  /^dist\/[\w/-]+(\.d\.ts|\.js)$/,
  /^bundle\/([\w.-]+\.js|licenses\.md)$/,
  /^ui\/(index\.html|licenses\.md|fonts-license\.txt)(\.br|\.gz)?$/,
  /^ui\/assets\/[\w.-]+\.(js|css|woff2|svg)(\.br|\.gz)?$/,
  /^(prometheus\/[\w-]+\.yml|grafana\/[\w-]+\.json)$/,
  /^skills\/[\w-]+\/SKILL\.md$/,
];

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "obspan-package-"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const PACKAGES = ["@obspan/sdk", "@obspan/collector-core"] as const;
let tarballs: ReadonlyMap<string, string> | undefined;

/** `npm pack` of both workspaces, once. @returns the tarball of one. */
function pack(workspace: (typeof PACKAGES)[number]): string {
  tarballs ??= packAll();
  return tarballs.get(workspace) ?? "";
}

function packAll(): ReadonlyMap<string, string> {
  const workspaces = PACKAGES.flatMap((name) => ["--workspace", name]);
  const answer = execFileSync(
    "npm",
    ["pack", "--json", "--loglevel=error", ...workspaces, "--pack-destination", directory],
    { cwd: project, encoding: "utf8" },
  );
  const packed = JSON.parse(answer) as readonly { readonly name: string; readonly filename: string }[];
  return new Map(packed.map(({ name, filename }) => [name, join(directory, filename)]));
}

function filesOf(tarball: string): string[] {
  const list = execFileSync("tar", ["-tzf", tarball], { encoding: "utf8" }).trim().split("\n");
  return list.map((path) => path.replace(/^package\//, ""));
}

describe("the packed collector", () => {
  it("contains the command, the built pages and the licenses, and nothing else", () => {
    const files = filesOf(pack("@obspan/collector-core"));
    for (const needed of [
      "LICENSE",
      "bin/obspan.js",
      "bundle/main.js",
      "bundle/licenses.md",
      "dist/index.js",
      "dist/index.d.ts",
      "skills/obspan/SKILL.md",
      "ui/index.html",
    ]) {
      expect(files).toContain(needed);
    }
    expect(files.filter((file) => !SHIPPED.some((pattern) => pattern.test(file)))).toEqual([]);
    const page = readFileSync(join(project, "collector-core/ui/index.html"), "utf8");
    const named = [...page.matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map(
      ([, path]) => `ui/${path ?? ""}`,
    );
    expect(named.length).toBeGreaterThan(2);
    expect(files).toEqual(expect.arrayContaining(named));
  });

  it("loads at most 220 kB of compressed scripts before it shows a page", () => {
    const ui = join(project, "collector-core/ui");
    const page = readFileSync(join(ui, "index.html"), "utf8");
    const scripts = [...page.matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)].map(([, path]) => path ?? "");
    const bytes = scripts.map((path) => gzipSync(readFileSync(join(ui, path))).length);
    expect(scripts.length).toBeGreaterThan(0);
    expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(220_000);
  });

  it("asks the browser to compile what a page loads ahead in the background", () => {
    const assets = join(project, "collector-core/ui/assets");
    const scripts = readdirSync(assets).filter((name) =>
      /^(?:shared|trace-page|transcript-view)-[\w-]+\.js$/.test(name),
    );
    expect(scripts).toHaveLength(3);
    for (const name of scripts)
      expect(readFileSync(join(assets, name), "utf8")).toMatch(/^\/\/# allFunctionsCalledOnLoad\n/);
  });

  it("serves its pages when installed into an empty folder", async () => {
    const home = join(directory, "app");
    const packages = [pack("@obspan/sdk"), pack("@obspan/collector-core")];
    const install = ["install", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];
    execFileSync("npm", [...install, "--prefix", home, ...packages]);
    // The command is bundled, so that a start reads no package.
    const fastify = join(home, "node_modules/fastify");
    renameSync(fastify, `${fastify}-away`);

    const port = String(await freePort());
    const env = { OBS_SERVER_PORT: port, OBS_SERVER_LOGGING_LEVEL: "WARNING" };
    const command = startProgram(join(home, "node_modules/.bin/obspan"), ["serve", "--local"], env);
    onTestFinished(async () => {
      command.signal("SIGKILL");
      await command.exit;
    });
    const url = `http://127.0.0.1:${port}`;
    await until("the installed collector answers", () =>
      fetch(`${url}/ready`).then(
        ({ ok }) => (ok ? true : undefined),
        () => undefined,
      ),
    );
    const browser = await sharedBrowser();
    const { page, complaints } = await openPage(browser, url);
    await page.getByRole("button", { name: "Send a test trace" }).click();
    await page.getByRole("grid", { name: "Traces" }).getByRole("row").nth(1).waitFor();
    expect(complaints).toEqual([]);

    const [, program = ""] = /```js\n(.*?)```/s.exec(readFileSync(README, "utf8")) ?? [];
    renameSync(`${fastify}-away`, fastify);
    writeFileSync(
      join(home, "embedded.mjs"),
      `${program}\nconsole.log(collector.url);\nawait collector.stop();\n`,
    );
    const printed = execFileSync(process.execPath, [join(home, "embedded.mjs")], {
      encoding: "utf8",
      env: { ...inherited(), OBS_SERVER_PORT: "0", OBS_SERVER_HOST: "127.0.0.1" },
    });
    expect(printed).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/m);
  }, 180_000);
});
