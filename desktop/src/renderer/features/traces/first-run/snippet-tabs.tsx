import { Check, Copy } from "lucide-react";
import { Tabs } from "radix-ui";
import { useState } from "react";
import { useSession } from "../../../app-context.js";
import { useCopy } from "../../../components/use-copy.js";
import { highlightLine } from "./highlight.js";
import { SNIPPETS, type Snippet } from "./snippets.js";
import { classNames } from "../../../components/class-names.js";
import buttonStyles from "../../../components/button.module.css";
import codeStyles from "../../../components/code.module.css";
import iconStyles from "../../../components/icon.module.css";
import tabsStyles from "../../../components/tabs.module.css";
import textStyles from "../../../components/text.module.css";
import styles from "./snippet-tabs.module.css";

/** Code snippets that send a first span. */
export function SnippetTabs({ origin }: { origin: string }) {
  const [chosen, setChosen] = useState(SNIPPETS[0]?.id ?? "");
  // A user who signed in knows that apps need a key too.
  const wantsKey = useSession((session) => session.isOpenedHere);
  const snippet = SNIPPETS.find(({ id }) => id === chosen);
  return (
    <Tabs.Root className={styles.snippet} value={chosen} onValueChange={setChosen}>
      <div className={tabsStyles.tabs}>
        <Tabs.List className={styles.tabList} aria-label="Ways to send a span">
          {SNIPPETS.map(({ id, name }) => (
            <Tabs.Trigger key={id} value={id}>
              {name}
            </Tabs.Trigger>
          ))}
        </Tabs.List>
        <span className={textStyles.grow} />
        {snippet !== undefined && <CopySnippet key={chosen} code={snippet.code(origin, wantsKey)} />}
      </div>
      {SNIPPETS.map((each) => (
        <Tabs.Content key={each.id} value={each.id}>
          <Code snippet={each} code={each.code(origin, wantsKey)} />
        </Tabs.Content>
      ))}
    </Tabs.Root>
  );
}

function CopySnippet({ code }: { code: string }) {
  const { isCopied, copy } = useCopy();
  return (
    <button
      type="button"
      className={classNames(buttonStyles.button, buttonStyles.ghost)}
      onClick={() => copy(code)}
    >
      {isCopied ? (
        <Check className={classNames(iconStyles.icon, textStyles.ok)} aria-hidden />
      ) : (
        <Copy className={iconStyles.icon} aria-hidden />
      )}
      {isCopied ? "Copied" : "Copy"}
    </button>
  );
}

function Code({ snippet, code }: { snippet: Snippet; code: string }) {
  const lines = code.split("\n");
  return (
    <pre className={codeStyles.code}>
      {lines.map((line, index) => (
        <div key={index}>
          <span className={styles.lineNumber} aria-hidden>
            {index + 1}
          </span>
          {highlightLine(line, snippet.language).map(({ text, role }, at) => (
            <span key={at} className={role && codeStyles[role]}>
              {text}
            </span>
          ))}
        </div>
      ))}
    </pre>
  );
}
