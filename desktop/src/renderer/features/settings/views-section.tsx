import type { View } from "@obspan/collector-core/api-schema";
import { Download, Trash2, Upload } from "lucide-react";
import { useEffect, useState, type SyntheticEvent } from "react";
import { useStores, useViews } from "../../app-context.js";
import { chooseFile } from "../../components/choose-file.js";
import { saveFile } from "../../components/save-file.js";
import { classNames } from "../../components/class-names.js";
import buttonStyles from "../../components/button.module.css";
import iconStyles from "../../components/icon.module.css";
import textStyles from "../../components/text.module.css";
import optionStyles from "./option.module.css";
import styles from "./tables.module.css";

/** The saved views: names can be changed, views deleted and exported. */
export function ViewsList() {
  const { views: store } = useStores();
  const { views, failure, isSaving } = useViews((state) => state);
  useEffect(() => void store.getState().load(), [store]);
  const exportAll = (): void => {
    const text = JSON.stringify({ views }, null, 2);
    saveFile(new Blob([text], { type: "application/json" }), "obspan-views.json");
  };
  return (
    <div className={styles.block}>
      <p className={styles.about}>
        Each view is what a list showed when it was saved: filters, order and columns.{" "}
        {views?.length === 0 && "No view is saved."}
      </p>
      {failure !== undefined && (
        <p role="alert" className={textStyles.error}>
          {failure}
        </p>
      )}
      <ul className={styles.views}>
        {(views ?? []).map((view) => (
          <ViewLine key={`${view.id} ${view.name}`} view={view} isSaving={isSaving} />
        ))}
      </ul>
      <button
        type="button"
        className={buttonStyles.button}
        disabled={views === undefined || views.length === 0}
        onClick={exportAll}
      >
        <Download className={iconStyles.icon} aria-hidden />
        Export the views
      </button>{" "}
      <button
        type="button"
        className={buttonStyles.button}
        disabled={isSaving}
        onClick={() =>
          chooseFile(".json,application/json", (file) => {
            void file.text().then((text) => store.getState().importFile(text));
          })
        }
      >
        <Upload className={iconStyles.icon} aria-hidden />
        Import views
      </button>
    </div>
  );
}

function ViewLine({ view, isSaving }: { view: View; isSaving: boolean }) {
  const { views } = useStores();
  const [name, setName] = useState(view.name);
  const trimmed = name.trim();
  const isChanged = trimmed !== "" && trimmed !== view.name;
  const rename = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (isChanged) void views.getState().rename(view, trimmed);
  };
  return (
    <li>
      <form className={styles.view} onSubmit={rename}>
        <span className={optionStyles.field}>
          <input
            aria-label={`Name of the view ${view.name}`}
            maxLength={80}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </span>
        <span className={textStyles.dim}>{view.page}</span>
        <span className={classNames(textStyles.mono, textStyles.cut, textStyles.faint)} data-tip={view.query}>
          {view.query}
        </span>
        <button type="submit" className={buttonStyles.button} disabled={!isChanged || isSaving}>
          Rename
        </button>
        <button
          type="button"
          className={classNames(buttonStyles.button, buttonStyles.ghost, buttonStyles.square)}
          aria-label={`Delete the view ${view.name}`}
          data-tip="Delete"
          disabled={isSaving}
          onClick={() => void views.getState().remove(view.id)}
        >
          <Trash2 className={iconStyles.icon} aria-hidden />
        </button>
      </form>
    </li>
  );
}
