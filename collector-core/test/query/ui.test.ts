import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { errorOf, startCollector } from "../running-collector.js";

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
  return { ...(await startCollector({}, { uiDirectory })), uiDirectory };
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

it("serves the copies that the build compressed to clients that accept them, and tells caches so", async () => {
  const { url, uiDirectory } = await collectorWithUi();
  const script = "const text = 'the same text again and again';\n".repeat(100);
  const files: readonly (readonly [string, Buffer])[] = [
    ["", Buffer.from(script)],
    [".br", brotliCompressSync(script)],
    [".gz", gzipSync(script)],
  ];
  for (const [ending, content] of files)
    writeFileSync(join(uiDirectory, `assets/long-5e6f.js${ending}`), content);
  const get = (accepted: string) =>
    fetch(`${url}/assets/long-5e6f.js`, { headers: { "Accept-Encoding": accepted } });
  for (const [accepted, encoding] of [
    ["gzip, deflate, br, zstd", "br"],
    ["gzip", "gzip"],
    ["br;q=0, gzip", "gzip"],
    ["identity", null],
  ] as const) {
    const response = await get(accepted);
    expect(response.headers.get("Content-Encoding"), accepted).toBe(encoding);
    expect(response.headers.get("Vary")?.toLowerCase()).toContain("accept-encoding");
    expect(response.headers.get("Content-Type")).toMatch(/javascript/);
    expect(response.headers.get("Cache-Control")).toContain("immutable");
    expect(await response.text()).toBe(script);
  }
  // A file without such a copy, and the page itself.
  const page = await fetch(url, { headers: { "Accept-Encoding": "br" } });
  expect(page.headers.get("Content-Encoding")).toBeNull();
  expect(await page.text()).toBe("<p>page</p>");
});

it("missing files and paths outside the directory get 404", async () => {
  const { url } = await collectorWithUi();
  expect(await statusOf(url, "/assets/index-3c4d.js")).toBe(404);
  expect(await statusOf(url, "/assets/")).toBe(404);
  for (const path of ["/../secret.txt", "/assets/../../secret.txt", "/assets/..%2f..%2fsecret.txt"])
    expect(await statusOf(url, path), path).toBeGreaterThanOrEqual(400);
});

describe("the Range of a file (RFC 9110)", () => {
  /** The file has 6 bytes. */
  const get = async (range: string, method = "GET"): Promise<Response> => {
    const { url } = await collectorWithUi();
    return await fetch(`${url}/assets/index-1a2b.js`, { method, headers: { Range: range } });
  };

  it.each([
    ["bytes=1-3", "cri", "bytes 1-3/6"],
    ["bytes=4-", "pt", "bytes 4-5/6"],
    ["bytes=-2", "pt", "bytes 4-5/6"],
    ["bytes=4-100", "pt", "bytes 4-5/6"],
  ])("is a part with 206: %s", async (range, text, contentRange) => {
    const response = await get(range);
    expect(response.status).toBe(206);
    expect(await response.text()).toBe(text);
    expect(response.headers.get("Content-Range")).toBe(contentRange);
  });

  it.each(["bytes=6-", "bytes=99-100", "bytes=-0", "bytes=6-,9-"])(
    "is refused with 416 and the size when it is unsatisfiable: %s",
    async (range) => {
      const response = await get(range);
      expect(response.headers.get("Content-Range")).toBe("bytes */6");
      expect(await errorOf(response)).toMatchObject({
        status: 416,
        code: "range_not_satisfiable",
        details: { bytes: 6 },
      });
    },
  );

  it.each([
    "bytes=3-1",
    "bytes=a-b",
    "bytes=",
    "bytes=-",
    "bytes=1",
    "bytes=0-1,x",
    "bytes=1-2=3",
    "lines=1-2",
    // The last 100 bytes of 6 are the whole file.
    "bytes=-100",
  ])("is ignored when it is not valid or is the whole file: %s", async (range) => {
    const response = await get(range);
    expect(response.status).toBe(200);
    expect(await response.text()).toBe("script");
  });

  it("is ignored for other methods than GET", async () => {
    for (const range of ["bytes=1-3", "bytes=99-"]) expect((await get(range, "HEAD")).status).toBe(200);
  });
});

describe("a condition on a file (RFC 9110, 13)", () => {
  it.each([
    ["If-Match", '"other"', 412],
    ["If-Unmodified-Since", "Mon, 01 Jan 2001 00:00:00 GMT", 412],
    ["If-Match", "*", 200],
  ])("%s: %s gets %d", async (name, value, status) => {
    const { url } = await collectorWithUi();
    const response = await fetch(url, { headers: { [name]: value } });
    expect(response.status).toBe(status);
    if (status === 412) expect(await errorOf(response)).toMatchObject({ code: "precondition_failed" });
  });
});
