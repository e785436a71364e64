/**
 * Makes the app's icons of the one drawing, `src/renderer/icon.svg`: run it when the drawing has changed, and commit what
 * it writes. `node desktop/icons/make-icons.mjs`; it draws with Chromium.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
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

mkdirSync(new URL("tray/", import.meta.url), { recursive: true });
const browser = await chromium.launch({
  ...(existsSync(SYSTEM_CHROMIUM) ? { executablePath: SYSTEM_CHROMIUM } : {}),
  args: ["--no-sandbox", "--disable-gpu"],
});
const page = await browser.newPage();

/** @param {number} size - in pixels. @param {number} share - of it, for the tile. */
async function draw(size, share = 1, picture = drawing) {
  await page.setViewportSize({ width: size, height: size });
  const margin = ((1 - share) / 2) * size;
  await page.setContent(
    `<style>body{margin:${margin}px}svg{display:block;width:${size * share}px;height:${size * share}px}</style>${picture}`,
  );
  return await page.screenshot({ omitBackground: true });
}

/** Marks of the states of the tray, in the lower right quarter of the drawing. They differ in shape, not only in colour. */
const TRAY_MARKS = {
  idle: () => "",
  receiving: (fill) => `<circle cx="96" cy="96" r="24" fill="${fill}"/>`,
  paused: (fill) => `<path d="M72 72h16v48H72zM104 72h16v48h-16z" fill="${fill}"/>`,
  error: (fill) =>
    `<path d="M96 68L126 122H66Z" fill="${fill}" stroke="${fill}" stroke-width="4" stroke-linejoin="round"/>`,
};
/** What is cut out of the drawing around a mark, so that both are told apart at 16 pixels. */
const TRAY_GAPS = {
  idle: "",
  receiving: '<circle cx="96" cy="96" r="34"/>',
  paused: '<rect x="64" y="64" width="64" height="64"/>',
  error: '<path d="M96 56L136 130H56Z" stroke="#000" stroke-width="8" stroke-linejoin="round"/>',
};
const TRAY_COLOURS = { idle: "", receiving: "#4fbb7c", paused: "#e6be4c", error: "#fb6f72" };
const shapes = drawing.replace(/^<svg[^>]*>|<\/svg>\s*$/g, "");
const svg = (content) => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 128 128">${content}</svg>`;

/** The drawing of a state. A template of macOS has no tile and no colours: the system colours what is opaque. */
function trayDrawing(state, isTemplate) {
  const glyph = isTemplate
    ? shapes.replace(/<rect[^>]*\/>/, "").replaceAll(/fill="#[0-9a-f]{6}"/g, 'fill="#000"')
    : shapes;
  const mask = `<mask id="gap"><rect width="128" height="128" fill="#fff"/>${TRAY_GAPS[state]}</mask>`;
  return svg(
    `${mask}<g mask="url(#gap)">${glyph}</g>${TRAY_MARKS[state](isTemplate ? "#000" : TRAY_COLOURS[state])}`,
  );
}

/** Electron finds the drawing for dense screens by `@2x`, and knows a template by the end of its name. */
for (const state of Object.keys(TRAY_MARKS)) {
  for (const [scale, size] of [
    ["", 16],
    ["@2x", 32],
  ]) {
    write(`tray/${state}Template${scale}.png`, await draw(size, 1, trayDrawing(state, true)));
    write(`tray/${state}${scale}.png`, await draw(size, 1, trayDrawing(state, false)));
  }
  const sizes = [16, 24, 32];
  write(
    `tray/${state}.ico`,
    ico(await inTurn(sizes, (size) => draw(size, 1, trayDrawing(state, false))), sizes),
  );
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
function ico(images, sizes = ICO_SIZES) {
  const head = Buffer.alloc(6 + 16 * images.length);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(images.length, 4);
  let offset = head.length;
  images.forEach((image, index) => {
    const at = 6 + 16 * index;
    // 0 stands for 256.
    const size = sizes[index] % 256;
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
