import { Search, X } from "lucide-react";
import { useEffect, useId, useRef, useState, type KeyboardEvent } from "react";
import { readQueryTerms, type QuerySubject } from "@obspan/collector-core/api-schema";
import type { TraceFilters } from "../../api/collector-api.js";
import { useStores, useTraces } from "../../app-context.js";
import { omit } from "../../store/omit.js";
import { isMultiTenant } from "../../store/traces-state.js";
import { complete, isValueOpen, openKey, splitDraft, type CompletionItem } from "./completion.js";
import { CompletionList, optionId } from "./completion-list.js";
import { joinQuery, problemIn, readQuery, splitQuery, TERM_KEYS, type QueryToken } from "./query-language.js";
import { isHandledElsewhere } from "./use-list-keys.js";
import type { AddressFilters } from "./use-filters.js";
import { classNames } from "../../components/class-names.js";
import iconStyles from "../../components/icon.module.css";
import menuStyles from "../../components/menu.module.css";
import queryStyles from "../../components/query.module.css";
import textStyles from "../../components/text.module.css";

/** Delay between typing and the search. */
const TYPING_MS = 300;

const PLACEHOLDERS: Readonly<Record<QuerySubject, string>> = {
  traces: "Filter, or search in names and text",
  sessions: "Filter, or search in what users and agents said",
};

interface QueryInputProps extends AddressFilters {
  /** What is filtered. Default: traces. */
  readonly subject?: QuerySubject;
}

/**
 * The query field: filters and the terms of the query that have a key as tokens, then the input with its words, with completions
 * from the collector.
 */
