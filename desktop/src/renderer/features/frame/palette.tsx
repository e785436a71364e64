import { Command } from "cmdk";
import { Search } from "lucide-react";
import { Dialog } from "radix-ui";
import { useEffect, useState, type KeyboardEvent } from "react";
import { useLocation, useSearch } from "wouter";
import { useStore } from "zustand";
import { useStores, useTraces } from "../../app-context.js";
import { ErrorBoundary } from "../../components/error-boundary.js";
import { desktopBridge } from "../../desktop-bridge.js";
import { createPaletteStore } from "../../store/palette-store.js";
import { filtersFromSearch, tracesAddress } from "../traces/filter-address.js";
import { closeOverlay, leaveOverlay, returnFocus } from "./overlays.js";
import { DeleteAllStep } from "./delete-all-step.js";
import { PaletteFoot } from "./palette-foot.js";
import { paletteGroups, withText, type PaletteItem } from "./palette-items.js";
import { usePageActions } from "./page-actions.js";
import { PaletteLine } from "./palette-line.js";
import { usePaletteActions } from "./use-palette-actions.js";
import { classNames } from "../../components/class-names.js";
import iconStyles from "../../components/icon.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./palette.module.css";

/** Traces shown while nothing is typed. */
const RECENT_SHOWN = 4;

/** The ⌘K palette: finds traces, filters, pages and actions. */
export function Palette() {
  const { api } = useStores();
  const [store] = useState(() => createPaletteStore(api));
  const [isDeleting, setDeleting] = useState(false);
  useEffect(() => {
    void store.getState().loadFacets();
    return () => store.getState().close();
  }, [store]);

  return (
    <Dialog.Root open onOpenChange={closeOverlay}>
      <Dialog.Portal>
        <Dialog.Overlay className={styles.scrim}>
          <Dialog.Content
            className={styles.palette}
            aria-describedby={undefined}
            onCloseAutoFocus={returnFocus}
          >
            <Dialog.Title className={textStyles.screenReader}>Search or jump to</Dialog.Title>
            {isDeleting ? (
              <DeleteAllStep store={store} />
            ) : (
              <ErrorBoundary name="The search">
                <PaletteSearch store={store} askToDelete={() => setDeleting(true)} />
              </ErrorBoundary>
            )}
          </Dialog.Content>
        </Dialog.Overlay>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

interface PaletteSearchProps {
  readonly store: ReturnType<typeof createPaletteStore>;
  readonly askToDelete: () => void;
}

function PaletteSearch({ store, askToDelete }: PaletteSearchProps) {
  const { query, traces, tracesById, facets, failure } = useStore(store);
  const [path, navigate] = useLocation();
  const search = useSearch();
  const [chosen, setChosen] = useState("");
  const rows = useTraces((state) => state.rows);
  const [nowMs] = useState(() => Date.now());

  // On the list, a filter is added to the current ones; on other pages it stands alone.
  const filters = path === "/traces" ? filtersFromSearch(search) : {};
  const groups = paletteGroups({
    query,
    found: traces,
    foundById: tracesById,
    recent: rows.slice(0, RECENT_SHOWN),
    facets,
    filters,
    actions: usePaletteActions(askToDelete),
    page: usePageActions(),
    nowMs,
  });
  const items = groups.flatMap((group) => group.items);
  const canOpenInTab = desktopBridge === undefined;

  // Results change the list, so the first item is chosen until the user moves the selection.
  const value = items.some(({ id }) => id === chosen) ? chosen : (items[0]?.id ?? "");

  function choose({ href, run }: PaletteItem): void {
    if (href !== undefined) {
      leaveOverlay();
      navigate(href);
      return;
    }
    // The confirmation of a deletion replaces this step instead of closing the palette.
    if (run !== askToDelete) closeOverlay();
    run?.();
  }

  function onKeyDown(event: KeyboardEvent): void {
    const href = items.find(({ id }) => id === value)?.href;
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey) && href !== undefined && canOpenInTab) {
      event.preventDefault();
      window.open(href, "_blank", "noopener");
      closeOverlay();
    } else if (event.key === "Tab" && !event.shiftKey && query.trim() !== "") {
      event.preventDefault();
      leaveOverlay();
      navigate(tracesAddress(withText(filters, query.trim())));
    }
  }

  return (
    <Command
      label="Search or jump to"
      shouldFilter={false}
      vimBindings={false}
      loop
      value={value}
      onValueChange={setChosen}
      onKeyDown={onKeyDown}
    >
      <div className={styles.ask}>
        <Search className={iconStyles.icon} aria-hidden />
        <Command.Input
          value={query}
          onValueChange={(text) => {
            setChosen("");
            store.getState().setQuery(text);
          }}
          placeholder="Search traces, or jump to a page, an action, a filter"
          aria-label="Search or jump to"
        />
        <kbd>Esc</kbd>
      </div>
      <Command.List className={styles.list} label="Results">
        {groups.map(({ name, items: lines }) => (
          <Command.Group key={name} heading={name}>
            {lines.map((item) => (
              <PaletteLine key={item.id} item={item} query={query} onChoose={() => choose(item)} />
            ))}
          </Command.Group>
        ))}
      </Command.List>
      {items.length === 0 && (
        <p className={classNames(styles.none, textStyles.dim)}>
          Nothing is called “{query.slice(1).trim()}”.
        </p>
      )}
      {failure !== undefined && (
        <p className={classNames(styles.none, textStyles.error)} role="alert">
          {failure}
        </p>
      )}
      <p className={textStyles.screenReader} role="status">
        {items.length === 1 ? "1 result" : `${items.length} results`}
      </p>
      <PaletteFoot canOpenInTab={canOpenInTab} />
    </Command>
  );
}
