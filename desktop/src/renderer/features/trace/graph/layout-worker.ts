/** The worker that lays out graphs, so that the page stays responsive. */
import { layeredLayout } from "./layered-layout.js";
import type { LayoutRequest } from "./layout-messages.js";

globalThis.onmessage = ({ data }: MessageEvent<LayoutRequest>) => globalThis.postMessage(layeredLayout(data));
