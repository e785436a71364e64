/**
 * Makes the app's icons of the one drawing, `src/renderer/icon.svg`: run it when the drawing has changed, and commit what
 * it writes. `node desktop/icons/make-icons.mjs`; it draws with Chromium.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright";

const SYSTEM_CHROMIUM = "/usr/bin/chromium";
const drawing = readFileSync(new URL("../src/renderer/icon.svg", import.meta.url), "utf8");
const write = (name, bytes) => writeFileSync(fileURLToPath(new URL(name, import.meta.url)), bytes);

/** Apple's grid leaves a margin around the tile: 824 of 1024 pixels are its own. */
const MAC_SHARE = 824 / 1024;
/** Sizes of an .ico, in pixels. */
const ICO_SIZES = [16, 24, 32, 48, 64, 128, 256];
/** Types of an .icns that hold PNG, with their pixels. */
const ICNS_TYPES = [
  ["ic11", 32],
  ["ic12", 64],
  ["ic07", 128],
  ["ic13", 256],
  ["ic08", 256],
  ["ic14", 512],
  ["ic09", 512],
  ["ic10", 1024],
];

const browser = await chromium.launch({
  ...(existsSync(SYSTEM_CHROMIUM) ? { executablePath: SYSTEM_CHROMIUM } : {}),
  args: ["--no-sandbox", "--disable-gpu"],
});
const page = await browser.newPage();

/** @param {number} size - in pixels. @param {number} share - of it, for the tile. */
async function draw(size, share = 1) {
  await page.setViewportSize({ width: size, height: size });
  const margin = ((1 - share) / 2) * size;
  await page.setContent(
    `<style>body{margin:${margin}px}svg{display:block;width:${size * share}px;height:${size * share}px}</style>${drawing}`,
  );
  return await page.screenshot({ omitBackground: true });
}

write("icon.png", await draw(512));
write("icon.ico", ico(await inTurn(ICO_SIZES, (size) => draw(size))));
write("icon.icns", icns(await inTurn(ICNS_TYPES, ([, size]) => draw(size, MAC_SHARE))));
await browser.close();

/** One after the other: there is one page. */
async function inTurn(items, task) {
  const results = [];
  for (const item of items) results.push(await task(item));
  return results;
}

/** https://learn.microsoft.com/en-us/previous-versions/ms997538(v=msdn.10): a directory, then the images as PNG. */
function ico(images) {
  const head = Buffer.alloc(6 + 16 * images.length);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(images.length, 4);
  let offset = head.length;
  images.forEach((image, index) => {
    const at = 6 + 16 * index;
    // 0 stands for 256.
    const size = ICO_SIZES[index] % 256;
    head.writeUInt8(size, at);
    head.writeUInt8(size, at + 1);
    head.writeUInt16LE(1, at + 4);
    head.writeUInt16LE(32, at + 6);
    head.writeUInt32LE(image.length, at + 8);
    head.writeUInt32LE(offset, at + 12);
    offset += image.length;
  });
  return Buffer.concat([head, ...images]);
}

/** https://en.wikipedia.org/wiki/Apple_Icon_Image_format: blocks of a type, a length and a PNG. */
function icns(images) {
  const blocks = images.map((image, index) => {
    const head = Buffer.alloc(8);
    head.write(ICNS_TYPES[index][0], "latin1");
    head.writeUInt32BE(image.length + 8, 4);
    return Buffer.concat([head, image]);
  });
  const head = Buffer.alloc(8);
  head.write("icns", "latin1");
  head.writeUInt32BE(8 + blocks.reduce((sum, block) => sum + block.length, 0), 4);
  return Buffer.concat([head, ...blocks]);
}
