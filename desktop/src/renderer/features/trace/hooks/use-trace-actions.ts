import {
  ArrowDown,
  ArrowUp,
  CircleX,
  Copy,
  FileDiff,
  GitCompare,
  Link2,
  Route,
  Search,
  type LucideIcon,
} from "lucide-react";
import { SHARE_FORMATS } from "@obspan/collector-core/api-schema";
import { useLocation } from "wouter";
import type { TraceKey } from "../../../api/collector-api.js";
import { useStores, useTrace } from "../../../app-context.js";
import { copyText } from "../../../components/copy-text.js";
import { saveFrom } from "../../../components/save-file.js";
import { compareHref } from "../../compare/compare-address.js";
import { useOfferActions } from "../../frame/page-actions.js";
import type { PaletteItem } from "../../frame/palette-items.js";
import { useTracePage, useTraceView } from "../trace-page-context.js";
import { SHARED_FILES } from "../share-menu.js";
import { VIEW_LABELS } from "../view-bar.js";
import { VIEWS } from "../trace-address.js";
import type { Neighbours } from "./use-neighbours.js";
import { useSelection } from "./use-selection.js";

/** Offers the actions of the open trace in the palette. */
export function useTraceActions(
  key: TraceKey,
  copyLink: () => void,
  compare: () => void,
  { openNewer, openOlder }: Neighbours,
): void {
  const { api } = useStores();
  const { view, failed } = useTracePage();
  const shown = useTraceView((state) => state.view);
  const moves = useSelection();
  const { traceId } = key;
  const [, navigate] = useLocation();
  const hasVersion = useTrace(({ trace }) => trace?.prompts.some((prompt) => prompt.includes("@")) === true);
  const item = (
    label: string,
    icon: LucideIcon,
    run: () => void,
    more: Partial<PaletteItem> = {},
  ): PaletteItem => ({ id: `trace action ${label}`, label, sign: { icon }, run, ...more });

  useOfferActions({
    name: "This trace",
    items: [
      ...VIEWS.flatMap((name, index) =>
        name === shown
          ? []
          : [
              item(
                `Show as ${VIEW_LABELS[name].name.toLowerCase()}`,
                VIEW_LABELS[name].icon,
                () => view.getState().setView(name),
                {
                  keys: [String(index + 1)],
                  keywords: "view",
                },
              ),
            ],
      ),
      item("Search in this trace", Search, () => view.getState().openSearch(), {
        keys: ["/"],
        keywords: "find",
      }),
      ...(failed.length > 0
        ? [item("Go to the next error", CircleX, () => moves.selectAmong(failed, 1), { keys: ["E"] })]
        : []),
      item("Compare with the previous run", GitCompare, compare, {
        keys: ["C"],
        keywords: "diff difference",
      }),
      ...(hasVersion
        ? [
            item(
              "Compare with the previous version of its prompt",
              FileDiff,
              () => navigate(compareHref({ a: undefined, b: key, versus: "prompt" }, { view: "prompts" })),
              { keywords: "diff difference" },
            ),
          ]
        : []),
      item("Copy the link", Link2, copyLink, { keys: ["Y"], keywords: "share url address" }),
      item("Copy the trace id", Copy, () => void copyText(traceId), { detail: traceId }),
      ...SHARED_FILES.map(({ format, name, detail, icon }) =>
        item(`Download as ${name}`, icon, () => saveFrom(api.traceFileAddress(key, format)), {
          detail,
          keywords: `share export save file ${SHARE_FORMATS[format].ending}`,
        }),
      ),
      item("Toggle the critical path", Route, () => view.getState().toggleCriticalPath()),
      ...(openNewer === undefined ? [] : [item("Newer trace", ArrowUp, openNewer, { keys: ["K"] })]),
      ...(openOlder === undefined ? [] : [item("Older trace", ArrowDown, openOlder, { keys: ["J"] })]),
    ],
  });
}
