import { Activity, lazy, Suspense, useEffect } from "react";
import { Redirect, Route, Switch } from "wouter";
import { usePreferences, useSession } from "./app-context.js";
import { Frame } from "./features/frame/frame.js";
import { PAGES } from "./features/frame/pages.js";
import { LaterPage } from "./features/frame/later-page.js";
import { SignIn } from "./features/session/sign-in.js";
import { TracePage } from "./features/trace/trace-page.js";
import { TracesPage } from "./features/traces/traces-page.js";

const EvaluationsPage = lazy(async () => ({
  default: (await import("./features/evaluations/evaluations-page.js")).EvaluationsPage,
}));

/** All pages by their addresses, so that a link lands where it was copied. */
export function App() {
  const theme = usePreferences((preferences) => preferences.theme);
  useEffect(() => {
    if (theme === "system") document.documentElement.removeAttribute("data-theme");
    else document.documentElement.dataset["theme"] = theme;
  }, [theme]);

  const isClosed = useSession(({ phase }) => phase === "closed");
  return (
    <>
      {/* What is hidden keeps its state, and listens to nothing: after signing in it goes on where it was. */}
      <Activity mode={isClosed ? "hidden" : "visible"}>
        <Frame>
          <Pages />
        </Frame>
      </Activity>
      {isClosed && <SignIn />}
    </>
  );
}

function Pages() {
  return (
    <Switch>
      <Route path="/traces">
        <TracesPage />
      </Route>
      <Route path="/traces/:traceId">{({ traceId }) => <TracePage traceId={traceId} />}</Route>
      <Route path="/evaluations">
        <Suspense fallback={<main className="page" />}>
          <EvaluationsPage />
        </Suspense>
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
