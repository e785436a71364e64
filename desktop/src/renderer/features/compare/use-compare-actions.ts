import { comparisonMarkdown } from "@obspan/collector-core/analysis";
import type { TraceComparison } from "@obspan/collector-core/api-schema";
import {
  ArrowLeftRight,
  ChevronDown,
  Columns2,
  Copy,
  Link2,
  ListTree,
  MessageSquare,
  type LucideIcon,
} from "lucide-react";
import { useStores } from "../../app-context.js";
import { copyText } from "../../components/copy-text.js";
import { useOfferActions } from "../frame/page-actions.js";
import type { PaletteItem } from "../frame/palette-items.js";
import type { CompareCommands } from "./use-compare-keys.js";

/** Offers the actions of the page in the palette. */
export function useCompareActions({
  comparison,
  selection,
  view,
  setView,
  swap,
}: CompareCommands & { readonly comparison: TraceComparison }): void {
  const { preferences } = useStores();
  const item = (
    label: string,
    icon: LucideIcon,
    run: () => void,
    keys: readonly string[] = [],
  ): PaletteItem => ({
    id: `compare action ${label}`,
    label,
    sign: { icon },
    run,
    keys,
  });
  useOfferActions({
    name: "These runs",
    items: [
      item("Go to the next difference", ChevronDown, () => selection.next(1), ["N"]),
      view === "spans"
        ? item("Show prompts", MessageSquare, () => setView("prompts"), ["2"])
        : item("Show spans", ListTree, () => setView("spans"), ["1"]),
      item("Swap A and B", ArrowLeftRight, swap, ["S"]),
      item(
        "Texts side by side or unified",
        Columns2,
        () =>
          preferences.setState(({ diffLayout }) => ({
            diffLayout: diffLayout === "split" ? "unified" : "split",
          })),
        ["U"],
      ),
      item("Copy the comparison as Markdown", Copy, () => void copyText(comparisonMarkdown(comparison))),
      item("Copy the link", Link2, () => void copyText(window.location.href)),
    ],
  });
}
