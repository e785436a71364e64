import type { TraceOrder, View } from "@obspan/collector-core/api-schema";
import { Bookmark, ChevronDown, X } from "lucide-react";
import { Popover } from "radix-ui";
import { useState, type SyntheticEvent } from "react";
import { useLocation } from "wouter";
import { usePreferences, useStores, useViews } from "../../app-context.js";
import { COLUMNS } from "./columns.js";
import {
  groupOrderFromText,
  groupsAddress,
  orderFromText,
  tracesAddress,
  type Grouping,
} from "./filter-address.js";
import { groupName } from "./groups/group-names.js";
import { formatQuery, readQuery } from "./query-language.js";
import type { AddressFilters, AddressOrder } from "./use-filters.js";
import { classNames } from "../../components/class-names.js";
import buttonStyles from "../../components/button.module.css";
import iconStyles from "../../components/icon.module.css";
import menuStyles from "../../components/menu.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./views-menu.module.css";

interface ViewsMenuProps extends Pick<AddressFilters, "filters">, Pick<AddressOrder, "order"> {
  readonly grouping: Grouping | undefined;
}

/** The saved views of the list: filters, order, columns and grouping under a name. */
export function ViewsMenu({ filters, order, grouping }: ViewsMenuProps) {
  const { views, preferences } = useStores();
  const { views: listed, isSaving, failure } = useViews((state) => state);
  const hidden = usePreferences((state) => state.hiddenColumns);
  const [, navigate] = useLocation();
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState("");
  const query = formatQuery(filters);
  const shown = (listed ?? []).filter(({ page }) => page === "traces");
  const current = shown.find((view) => view.query === query && isShownAs(view, order, grouping));

  function apply(view: View): void {
    const { columns } = view;
    if (columns !== null)
      preferences.setState({
        hiddenColumns: COLUMNS.flatMap(({ id, isFixed }) =>
          isFixed === true || columns.includes(id) ? [] : [id],
        ),
      });
    navigate(addressOf(view));
    setOpen(false);
  }

  function save(event: SyntheticEvent): void {
    event.preventDefault();
    const columns = COLUMNS.flatMap(({ id }) => (hidden.includes(id) ? [] : [id]));
    const content = {
      name: name.trim(),
      page: "traces",
      query,
      columns,
      order: grouping?.order ?? order,
      group_by: grouping?.by ?? null,
    };
    void views.getState().save(content);
    setName("");
  }

  return (
    <Popover.Root
      open={isOpen}
      onOpenChange={(opened) => {
        setOpen(opened);
        if (opened) void views.getState().load();
      }}
    >
      <Popover.Trigger
        className={
          current === undefined ? buttonStyles.button : classNames(buttonStyles.button, buttonStyles.on)
        }
      >
        <Bookmark className={iconStyles.icon} aria-hidden />
        <span className={textStyles.cut}>{current?.name ?? "Views"}</span>
        <ChevronDown className={iconStyles.tiny} aria-hidden />
      </Popover.Trigger>
      <Popover.Content
        className={classNames(menuStyles.menu, styles.views)}
        align="end"
        sideOffset={4}
        aria-label="Saved views"
      >
        {listed === undefined && failure === undefined && (
          <p className={classNames(styles.line, textStyles.dim)}>Loading views…</p>
        )}
        <ul className={styles.list}>
          {shown.map((view) => (
            <li key={view.id} className={styles.item}>
              <button
                type="button"
                className={classNames(menuStyles.menuItem, styles.view)}
                aria-current={view === current ? "true" : undefined}
                onClick={() => apply(view)}
              >
                <span className={textStyles.cut}>{view.name}</span>
                <span className={classNames(textStyles.cut, textStyles.mono, menuStyles.hint)}>
                  {view.group_by !== null && (
                    <span>
                      by {groupName(view.group_by)}
                      {view.query !== "" && " · "}
                    </span>
                  )}
                  {view.query}
                </span>
              </button>
              <button
                type="button"
                className={styles.remove}
                aria-label={`Delete the view ${view.name}`}
                onClick={() => void views.getState().remove(view.id)}
              >
                <X className={iconStyles.tiny} aria-hidden />
              </button>
            </li>
          ))}
        </ul>
        {listed !== undefined && shown.length === 0 && (
          <p className={classNames(styles.line, textStyles.dim)}>No view is saved.</p>
        )}
        {failure !== undefined && (
          <p role="alert" className={classNames(styles.line, textStyles.error)}>
            {failure}
          </p>
        )}
        <form className={styles.save} onSubmit={save}>
          <input
            className={styles.name}
            aria-label="Name of the view"
            placeholder="Save these filters as…"
            maxLength={80}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
          <button type="submit" className={buttonStyles.button} disabled={name.trim() === "" || isSaving}>
            Save
          </button>
        </form>
      </Popover.Content>
    </Popover.Root>
  );
}

/** Whether a list or groups of traces are as a view has them. */
function isShownAs(view: View, order: TraceOrder, grouping: Grouping | undefined): boolean {
  if (view.group_by === null || grouping === undefined)
    return view.group_by === null && grouping === undefined && orderFromText(view.order) === order;
  return view.group_by === grouping.by && groupOrderFromText(view.order) === grouping.order;
}

function addressOf({ query, order, group_by: by }: View): string {
  const filters = readQuery(query);
  return by === null
    ? tracesAddress(filters, orderFromText(order))
    : groupsAddress(filters, { by, order: groupOrderFromText(order) });
}
