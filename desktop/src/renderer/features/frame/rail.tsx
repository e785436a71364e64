import { Keyboard } from "lucide-react";
import { Link, useLocation } from "wouter";
import { Mark } from "../../components/mark.js";
import { openShortcuts } from "./overlays.js";
import { PAGES, type Page } from "./pages.js";

/** The pages, at the left edge. */
export function Rail({ isOpen }: { isOpen: boolean }) {
  const [path] = useLocation();
  const entry = (page: Page) => (
    <Link
      key={page.path}
      href={page.path}
      title={`${page.name}  G ${page.key}`}
      aria-current={path.startsWith(page.path) ? "page" : undefined}
    >
      <page.icon className="icon" aria-hidden />
      <span>{page.name}</span>
      <kbd aria-hidden>G</kbd>
      <kbd aria-hidden>{page.key}</kbd>
    </Link>
  );
  return (
    <nav className={isOpen ? "rail open" : "rail"} aria-label="Main">
      <div className="brand">
        <Mark />
        <span>Obspan</span>
      </div>
      {PAGES.slice(0, -1).map(entry)}
      <div className="spring" />
      <button type="button" title="Keyboard shortcuts  ?" onClick={openShortcuts}>
        <Keyboard className="icon" aria-hidden />
        <span>Shortcuts</span>
        <kbd aria-hidden>?</kbd>
      </button>
      {PAGES.slice(-1).map(entry)}
    </nav>
  );
}
