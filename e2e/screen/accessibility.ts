import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright";

/**
 * Axe for a page without frames. The mode for such pages does not open a second page for the results, and only violations
 * are described.
 */
export function axeFor(page: Page): AxeBuilder {
  return new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ["violations"] });
}

/**
 * Runs axe with the WCAG 2.2 AA rules. @returns each violation with its first elements.
 *
 * @param parts - selectors of the parts to check. Default: the whole page.
 */
export async function accessibilityViolations(
  page: Page,
  parts: readonly string[] = ["html"],
): Promise<string[]> {
  await movementsEnded(page);
  const axe = axeFor(page);
  for (const part of parts) axe.include(part);
  const { violations } = await axe
    .withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"])
    .analyze();
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
