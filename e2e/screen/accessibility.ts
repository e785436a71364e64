import axe from "axe-core";
import type { Page } from "playwright";
import { expect } from "vitest";

/** A rule that a page breaks. */
export interface Violation {
  readonly id: string;
  /** The elements that break it. */
  readonly nodes: readonly { readonly html: string; readonly target: readonly string[] }[];
}

/** The rules of WCAG 2.2 AA that read colours. */
const COLOUR_RULES = ["color-contrast", "link-in-text-block"];

/** The rules to run in a theme when all have been run in the other one. */
export const COLOURS = { type: "rule", values: COLOUR_RULES } as const;

const WCAG_22_AA = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

interface Rules {
  readonly type: "tag" | "rule";
  readonly values: readonly string[];
}

interface AxeOptions {
  /** Selectors of the parts to check. Default: the whole page. */
  readonly parts?: readonly string[];
  /** The rules, or their tags. Default: all rules, also the best practices. */
  readonly only?: Rules;
}

/** Runs axe on a page without frames. Axe is half a megabyte of script: a page reads it once, however often it is checked. */
export async function runAxe(
  page: Page,
  { parts = ["html"], only }: AxeOptions = {},
): Promise<readonly Violation[]> {
  if ((await page.evaluate("typeof axe")) !== "object") await page.evaluate(`${axe.source}; undefined`);
  const context = { include: parts.map((part) => [part]) };
  const options = {
    resultTypes: ["violations"],
    ...(only !== undefined && { runOnly: only }),
  };
  return await page.evaluate(
    `axe.run(${JSON.stringify(context)}, ${JSON.stringify(options)}).then(({ violations }) =>
      violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html, target }) => ({ html, target })) })))`,
  );
}

/** Fails if {@link runAxe} finds a violation, with the elements that break a rule. */
export async function expectNoViolation(page: Page, options: AxeOptions = {}): Promise<void> {
  const violations = await runAxe(page, options);
  expect(violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)])).toEqual([]);
}

/**
 * Runs axe with the WCAG 2.2 AA rules. @returns each violation with its first elements.
 *
 * @param parts - selectors of the parts to check. Default: the whole page.
 */
export async function accessibilityViolations(page: Page, parts?: readonly string[]): Promise<string[]> {
  return await violationsOf(page, { type: "tag", values: WCAG_22_AA }, parts);
}

/**
 * {@link accessibilityViolations} in the dark theme and then in the light one, which remains. A theme changes colours only,
 * so the light one is checked with the rules that read them.
 */
export async function violationsInBothThemes(page: Page, parts?: readonly string[]): Promise<string[]> {
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await accessibilityViolations(page, parts);
  await page.emulateMedia({ colorScheme: "light" });
  const light = await violationsOf(page, COLOURS, parts);
  return [
    ...dark.map((violation) => `dark: ${violation}`),
    ...light.map((violation) => `light: ${violation}`),
  ];
}

async function violationsOf(page: Page, only: Rules, parts?: readonly string[]): Promise<string[]> {
  await movementsEnded(page);
  const violations = await runAxe(page, { only, ...(parts !== undefined && { parts }) });
  return violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes
        .slice(0, 3)
        .map(({ target }) => target.join(" "))
        .join(", ")}`,
  );
}

/** Waits for finite animations, because an element that fades in has less contrast. */
async function movementsEnded(page: Page): Promise<void> {
  await page.evaluate(`Promise.allSettled(
    document
      .getAnimations()
      .filter(({ effect }) => Number.isFinite(effect?.getComputedTiming().endTime))
      .map(({ finished }) => finished.then(() => undefined)),
  )`);
}
