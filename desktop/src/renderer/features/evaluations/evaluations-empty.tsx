import { BadgeCheck } from "lucide-react";
import { CopyButton } from "../../components/copy-button.js";

const LOCAL = "OBS_SERVER_EVALUATION_ENABLED=true OBS_SERVER_EVALUATION_JUDGE_PROVIDER=ollama npm start";
const KEYED = "OBS_SERVER_EVALUATION_ENABLED=true OBS_SERVER_EVALUATION_JUDGE_API_KEY=sk-… npm start";
const APP = 'configure({ evaluationEnabled: true, evaluationTypes: ["relevance", "hallucination"] })';

/** Nothing has been judged: what has to be done for it. */
export function EvaluationsEmpty({ isOn }: { isOn: boolean }) {
  return (
    <div className="blank evals-empty">
      <BadgeCheck className="icon" aria-hidden />
      <h2>{isOn ? "Nothing has been judged yet" : "Evaluation is off"}</h2>
      <p className="dim">
        {isOn
          ? "Spans are judged where their app asks for it. Or select traces in the list, and evaluate those."
          : "A judge, which is another model, scores answers as they come. It runs where the collector is started with one:"}
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
    <div className="line">
      <span className="dim">{name}</span>
      <CopyButton text={text} name={`Copy: ${name}`} className="mono">
        {text}
      </CopyButton>
    </div>
  );
}
