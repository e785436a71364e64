/** The worker that lays out graphs, so that the page stays responsive. It lives as long as the graph of one run is shown. */
import { nextLayout } from "./grown-layout.js";
import type { LayoutAnswer, LayoutRequest } from "./layout-messages.js";

let known: LayoutAnswer | undefined;

globalThis.onmessage = ({ data }: MessageEvent<LayoutRequest>) => {
  known = nextLayout(data, known);
  globalThis.postMessage(known);
};
