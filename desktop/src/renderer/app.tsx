import { Activity, lazy, Suspense, useEffect, type ReactNode } from "react";
import { Redirect, Route, Switch } from "wouter";
import { usePreferences, useSession } from "./app-context.js";
import { Frame } from "./features/frame/frame.js";
import { PAGES } from "./features/frame/pages.js";
import { LaterPage } from "./features/frame/later-page.js";
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
          <Pages />
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

function Later({ children }: { children: ReactNode }) {
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
        <Later>
          <EvaluationsPage />
        </Later>
      </Route>
      <Route path="/stats">
        <Later>
          <MetricsPage />
        </Later>
      </Route>
      <Route path="/pipeline">
        <Later>
          <PipelinePage />
        </Later>
      </Route>
      {PAGES.filter(({ promise }) => promise !== undefined).map((page) => (
        <Route key={page.path} path={page.path}>
          <LaterPage page={page} />
        </Route>
      ))}
      <Route>
        <Redirect to="/traces" replace />
      </Route>
    </Switch>
  );
}
