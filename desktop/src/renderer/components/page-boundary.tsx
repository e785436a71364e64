import { CircleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { useLocation, useSearch } from "wouter";
import { ErrorBoundary } from "./error-boundary.js";
import type { Failure } from "./failure-notice.js";
import { classNames } from "./class-names.js";
import buttonStyles from "./button.module.css";
import iconStyles from "./icon.module.css";
import pageStyles from "./page.module.css";
import textStyles from "./text.module.css";

/** Keeps the frame when a page cannot be drawn. Another address draws its own page. */
export function PageBoundary({ children }: { children: ReactNode }) {
  const [path] = useLocation();
  const search = useSearch();
  return (
    <ErrorBoundary
      name="This page"
      resetKey={`${path}?${search}`}
      beforeRetry={reload}
      fallback={drawFailure}
    >
      {children}
    </ErrorBoundary>
  );
}

/** The last resort, around the frame itself. */
export function AppBoundary({ children }: { children: ReactNode }) {
  return (
    <ErrorBoundary name="This page" beforeRetry={reload} fallback={drawFailure}>
      {children}
    </ErrorBoundary>
  );
}

/** Also fetches the scripts of the page: a failed import stays failed until then. */
function reload(): void {
  window.location.reload();
}

function drawFailure({ message, retry }: Failure): ReactNode {
  return (
    <main className={pageStyles.page}>
      <div className={pageStyles.blank} role="alert">
        <CircleAlert className={iconStyles.icon} aria-hidden />
        <h1>This page cannot be shown</h1>
        <p className={classNames(textStyles.dim, textStyles.break)}>{message}</p>
        <button type="button" className={buttonStyles.button} onClick={retry}>
          Try again
        </button>
      </div>
    </main>
  );
}
