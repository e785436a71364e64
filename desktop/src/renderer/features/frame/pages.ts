import {
  BadgeCheck,
  ChartLine,
  ListTree,
  MessagesSquare,
  Settings,
  Workflow,
  type LucideIcon,
} from "lucide-react";

/** A page of the app, as listed in the rail and the palette. */
export interface Page {
  readonly path: string;
  readonly name: string;
  readonly icon: LucideIcon;
  /** The letter after `G`. */
  readonly key: string;
}

export const PAGES: readonly Page[] = [
  { path: "/traces", name: "Traces", icon: ListTree, key: "T" },
  { path: "/sessions", name: "Sessions", icon: MessagesSquare, key: "C" },
  { path: "/stats", name: "Metrics", icon: ChartLine, key: "M" },
  { path: "/evaluations", name: "Evaluations", icon: BadgeCheck, key: "E" },
  { path: "/pipeline", name: "Pipeline", icon: Workflow, key: "P" },
  { path: "/settings", name: "Settings", icon: Settings, key: "S" },
];
