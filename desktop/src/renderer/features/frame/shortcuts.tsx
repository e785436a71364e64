import { X } from "lucide-react";
import { Dialog } from "radix-ui";
import { Fragment } from "react";
import { MOD, SHORTCUTS, type Shortcut } from "./keyboard.js";
import { closeOverlay, returnFocus } from "./overlays.js";
import { isMac } from "./top-bar.js";
import { classNames } from "../../components/class-names.js";
import buttonStyles from "../../components/button.module.css";
import iconStyles from "../../components/icon.module.css";
import textStyles from "../../components/text.module.css";
import paletteStyles from "./palette.module.css";
import styles from "./shortcuts.module.css";

/** Every key of the app, opened by `?`. */
export function Shortcuts() {
  return (
    <Dialog.Root open onOpenChange={closeOverlay}>
      <Dialog.Portal>
        <Dialog.Overlay className={paletteStyles.scrim}>
          <Dialog.Content
            className={classNames(paletteStyles.palette, styles.shortcuts)}
            aria-describedby={undefined}
            onCloseAutoFocus={returnFocus}
          >
            <header>
              <Dialog.Title>Keyboard shortcuts</Dialog.Title>
              <Dialog.Close
                className={classNames(buttonStyles.button, buttonStyles.ghost, buttonStyles.square)}
                data-tip="Close  Esc"
                aria-label="Close"
              >
                <X className={iconStyles.icon} aria-hidden />
              </Dialog.Close>
            </header>
            <div className={styles.sections} role="region" aria-label="All keys" tabIndex={0}>
              {SHORTCUTS.map(({ name, shortcuts }) => (
                <section key={name} aria-label={name}>
                  <h3>{name}</h3>
                  <dl>
                    {shortcuts.map((shortcut) => (
                      <Line key={shortcut.does} shortcut={shortcut} />
                    ))}
                  </dl>
                </section>
              ))}
            </div>
          </Dialog.Content>
        </Dialog.Overlay>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Line({ shortcut: { does, keys, to } }: { shortcut: Shortcut }) {
  return (
    <div>
      <dt>{does}</dt>
      <dd className={textStyles.keys}>
        {keys.map((sequence, index) => (
          <Fragment key={sequence.join(" ")}>
            {index > 0 && <span className={styles.or}>or</span>}
            <Keys sequence={sequence} />
          </Fragment>
        ))}
        {to !== undefined && (
          <>
            <span className={styles.or}>to</span>
            <Keys sequence={to} />
          </>
        )}
      </dd>
    </div>
  );
}

function Keys({ sequence }: { sequence: readonly string[] }) {
  return sequence.map((key) => <kbd key={key}>{key === MOD ? (isMac() ? "⌘" : "Ctrl") : key}</kbd>);
}
