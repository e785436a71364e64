import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright";

/**
 * What axe finds against WCAG 2.2 AA on the page as it is: each violation with the first places that it names.
 *
 * @param parts - select what has changed since axe looked at the whole page. Default: all of it.
 */
export async function accessibilityViolations(
  page: Page,
  parts: readonly string[] = ["html"],
): Promise<string[]> {
  await movementsEnded(page);
  const axe = new AxeBuilder({ page });
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

/** What fades in has less contrast on the way. What moves for ever is not waited for. */
async function movementsEnded(page: Page): Promise<void> {
  await page.evaluate(`Promise.allSettled(
    document
      .getAnimations()
      .filter(({ effect }) => Number.isFinite(effect?.getComputedTiming().endTime))
      .map(({ finished }) => finished.then(() => undefined)),
  )`);
}
