import { BadgeCheck, ChartLine, ListTree, Settings, Workflow, type LucideIcon } from "lucide-react";

/** A page of the app, as listed in the rail and the palette. */
export interface Page {
  readonly path: string;
  readonly name: string;
  readonly icon: LucideIcon;
  /** The letter after `G`. */
  readonly key: string;
  /** Description of a page that does not exist yet. */
  readonly description?: string;
}

export const PAGES: readonly Page[] = [
  { path: "/traces", name: "Traces", icon: ListTree, key: "T" },
  { path: "/stats", name: "Metrics", icon: ChartLine, key: "M" },
  { path: "/evaluations", name: "Evaluations", icon: BadgeCheck, key: "E" },
  { path: "/pipeline", name: "Pipeline", icon: Workflow, key: "P" },
  {
    path: "/settings",
    name: "Settings",
    icon: Settings,
    key: "S",
    description: "Settings will come in a later version. The current configuration is at",
  },
];
