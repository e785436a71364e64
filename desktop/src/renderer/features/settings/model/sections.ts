import type { ConfigDescription, ConfigEntry } from "@obspan/collector-core/api-schema";

/** An option with its key. */
export interface SettingsOption {
  readonly key: string;
  readonly entry: ConfigEntry;
}

/** Options that are shown together. */
export interface SettingsSection {
  readonly id: string;
  readonly name: string;
  readonly about: string;
  readonly options: readonly SettingsOption[];
}

interface SectionRow {
  readonly id: string;
  readonly name: string;
  readonly about: string;
  /** The keys of the section, or their beginnings. The first section with a match has the option. */
  readonly keys: readonly string[];
}

const SECTIONS: readonly SectionRow[] = [
  {
    id: "server",
    name: "Server",
    about: "Where the collector listens, and who may reach it.",
    keys: ["config_file", "server."],
  },
  {
    id: "queue",
    name: "Queue",
    about: "What happens between receiving a span and working on it.",
    keys: ["limits.max_queue", "backpressure.", "queue."],
  },
  {
    id: "store",
    name: "Trace store",
    about: "How many traces are kept, where, and for how long.",
    keys: ["limits.max_traces", "trace_store."],
  },
  {
    id: "metrics",
    name: "Metrics and SRE",
    about: "Labels, buckets and objectives of the metrics.",
    keys: [
      "limits.cardinality_",
      "limits.max_series",
      "limits.max_label",
      "histograms.",
      "exemplars.",
      "sre.",
    ],
  },
  { id: "limits", name: "Limits", about: "Sizes of requests and spans.", keys: ["limits."] },
  { id: "sampling", name: "Sampling", about: "Which traces are kept.", keys: ["sampling."] },
  { id: "redaction", name: "Redaction", about: "What is removed from texts.", keys: ["redaction."] },
  { id: "export", name: "Export", about: "Where spans are sent on.", keys: ["exporter."] },
  {
    id: "evaluation",
    name: "Evaluation",
    about: "A judge model scores what your model calls answered.",
    keys: ["evaluation."],
  },
  {
    id: "access",
    name: "Access",
    about: "Keys, limits of senders, tenants, and what coding agents may do.",
    keys: ["auth.", "rate_limit.", "multi_tenant.", "mcp."],
  },
  {
    id: "logging",
    name: "Logging and stop",
    about: "What is logged, and how the collector ends.",
    keys: ["logging.", "shutdown."],
  },
  {
    id: "prices",
    name: "Prices",
    about: "The cost of model calls that come without one.",
    keys: ["pricing."],
  },
];
const OTHER: SectionRow = { id: "other", name: "Other", about: "Options without a section.", keys: [""] };

/** The options in sections. Sections without options are left out. */
export function sectionsOf(config: ConfigDescription["config"]): SettingsSection[] {
  const options = Object.entries(config).map(([key, entry]): SettingsOption => ({ key, entry }));
  const rows = [...SECTIONS, OTHER];
  const idOf = (key: string): string | undefined =>
    rows.find(({ keys }) => keys.some((start) => key.startsWith(start)))?.id;
  return rows.flatMap(({ id, name, about }) => {
    const found = options.filter(({ key }) => idOf(key) === id);
    return found.length === 0 ? [] : [{ id, name, about, options: found }];
  });
}

/** The sections with the options that have all words of a search in their key, documentation or variable. */
export function searchSections(sections: readonly SettingsSection[], search: string): SettingsSection[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return sections.flatMap((section) => {
    const options = section.options.filter(({ key, entry }) => {
      const text = `${key} ${section.name} ${entry.doc} ${entry.env}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
    return options.length === 0 ? [] : [{ ...section, options }];
  });
}
