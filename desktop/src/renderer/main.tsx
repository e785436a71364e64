// Tokens, the reset and the shared components come first, so that the styles of a feature win over them.
import "./styles/tokens.css";
import "./styles/reset.css";
import "./components/shared-styles.js";
import "./styles/forced-colours.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createCollectorApi } from "./api/collector-api.js";
import { openLiveFeed } from "./api/live-feed.js";
import { openTextFeed } from "./api/text-feed.js";
import { App } from "./app.js";
import { AppProvider, type AppStores } from "./app-context.js";
import { createCompareStore } from "./store/compare-store.js";
import { createContextStore } from "./store/context-store.js";
import { connect, createConnectionStore } from "./store/connection-store.js";
import { createConversationStore } from "./store/conversation-store.js";
import { createEvaluationsStore } from "./store/evaluations-store.js";
import { createGroupsStore } from "./store/groups-store.js";
import { createLiveTextsStore } from "./store/live-texts-store.js";
import { createPreferencesStore } from "./store/preferences-store.js";
import { createSessionStore } from "./store/session-store.js";
import { createSessionsStore } from "./store/sessions-store.js";
import { AppBoundary } from "./components/page-boundary.js";
import { saveFile } from "./components/save-file.js";
import { createTraceFilesStore } from "./store/trace-files-store.js";
import { createPipelineStore } from "./store/pipeline-store.js";
import { createThresholdsStore } from "./store/thresholds-store.js";
import { createSharedConfig } from "./store/shared-config.js";
import { createSettingsStore } from "./store/settings-store.js";
import { createElsewhereStore } from "./store/elsewhere-store.js";
import { createPricesStore } from "./store/prices-store.js";
import { createStatsStore } from "./store/stats-store.js";
import { createTraceStore } from "./store/trace-store.js";
import { createTracesStore } from "./store/traces-store.js";
import { createViewsStore } from "./store/views-store.js";
import { randomHex } from "./store/random-hex.js";

const api = createCollectorApi({ onUnauthorized: () => stores.session.getState().refused("request") });
const sharing = { ...api, getConfig: createSharedConfig(api) };
const stores: AppStores = {
  api,
  connection: createConnectionStore(),
  preferences: createPreferencesStore(),
  session: createSessionStore({
    api,
    reconnect: () => feed.reconnect(),
    leave: () => window.location.replace("/traces"),
  }),
  traces: createTracesStore({ api }),
  views: createViewsStore({ api, newId: randomHex }),
  groups: createGroupsStore({ api, isPaused }),
  sessions: createSessionsStore({ api, isPaused }),
  conversation: createConversationStore({ api }),
  files: createTraceFilesStore({ api, save: saveFile }),
  trace: createTraceStore(api),
  compare: createCompareStore({ api }),
  context: createContextStore({ api }),
  liveTexts: createLiveTextsStore(openTextFeed),
  evaluations: createEvaluationsStore({ api }),
  stats: createStatsStore({ api: sharing, isPaused }),
  pipeline: createPipelineStore({ api: sharing, isPaused }),
  thresholds: createThresholdsStore(sharing),
  settings: createSettingsStore({ api }),
  prices: createPricesStore({ api }),
  elsewhere: createElsewhereStore({ api }),
};

function isPaused(): boolean {
  return stores.traces.getState().paused;
}

/** The stores that fetch data and follow changes. */
const liveStores = [
  stores.traces,
  stores.groups,
  stores.trace,
  stores.compare,
  stores.sessions,
  stores.conversation,
  stores.evaluations,
  stores.stats,
  stores.pipeline,
];

const feed = connect(stores.connection, openLiveFeed, {
  onEvent(event) {
    for (const store of liveStores) store.getState().onLive(event);
  },
  onAdmitted() {
    stores.session.getState().admitted();
    // After a restart they may be others.
    void stores.thresholds.getState().load();
  },
  onUnauthorized: () => stores.session.getState().refused("feed"),
  onConnected(unchangedMs) {
    for (const store of liveStores) store.getState().onConnected(unchangedMs);
  },
});

const root = document.getElementById("root");
if (root === null) throw new Error("The page has no #root.");
createRoot(root).render(
  <StrictMode>
    <AppBoundary>
      <AppProvider stores={stores}>
        <App />
      </AppProvider>
    </AppBoundary>
  </StrictMode>,
);
