import { expect, it } from "vitest";
import { accessibilityViolations, runAxe, violationsInBothThemes } from "./accessibility.js";
import { openPage, sharedBrowser } from "./browser.js";

const PAGE = `<!doctype html><html lang="en"><title>Violations</title><main>
  <p style="color: #999; background: #fff">hard to read</p><img src="data:,">
  <div id="part"><button></button></div></main></html>`;

it("axe finds the violations of a page and of its parts", async () => {
  const { page } = await openPage(await sharedBrowser(), "about:blank");
  await page.setContent(PAGE);
  expect(await accessibilityViolations(page)).toEqual([
    "button-name: button",
    "color-contrast: p",
    "image-alt: img",
  ]);
  expect(await accessibilityViolations(page, ["#part"])).toEqual(["button-name: button"]);
  // Without the rules of WCAG only: also the best practices.
  const violations = await runAxe(page);
  expect(violations.map(({ id }) => id)).toContain("page-has-heading-one");
});

it("a colour that is too pale is found in the theme that has it", async () => {
  const { page } = await openPage(await sharedBrowser(), "about:blank");
  const pageWith = (colour: string): string => `<!doctype html><html lang="en"><title>Page</title>
    <style>:root { color-scheme: light dark; background: light-dark(#fff, #000); color: ${colour}; }</style><p>Text</p>`;
  await page.setContent(pageWith("light-dark(#eee, #fff)"));
  expect(await violationsInBothThemes(page)).toEqual(["light: color-contrast: p"]);
  await page.setContent(pageWith("light-dark(#000, #222)"));
  expect(await violationsInBothThemes(page)).toEqual(["dark: color-contrast: p"]);
});
