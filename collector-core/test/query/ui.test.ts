import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { startCollector } from "../running-collector.js";

/** A collector with a UI of a few files, and a file beside its directory. */
async function collectorWithUi() {
  const directory = mkdtempSync(join(tmpdir(), "obspan-ui-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const uiDirectory = join(directory, "ui");
  mkdirSync(join(uiDirectory, "assets"), { recursive: true });
  writeFileSync(join(uiDirectory, "index.html"), "<p>page</p>");
  writeFileSync(join(uiDirectory, "licenses.md"), "licenses");
  writeFileSync(join(uiDirectory, "assets/index-1a2b.js"), "script");
  writeFileSync(join(directory, "secret.txt"), "secret");
  return await startCollector({}, { uiDirectory });
}

/** A path as it is, which `fetch` would put in order first. */
function statusOf(url: string, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    request(url, { path }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on("error", reject)
      .end();
  });
}

it.each(["/", "/index.html", "/traces", "/traces/some-id", "/settings"])(
  "GET %s is the page, asked for anew each time, with a policy that runs only the collector's own scripts",
  async (path) => {
    const { url } = await collectorWithUi();
    const response = await fetch(url + path);
    expect(await response.text()).toBe("<p>page</p>");
    expect(response.headers.get("Cache-Control")).toBe("no-cache");
    expect(response.headers.get("Content-Security-Policy")).toContain("script-src 'self'");
  },
);

it("files with a hash in the name are cached forever, others are not", async () => {
  const { url } = await collectorWithUi();
  const asset = await fetch(`${url}/assets/index-1a2b.js`);
  expect(await asset.text()).toBe("script");
  expect(asset.headers.get("Cache-Control")).toBe("public, max-age=31536000, immutable");
  const licenses = await fetch(`${url}/licenses.md`);
  expect(await licenses.text()).toBe("licenses");
  expect(licenses.headers.get("Cache-Control")).toBe("no-cache");
});

it("missing files and paths outside the directory get 404", async () => {
  const { url } = await collectorWithUi();
  expect(await statusOf(url, "/assets/index-3c4d.js")).toBe(404);
  expect(await statusOf(url, "/assets/")).toBe(404);
  for (const path of ["/../secret.txt", "/assets/../../secret.txt", "/assets/..%2f..%2fsecret.txt"])
    expect(await statusOf(url, path), path).toBeGreaterThanOrEqual(400);
});
