import { Search, X } from "lucide-react";
import { useEffect, useId, useRef, useState, type KeyboardEvent } from "react";
import { useStores, useTraces } from "../../app-context.js";
import { omit } from "../../store/omit.js";
import { isMultiTenant } from "../../store/traces-state.js";
import { complete, openKey, splitDraft, type CompletionItem } from "./completion.js";
import { CompletionList, optionId } from "./completion-list.js";
import { formatText, parseQuery, TERM_KEYS } from "./query-language.js";
import { isHandledElsewhere } from "./use-list-keys.js";
import type { AddressFilters } from "./use-filters.js";
import { classNames } from "../../components/class-names.js";
import iconStyles from "../../components/icon.module.css";
import menuStyles from "../../components/menu.module.css";
import queryStyles from "../../components/query.module.css";
import textStyles from "../../components/text.module.css";

/** Delay between typing and the search. */
const TYPING_MS = 300;

/** The query field: filters as tokens, then the input, with completions from the collector. */
export function QueryInput({ filters, setFilters }: AddressFilters) {
  const { traces } = useStores();
  const [draft, setDraft] = useState(() => (filters.q === undefined ? "" : formatText(filters.q)));
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState(-1);
  const input = useRef<HTMLInputElement>(null);
  const listId = useId();

  const key = openKey(draft);
  const choices = useTraces((state) => (key === undefined ? undefined : state.choices[key]));
  const completion = complete(draft, choices, useSeenTenants());
  const items = isOpen ? completion.items : [];
  // Enter takes the best value while a value is typed; keys and words are taken only if chosen.
  const active = chosen === -1 && completion.key !== undefined && isOpen && items.length > 0 ? 0 : chosen;

  // A change of the filters changes the values too.
  const listed = useTraces((state) => state.filters);
  useEffect(() => {
    if (isOpen && key !== undefined) void traces.getState().loadChoices(key);
  }, [isOpen, key, listed, traces]);

  // The URL may change elsewhere: Back, a link, the facets.
  useEffect(() => {
    setDraft((typed) => (parseQuery(typed).q === filters.q ? typed : filters.q ? formatText(filters.q) : ""));
  }, [filters.q]);

  const typed = draft.trimEnd();
  useEffect(() => {
    if (key !== undefined || parseQuery(typed).q === filters.q) return;
    const timer = setTimeout(() => {
      setFilters({ ...omit(filters, "q"), ...parseQuery(typed) }, true);
    }, TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed, key, filters, setFilters]);

  useEffect(() => {
    function onKeyDown(event: globalThis.KeyboardEvent): void {
      if (
        event.key !== "/" ||
        event.ctrlKey ||
        event.metaKey ||
        event.altKey ||
        isHandledElsewhere(event.target)
      )
        return;
      event.preventDefault();
      input.current?.focus();
    }
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, []);

  /** Applies the input. */
  function commit(query: string): void {
    const parsed = parseQuery(query);
    const others = omit(filters, "q");
    setFilters({ ...others, ...parsed });
    setDraft(parsed.q === undefined ? "" : formatText(parsed.q));
    setChosen(-1);
  }

  function write(query: string): void {
    setOpen(true);
    setChosen(-1);
    const { whole, rest } = splitDraft(query);
    setDraft(rest);
    if (whole !== "") setFilters({ ...filters, ...parseQuery(whole) });
    else if (openKey(rest) !== undefined) {
      // The beginning of a key may have been searched as text. That search would hide values of the key.
      const { q } = parseQuery(rest);
      if (q !== filters.q) setFilters({ ...omit(filters, "q"), ...(q === undefined ? {} : { q }) }, true);
    }
  }

  function take(item: CompletionItem): void {
    write(item.query);
    input.current?.focus();
  }

  function onKeyDown(event: KeyboardEvent): void {
    const { key: pressed } = event;
    const item = items[active];
    if (pressed === "ArrowDown" || pressed === "ArrowUp") {
      setOpen(true);
      const step = pressed === "ArrowDown" ? 1 : -1;
      if (items.length > 0) setChosen((active + step + items.length) % items.length);
    } else if ((pressed === "Enter" || pressed === "Tab") && item !== undefined) take(item);
    else if (pressed === "Enter") {
      commit(draft);
      setOpen(false);
    } else if (pressed === "Escape") {
      if (isOpen && draft !== "") setOpen(false);
      else if (draft !== "") commit("");
      else input.current?.blur();
    } else if (pressed === "Backspace" && input.current?.selectionEnd === 0) removeLast();
    else return;
    event.preventDefault();
  }

  function removeLast(): void {
    const last = TERM_KEYS.findLast((each) => filters[each] !== undefined);
    if (last !== undefined) setFilters(omit(filters, last));
  }

  const terms = TERM_KEYS.flatMap((each) => {
    const value = filters[each];
    return value === undefined ? [] : [{ key: each, value }];
  });
  return (
    <div className={queryStyles.query} role="search" onClick={() => input.current?.focus()}>
      <Search className={iconStyles.small} aria-hidden />
      {terms.map((term) => (
        <span className={queryStyles.term} key={term.key}>
          <b>{term.key}:</b>
          <span className={textStyles.cut}>{term.value}</span>
          <button
            type="button"
            aria-label={`Remove ${term.key}:${term.value}`}
            onClick={() => setFilters(omit(filters, term.key))}
          >
            <X className={iconStyles.tiny} aria-hidden />
          </button>
        </span>
      ))}
      <input
        ref={input}
        className={textStyles.grow}
        type="text"
        role="combobox"
        aria-label="Filter traces"
        aria-expanded={items.length > 0}
        aria-controls={items.length > 0 ? listId : undefined}
        aria-autocomplete="list"
        aria-activedescendant={items[active] === undefined ? undefined : optionId(listId, active)}
        autoComplete="off"
        spellCheck={false}
        placeholder="Filter, or search in names and text"
        value={draft}
        onChange={(event) => write(event.target.value)}
        onKeyDown={onKeyDown}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
      />
      <kbd aria-hidden>/</kbd>
      {items.length > 0 && (
        <CompletionList id={listId} completion={completion} active={active} onTake={take} />
      )}
      {isOpen && key !== undefined && choices === undefined && (
        <p className={classNames(menuStyles.menu, textStyles.note)}>Looking up values…</p>
      )}
    </div>
  );
}

/** True once tenants have been seen. A search that matches nothing does not hide the key. */
function useSeenTenants(): boolean {
  const seen = useRef(false);
  seen.current = useTraces(isMultiTenant) || seen.current;
  return seen.current;
}
