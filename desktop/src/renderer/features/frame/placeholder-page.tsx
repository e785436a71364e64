import type { Page } from "./pages.js";
import { classNames } from "../../components/class-names.js";
import iconStyles from "../../components/icon.module.css";
import pageStyles from "../../components/page.module.css";
import textStyles from "../../components/text.module.css";

/** Where the data can be read until the page exists. */
const ALTERNATIVES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "/settings": "/v1/config",
  }),
);

/** Placeholder for a page that does not exist yet. */
export function PlaceholderPage({ page }: { page: Page }) {
  const address = ALTERNATIVES.get(page.path);
  return (
    <main className={pageStyles.page}>
      <div className={pageStyles.blank}>
        <page.icon className={iconStyles.icon} aria-hidden />
        <h1>{page.name}</h1>
        <p className={textStyles.dim}>
          {page.description}{" "}
          {address !== undefined && (
            <a className={classNames(textStyles.mono, textStyles.link)} href={address}>
              {address}
            </a>
          )}
        </p>
      </div>
    </main>
  );
}
