import { Search, SearchX } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { useSettings, useStores } from "../../app-context.js";
import { MetricsError } from "../metrics/metrics-states.js";
import { OptionRow } from "./option-row.js";
import { problemsAtEdits } from "../../store/option-problems.js";
import { searchSections, sectionsOf, type SettingsSection } from "./model/sections.js";
import { PricesTable } from "./prices-section.js";
import { SaveBar } from "./save-bar.js";
import { useSettingsKeys } from "./use-settings-keys.js";
import { ViewsList } from "./views-section.js";
import { YamlPane } from "./yaml-pane.js";
import { classNames } from "../../components/class-names.js";
import buttonStyles from "../../components/button.module.css";
import iconStyles from "../../components/icon.module.css";
import pageStyles from "../../components/page.module.css";
import queryStyles from "../../components/query.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./settings-page.module.css";

/** A section that begins this close to the top is the one that is read. */
const NEAR_TOP_PX = 80;

/** Shown after the sections of options. */
const VIEWS: SettingsSection = {
  id: "views",
  name: "Saved views",
  about: "What was saved of the lists, for everybody who uses this collector.",
  options: [],
};

/** The Settings page: every option with its source, the file, the prices and the saved views. */
export function SettingsPage() {
  const { settings } = useStores();
  const description = useSettings((state) => state.description);
  const error = useSettings((state) => state.error);
  useEffect(() => void settings.getState().load(), [settings]);
  if (description === undefined)
    return (
      <main className={pageStyles.page} aria-busy={error === undefined}>
        <h1 className={textStyles.screenReader}>Settings</h1>
        {error !== undefined && (
          <MetricsError error={error} hasPanels={false} onRetry={() => void settings.getState().load()} />
        )}
      </main>
    );
  return <Settings />;
}

function Settings() {
  const { settings } = useStores();
  const description = useSettings((state) => state.description);
  const prices = useSettings((state) => state.prices);
  const drafts = useSettings((state) => state.drafts);
  const check = useSettings((state) => state.check);
  const [search, setSearch] = useState("");
  const [chosen, setChosen] = useState<string>();
  const options = useRef<HTMLElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const config = description?.config;
  const sections = useMemo(() => (config === undefined ? [] : sectionsOf(config)), [config]);
  const isSearching = search.trim() !== "";
  const shown = useMemo(() => searchSections(sections, search), [sections, search]);
  const problems = useMemo(
    () => problemsAtEdits(check?.problems ?? {}, Object.keys(drafts)),
    [check, drafts],
  );
  useSettingsKeys({
    field,
    clear: () => setSearch(""),
    save: () => void settings.getState().saveChecked(),
  });
  if (description === undefined) return null;

  const show = (selector: string): void => {
    options.current?.querySelector(selector)?.scrollIntoView({ block: "start" });
  };
  const showOption = (key: string): void => {
    setSearch("");
    // The rows of a search are replaced first.
    requestAnimationFrame(() => {
      show(`[data-key="${CSS.escape(key)}"]`);
      options.current
        ?.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"] :is(input, select, textarea)`)
        ?.focus();
    });
  };
  const nav = isSearching ? shown : [...sections, VIEWS];
  /** Marks the section at the top. At the end, the chosen one may be further down. */
  const follow = (list: HTMLElement): void => {
    if (list.scrollTop + list.clientHeight >= list.scrollHeight - 1) return;
    const atTop = nav.findLast(({ id }) => {
      const section = list.querySelector<HTMLElement>(`#settings-${id}`);
      return section !== null && section.offsetTop <= list.scrollTop + NEAR_TOP_PX;
    });
    setChosen(atTop?.id);
  };
  return (
    <main className={classNames(pageStyles.page, styles.settings)}>
      <h1 className={textStyles.screenReader}>Settings</h1>
      <nav className={styles.sections} aria-label="Sections">
        <label className={classNames(queryStyles.query, queryStyles.small, styles.search)}>
          <Search className={iconStyles.icon} aria-hidden />
          <input
            ref={field}
            aria-label="Find an option"
            placeholder="Find an option"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
          <kbd>/</kbd>
        </label>
        {nav.map(({ id, name, options: found }) => (
          <button
            key={id}
            type="button"
            aria-current={id === (chosen ?? nav[0]?.id) ? "true" : undefined}
            onClick={() => {
              setChosen(id);
              show(`#settings-${id}`);
            }}
          >
            <span className={classNames(textStyles.cut, textStyles.grow)}>{name}</span>
            {found.some(({ key }) => key in drafts) && <i className={styles.editedDot} data-tip="Edited" />}
            {found.length > 0 && <span className={textStyles.count}>{found.length}</span>}
          </button>
        ))}
      </nav>
      <section
        ref={options}
        className={styles.options}
        aria-label="Options"
        tabIndex={-1}
        onScroll={(event) => follow(event.currentTarget)}
      >
        <FileProblems problems={description.file_problems} />
        {shown.map((section) => (
          <div key={section.id} id={`settings-${section.id}`}>
            <SectionHead section={section} />
            {section.options.map((option) => (
              <OptionRow
                key={option.key}
                option={option}
                draft={drafts[option.key]}
                problem={problems.get(option.key)}
                isWritable={description.not_writable === null}
              />
            ))}
            {section.id === "prices" && prices !== undefined && (
              <PricesTable prices={prices} search={search} />
            )}
          </div>
        ))}
        {isSearching && shown.length === 0 && (
          <div className={pageStyles.blank} role="status">
            <SearchX className={iconStyles.icon} aria-hidden />
            <h2>No option matches</h2>
            <p className={textStyles.dim}>Keys, variables and their documentation were searched.</p>
            <button type="button" className={buttonStyles.button} onClick={() => setSearch("")}>
              Clear the search
            </button>
          </div>
        )}
        {!isSearching && (
          <div id={`settings-${VIEWS.id}`}>
            <SectionHead section={VIEWS} />
            <ViewsList />
          </div>
        )}
      </section>
      <YamlPane description={description} />
      <SaveBar description={description} problems={[...problems.keys()]} onShow={showOption} />
    </main>
  );
}

function SectionHead({ section: { name, about } }: { section: SettingsSection }) {
  return (
    <header className={styles.head}>
      <h2>{name}</h2>
      <p>{about}</p>
    </header>
  );
}

function FileProblems({ problems }: { problems: readonly string[] }) {
  if (problems.length === 0) return null;
  return (
    <div className={styles.fileProblems} role="alert">
      <b>The file has problems. The collector would not start again:</b>
      <ul>
        {problems.map((problem) => (
          <li key={problem}>{problem}</li>
        ))}
      </ul>
    </div>
  );
}
