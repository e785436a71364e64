import { Type, type Static } from "typebox";

const Text = (maxLength: number, description: string) => Type.String({ maxLength, description });
const Optional = (maxLength: number, description: string) =>
  Type.Union([Type.String({ maxLength }), Type.Null()], { description });

/** Bounds of saved views. */
export const VIEW_LIMITS = { views: 200, id: 64, name: 80, query: 4096, columns: 50, column: 64 } as const;

/** What a page shows: the body of `PUT /v1/views/{id}` (contract 9). */
export const ViewContentSchema = Type.Object({
  name: Type.String({ minLength: 1, maxLength: VIEW_LIMITS.name, description: "Shown in the menu." }),
  page: Text(32, "The page that shows it, such as `traces`."),
  query: Text(VIEW_LIMITS.query, "Conditions in the query language; empty for all."),
  columns: Type.Union(
    [
      Type.Array(Type.String({ maxLength: VIEW_LIMITS.column }), { maxItems: VIEW_LIMITS.columns }),
      Type.Null(),
    ],
    { description: "The shown columns in order; null for those of the user." },
  ),
  order: Optional(32, "Order of the list, such as `slowest`; null for the default."),
  group_by: Optional(256, "Key of the groups; null for a list of traces."),
});
export type ViewContent = Static<typeof ViewContentSchema>;

/** A saved view. */
export const ViewSchema = Type.Object(
  {
    id: Type.String({ pattern: "^[A-Za-z0-9_-]{1,64}$" }),
    ...ViewContentSchema.properties,
  },
  { $id: "View" },
);
export type View = Static<typeof ViewSchema>;

export const ViewListSchema = Type.Object({
  views: Type.Array(ViewSchema, {
    description: "In the order in which they were saved, the default views first.",
  }),
});
export type ViewList = Static<typeof ViewListSchema>;

const view = (id: string, name: string, query: string, order: string | null): View => ({
  id,
  name,
  page: "traces",
  query,
  columns: null,
  order,
  group_by: null,
});

/** The views of a new collector. They can be changed and deleted. */
export const DEFAULT_VIEWS: readonly View[] = [
  view("errors", "Errors", "has:error", null),
  view("slow", "Slow", "duration:>10s", "slowest"),
  view("costly", "Costly", "cost:>0", "costliest"),
];
