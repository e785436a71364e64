import { Activity, lazy, Suspense, useEffect, type ReactNode } from "react";
import { Redirect, Route, Switch } from "wouter";
import { usePreferences, useSession } from "./app-context.js";
import { TooltipHost } from "./components/tooltip/tooltip-host.js";
import { PageBoundary } from "./components/page-boundary.js";
import { ComparePage } from "./features/compare/late-compare-page.js";
import { KeptKeys } from "./features/frame/kept-keys.js";
import { Frame } from "./features/frame/frame.js";
import { SessionPage } from "./features/session/late-session-page.js";
import { SignIn } from "./features/sign-in/sign-in.js";
import { TracePage } from "./features/trace/late-trace-page.js";
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
      <TooltipHost />
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

const SessionsPage = lazy(async () => ({
  default: (await import("./features/sessions/sessions-page.js")).SessionsPage,
}));

const SettingsPage = lazy(async () => ({
  default: (await import("./features/settings/settings-page.js")).SettingsPage,
}));

function LazyPage({ children }: { children: ReactNode }) {
  return (
    <Suspense
      fallback={
        <main className={pageStyles.page} aria-busy="true">
          <KeptKeys />
        </main>
      }
    >
      {children}
    </Suspense>
  );
}

function Pages() {
  return (
    <Switch>
      <Route path="/traces">
        <TracesPage />
      </Route>
      <Route path="/traces/:traceId">
        {({ traceId }) => (
          <LazyPage>
            <TracePage traceId={traceId} />
          </LazyPage>
        )}
      </Route>
      <Route path="/compare">
        <LazyPage>
          <ComparePage />
        </LazyPage>
      </Route>
      <Route path="/sessions">
        <LazyPage>
          <SessionsPage />
        </LazyPage>
      </Route>
      <Route path="/sessions/:sessionId">
        {({ sessionId }) => (
          <LazyPage>
            <SessionPage sessionId={sessionId} />
          </LazyPage>
        )}
      </Route>
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
      <Route path="/settings">
        <LazyPage>
          <SettingsPage />
        </LazyPage>
      </Route>
      <Route>
        <Redirect to="/traces" replace />
      </Route>
    </Switch>
  );
}
