import {
  Copy,
  Download,
  FilterX,
  GitCompare,
  Group,
  Keyboard,
  LogOut,
  Monitor,
  Moon,
  PanelLeft,
  Pause,
  Play,
  Send,
  Sun,
  Trash2,
  Upload,
  type LucideIcon,
} from "lucide-react";
import { useLocation } from "wouter";
import { useConnection, usePreferences, useSession, useStores, useTraces } from "../../app-context.js";
import { copyText } from "../../components/copy-text.js";
import { saveFrom } from "../../components/save-file.js";
import type { Preferences } from "../../store/preferences-store.js";
import { isUnfiltered } from "../../store/traces-state.js";
import { groupsAddress } from "../traces/filter-address.js";
import { comparedRows } from "../traces/compared-rows.js";
import { chooseAndImport } from "../traces/files/import-traces.js";
import { groupName } from "../traces/groups/group-names.js";
import { openShortcuts } from "./overlays.js";
import type { PaletteItem } from "./palette-items.js";
import { toggleRail } from "./rail-state.js";

const THEMES: readonly { theme: Preferences["theme"]; icon: LucideIcon; label: string }[] = [
  { theme: "dark", icon: Moon, label: "Dark theme" },
  { theme: "light", icon: Sun, label: "Light theme" },
  { theme: "system", icon: Monitor, label: "Theme of the system" },
];

/** Offered in the palette; the menu of the list has all keys. */
const GROUPED_BY = ["name", "agent", "model", "tool", "version", "user"] as const;

/**
 * The actions of the palette.
 *
 * @param askToDelete - opens the confirmation before all traces are deleted.
 */
export function usePaletteActions(askToDelete: () => void): readonly PaletteItem[] {
  const stores = useStores();
  const { api, files, preferences, session, traces } = stores;
  const [, navigate] = useLocation();
  const paused = useTraces((state) => state.paused);
  const filters = useTraces((state) => state.filters);
  const isFiltered = !isUnfiltered(filters);
  const compared = useTraces((state) => comparedRows(state.rows, state.selected));
  const theme = usePreferences((state) => state.theme);
  const hasSession = useSession((state) => state.isOpenedHere);
  const kept = useConnection((connection) => connection.status?.store?.traces ?? 0);

  const action = (
    label: string,
    icon: LucideIcon,
    run: () => void,
    more: Partial<PaletteItem> = {},
  ): PaletteItem => ({
    id: `action ${label}`,
    label,
    sign: { icon },
    run,
    ...more,
  });

  return [
    paused
      ? action("Resume", Play, () => traces.getState().setPaused(false), {
          keys: ["Space"],
          keywords: "live",
        })
      : action("Pause", Pause, () => traces.getState().setPaused(true), {
          keys: ["Space"],
          keywords: "live stop",
        }),
    ...(compared === undefined
      ? []
      : [
          action("Compare the two selected traces", GitCompare, () => navigate(compared), {
            keys: ["C"],
            keywords: "diff difference",
          }),
        ]),
    ...(isFiltered ? [action("Clear filters", FilterX, () => navigate("/traces"))] : []),
    action("Send a test trace", Send, () => {
      navigate("/traces");
      void traces.getState().sendTestTrace();
    }),
    ...(kept > 0
      ? [
          action(
            isFiltered ? "Export what matches" : "Export all traces",
            Download,
            () => saveFrom(api.exportAddress(filters)),
            { keywords: "download save file otlp jsonl" },
          ),
        ]
      : []),
    ...(kept > 0
      ? GROUPED_BY.map((by) =>
          action(
            `Group traces by ${groupName(by).toLowerCase()}`,
            Group,
            () => navigate(groupsAddress(filters, { by, order: "runs" })),
            { keywords: "aggregate" },
          ),
        )
      : []),
    action(
      "Import traces from a file…",
      Upload,
      () => {
        navigate("/traces");
        chooseAndImport(files);
      },
      { keywords: "open load otlp jsonl" },
    ),
    action("Copy endpoint", Copy, () => void copyText(window.location.origin), {
      detail: window.location.origin,
      keywords: "address url",
    }),
    ...THEMES.filter((each) => each.theme !== theme).map((each) =>
      action(each.label, each.icon, () => preferences.setState({ theme: each.theme }), {
        keywords: "colour mode",
      }),
    ),
    action("Toggle names in the rail", PanelLeft, () => toggleRail(stores), {
      keys: ["["],
      keywords: "sidebar",
    }),
    action("Keyboard shortcuts", Keyboard, openShortcuts, { keys: ["?"], keywords: "help keys" }),
    ...(hasSession
      ? [
          action("Sign out", LogOut, () => void session.getState().signOut(), {
            detail: "in every tab of this browser",
            keywords: "log out session key",
          }),
        ]
      : []),
    ...(kept > 0
      ? [action("Delete all traces…", Trash2, askToDelete, { keywords: "clear remove", isDanger: true })]
      : []),
  ];
}