export function QueryInput({ filters, setFilters, subject = "traces" }: QueryInputProps) {
  const { traces } = useStores();
  const { tokens, words } = splitQuery(filters.query);
  const [draft, setDraft] = useState(words);
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState(-1);
  const [isEntered, setEntered] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const listId = useId();
  const problemId = useId();

  const key = openKey(draft);
  const choices = useTraces((state) => (key === undefined ? undefined : state.choices[key]?.values));
  const completion = complete(draft, choices, useSeenTenants(), subject);
  const inAddress = problemIn(filters.query ?? "", subject)?.sentence;
  const found = problemIn(draft, subject);
  // A term that is still typed is not wrong yet.
  const isTyping = isOpen && !isEntered && found !== undefined && lastTermStart(draft) <= found.position;
  const problem = (isTyping ? undefined : found?.sentence) ?? inAddress;

  const items = isOpen && problem === undefined ? completion.items : [];
  // Enter takes the best value while a value is typed; keys and words are taken only if chosen.
  const active = chosen === -1 && completion.key !== undefined && items.length > 0 ? 0 : chosen;

  // A change of the filters changes the values too.
  const listed = useTraces((state) => state.filters);
  useEffect(() => {
    if (isOpen && key !== undefined) void traces.getState().loadChoices(key);
  }, [isOpen, key, listed, traces]);

  // The URL may change elsewhere: Back, a link, the facets.
  useEffect(() => {
    setDraft((typed) => (splitQuery(typed).words === words ? typed : words));
  }, [words]);

  const typed = draft.trimEnd();
  const isWaiting = isValueOpen(typed) || found !== undefined;
  useEffect(() => {
    if (isWaiting || splitQuery(typed).words === words) return;
    const timer = setTimeout(() => setFilters(withQuery(filters, tokens, typed), true), TYPING_MS);
    return () => clearTimeout(timer);
    // The tokens are read from the filters.
  }, [typed, isWaiting, words, filters, setFilters]);

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

  /** Applies the input, unless it cannot be read. */
  function commit(text: string): void {
    setChosen(-1);
    if (problemIn(text, subject) !== undefined) {
      setEntered(true);
      return;
    }
    const { query, ...plain } = readQuery(text);
    const parts = splitQuery(query);
    setFilters({ ...withQuery(filters, [...tokens, ...parts.tokens], parts.words), ...plain });
    setDraft(parts.words);
  }

  function write(text: string): void {
    setOpen(true);
    setChosen(-1);
    setEntered(false);
    const { whole, rest } = splitDraft(text);
    if (whole !== "" && problemIn(whole, subject) === undefined) {
      const { query, ...plain } = readQuery(whole);
      const added = splitQuery(query).tokens;
      setDraft(rest);
      setFilters({ ...withQuery(filters, [...tokens, ...added], wordsOf(rest)), ...plain });
      return;
    }
    setDraft(text);
    // The beginning of a key may have been searched as text. That search would hide values of the key.
    if (isValueOpen(text) && wordsOf(text) !== words)
      setFilters(withQuery(filters, tokens, wordsOf(text)), true);
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
    if (tokens.length > 0) setFilters(withQuery(filters, tokens.slice(0, -1), words));
    else if (last !== undefined) setFilters(omit(filters, last));
  }

  const terms = [
    ...TERM_KEYS.flatMap((each) => {
      const value = filters[each];
      const remove = (): void => setFilters(omit(filters, each));
      const key: string = each;
      return value === undefined ? [] : [{ id: key, key, value, remove, isWrong: false }];
    }),
    ...tokens.map(({ key: name, value, text }, index) => ({
      id: `${index} ${text}`,
      key: name,
      value,
      remove: () => setFilters(withQuery(filters, tokens.toSpliced(index, 1), words)),
      isWrong: problemIn(text, subject) !== undefined,
    })),
  ];
  return (
    <div className={queryStyles.query} role="search" onClick={() => input.current?.focus()}>
      <Search className={iconStyles.small} aria-hidden />
      {terms.length > 0 && (
        <span className={queryStyles.tokens}>
          {terms.map((term) => (
            <span className={queryStyles.term} key={term.id} data-wrong={term.isWrong ? "" : undefined}>
              <b>{term.key}:</b>
              <span className={textStyles.cut}>{term.value}</span>
              <button type="button" aria-label={`Remove ${term.key}:${term.value}`} onClick={term.remove}>
                <X className={iconStyles.tiny} aria-hidden />
              </button>
            </span>
          ))}
        </span>
      )}
      <input
        ref={input}
        className={textStyles.grow}
        type="text"
        role="combobox"
        aria-label={`Filter ${subject}`}
        aria-expanded={items.length > 0}
        aria-controls={items.length > 0 ? listId : undefined}
        aria-autocomplete="list"
        aria-invalid={problem !== undefined}
        aria-describedby={problem === undefined ? undefined : problemId}
        aria-activedescendant={items[active] === undefined ? undefined : optionId(listId, active)}
        autoComplete="off"
        spellCheck={false}
        placeholder={PLACEHOLDERS[subject]}
        value={draft}
        onChange={(event) => write(event.target.value)}
        onKeyDown={onKeyDown}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
      />
      <kbd aria-hidden>/</kbd>
      {problem !== undefined && (
        <p
          id={problemId}
          role="alert"
          className={classNames(menuStyles.menu, textStyles.note, queryStyles.problem)}
        >
          {problem}
        </p>
      )}
      {items.length > 0 && (
        <CompletionList id={listId} completion={completion} active={active} onTake={take} />
      )}
      {problem === undefined &&
        isOpen &&
        key !== undefined &&
        choices === undefined &&
        items.length === 0 && (
          <p className={classNames(menuStyles.menu, textStyles.note)}>Looking up values…</p>
        )}
    </div>
  );
}

/** The filters with another query; without one if nothing is left of it. */
function withQuery(filters: TraceFilters, tokens: readonly QueryToken[], words: string): TraceFilters {
  const query = joinQuery(tokens, words);
  return query === undefined ? omit(filters, "query") : { ...filters, query };
}

function wordsOf(text: string): string {
  return splitQuery(text).words;
}

/** Where the last term of a text begins; behind its end if a new one starts. */
function lastTermStart(text: string): number {
  const last = readQueryTerms(text).at(-1);
  return last?.end === text.length ? last.start : text.length;
}

/** True once tenants have been seen. A search that matches nothing does not hide the key. */
function useSeenTenants(): boolean {
  const seen = useRef(false);
  seen.current = useTraces(isMultiTenant) || seen.current;
  return seen.current;
}
