import { BadgeCheck } from "lucide-react";
import { CopyButton } from "../../components/copy-button.js";
import { ICON_BUTTON } from "../../components/icon-button-class.js";
import { classNames } from "../../components/class-names.js";
import iconStyles from "../../components/icon.module.css";
import pageStyles from "../../components/page.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./evaluations-empty.module.css";

const LOCAL = "OBS_SERVER_EVALUATION_ENABLED=true OBS_SERVER_EVALUATION_JUDGE_PROVIDER=ollama npm start";
const KEYED = "OBS_SERVER_EVALUATION_ENABLED=true OBS_SERVER_EVALUATION_JUDGE_API_KEY=sk-… npm start";
const APP = 'configure({ evaluationEnabled: true, evaluationTypes: ["relevance", "hallucination"] })';

/** Empty state: explains how to enable evaluation. */
export function EvaluationsEmpty({ isOn }: { isOn: boolean }) {
  return (
    <div className={classNames(pageStyles.blank, styles.evalsEmpty)}>
      <BadgeCheck className={iconStyles.icon} aria-hidden />
      <h2>{isOn ? "Nothing has been judged yet" : "Evaluation is off"}</h2>
      <p className={textStyles.dim}>
        {isOn
          ? "Spans are evaluated when their app requests it. You can also select traces in the list and evaluate them."
          : "A judge (another model) scores answers as they arrive. Start the collector with one:"}
      </p>
      {!isOn && (
        <>
          <Line name="A model on this machine, by Ollama" text={LOCAL} />
          <Line name="OpenAI, Anthropic, Google, Mistral, Groq: with a key" text={KEYED} />
        </>
      )}
      <Line name="In the app" text={APP} />
    </div>
  );
}

function Line({ name, text }: { name: string; text: string }) {
  return (
    <div className={styles.line}>
      <span className={textStyles.dim}>{name}</span>
      <span className={classNames(pageStyles.command, textStyles.mono)}>
        {text}
        <CopyButton text={text} name={`Copy: ${name}`} className={ICON_BUTTON} />
      </span>
    </div>
  );
}
