import type { ReactNode } from "react";
import { classNames } from "../../components/class-names.js";
import { ICON_BUTTON } from "../../components/icon-button-class.js";
import { CopyButton } from "../../components/copy-button.js";
import panelStyles from "../../components/panel.module.css";
import textStyles from "../../components/text.module.css";

interface PromqlFooterProps {
  readonly promql: string;
  /** Title of the panel, for screen readers. */
  readonly title: string;
  /** Shown before the copy button. */
  readonly children?: ReactNode;
}

/** Footer of a panel: its PromQL query and a button that copies the query. */
export function PromqlFooter({ promql, title, children }: PromqlFooterProps) {
  return (
    <footer className={panelStyles.promql}>
      <span data-testid="promql" className={classNames(textStyles.cut, textStyles.grow)} data-tip={promql}>
        {promql}
      </span>
      {children}
      <CopyButton className={ICON_BUTTON} text={promql} name={`${title}: copy PromQL`} />
    </footer>
  );
}
