import { Activity, lazy, Suspense, useEffect, type ReactNode } from "react";
import { Redirect, Route, Switch } from "wouter";
import { usePreferences, useSession } from "./app-context.js";
import { PageBoundary } from "./components/page-boundary.js";
import { Frame } from "./features/frame/frame.js";
import { PAGES } from "./features/frame/pages.js";
import { PlaceholderPage } from "./features/frame/placeholder-page.js";
import { SignIn } from "./features/session/sign-in.js";
import { TracePage } from "./features/trace/trace-page.js";
import { TracesPage } from "./features/traces/traces-page.js";
import pageStyles from "./components/page.module.css";

/** Routes every page by its URL, so that a copied link opens the same view. */
export function App() {
  const theme = usePreferences((preferences) => preferences.theme);
  useEffect(() => {
    if (theme === "system") document.documentElement.removeAttribute("data-theme");
    else document.documentElement.dataset["theme"] = theme;
  }, [theme]);

  const isClosed = useSession(({ phase }) => phase === "closed");
  return (
    <>
      {/* Hidden pages keep their state and stop their effects; after signing in, the user continues there. */}
      <Activity mode={isClosed ? "hidden" : "visible"}>
        <Frame>
          <PageBoundary>
            <Pages />
          </PageBoundary>
        </Frame>
      </Activity>
      {isClosed && <SignIn />}
    </>
  );
}

/** Loaded on demand, because they include the chart library. */
const MetricsPage = lazy(async () => ({
  default: (await import("./features/metrics/metrics-page.js")).MetricsPage,
}));
const EvaluationsPage = lazy(async () => ({
  default: (await import("./features/evaluations/evaluations-page.js")).EvaluationsPage,
}));
const PipelinePage = lazy(async () => ({
  default: (await import("./features/pipeline/pipeline-page.js")).PipelinePage,
}));

function LazyPage({ children }: { children: ReactNode }) {
  return <Suspense fallback={<main className={pageStyles.page} aria-busy="true" />}>{children}</Suspense>;
}

function Pages() {
  return (
    <Switch>
      <Route path="/traces">
        <TracesPage />
      </Route>
      <Route path="/traces/:traceId">{({ traceId }) => <TracePage traceId={traceId} />}</Route>
      <Route path="/evaluations">
        <LazyPage>
          <EvaluationsPage />
        </LazyPage>
      </Route>
      <Route path="/stats">
        <LazyPage>
          <MetricsPage />
        </LazyPage>
      </Route>
      <Route path="/pipeline">
        <LazyPage>
          <PipelinePage />
        </LazyPage>
      </Route>
      {PAGES.filter(({ description }) => description !== undefined).map((page) => (
        <Route key={page.path} path={page.path}>
          <PlaceholderPage page={page} />
        </Route>
      ))}
      <Route>
        <Redirect to="/traces" replace />
      </Route>
    </Switch>
  );
}
