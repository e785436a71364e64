import { Keyboard } from "lucide-react";
import { Link, useLocation } from "wouter";
import { Mark } from "../../components/mark.js";
import { openShortcuts } from "./overlays.js";
import { PAGES, type Page } from "./pages.js";
import { classNames } from "../../components/class-names.js";
import iconStyles from "../../components/icon.module.css";
import styles from "./rail.module.css";

/** Two traces that are compared belong to the traces. */
function placeOf(path: string): string {
  return path.startsWith("/compare") ? "/traces" : path;
}

/** The pages, at the left edge. */
export function Rail({ isOpen }: { isOpen: boolean }) {
  const [path] = useLocation();
  const entry = (page: Page) => (
    <Link
      key={page.path}
      href={page.path}
      aria-label={page.name}
      data-tip={`${page.name}  G ${page.key}`}
      aria-current={placeOf(path).startsWith(page.path) ? "page" : undefined}
    >
      <page.icon className={iconStyles.icon} aria-hidden />
      <span>{page.name}</span>
      <kbd aria-hidden>G</kbd>
      <kbd aria-hidden>{page.key}</kbd>
    </Link>
  );
  return (
    <nav className={isOpen ? classNames(styles.rail, styles.open) : styles.rail} aria-label="Main">
      <div className={styles.brand}>
        <Mark />
        <span>Obspan</span>
      </div>
      {PAGES.slice(0, -1).map(entry)}
      <div className={styles.spring} />
      <button type="button" aria-label="Shortcuts" data-tip="Keyboard shortcuts  ?" onClick={openShortcuts}>
        <Keyboard className={iconStyles.icon} aria-hidden />
        <span>Shortcuts</span>
        <kbd aria-hidden>?</kbd>
      </button>
      {PAGES.slice(-1).map(entry)}
    </nav>
  );
}
