import {
  currentContext,
  isRecording,
  newTrace,
  processWide,
  type ContextNode,
  type RecordedSpan,
  type SpanAttributes,
} from "../../capture/integration.js";
import { setTimeout } from "../../platform/timers.js";
import { elementsOf, field, textOf } from "../json-fields.js";
import { OpenRuns } from "../run-spans/open-runs.js";
import { recordSafely, startRunSpan } from "../run-spans/run-span.js";

/** The stream of a model run. */
export interface ModelStream {
  /** Records a chunk of the stream. */
  readonly add: (token: unknown, chunk: unknown) => void;
  /** Output tokens that LangChain counted twice. */
  readonly extraOutputTokens: () => number;
}

/** A run of LangChain that has started and not ended. */
export interface Run {
  readonly id: string;
  readonly parent: Run | undefined;
  /** Absent for a run that LangChain hides; what runs inside it belongs to its parent. */
  readonly span: RecordedSpan | undefined;
  /** The context of what runs inside. A model run replaces it. */
  node: ContextNode;
  /** The agent that the run belongs to. */
  readonly agent: string | undefined;
  /** Open runs inside this one. */
  readonly children: Set<Run>;
  /** Ends the span. Default: the span ends as it is. */
  finish: (() => void) | undefined;
  /** Follows the stream of a model run. Several handlers may report it. */
  stream: ModelStream | undefined;
}

/** What LangChain reports of every run when it starts. */
export interface RunStart {
  readonly id: string;
  readonly parentId: string | undefined;
  readonly spanType: string;
  readonly name: string;
  readonly tags: unknown;
  readonly metadata: unknown;
  readonly attributes: () => SpanAttributes;
}

/** Every copy of this package, and every handler in an app, records a run once. */
const runs = processWide("langchain.runs", () => new OpenRuns<Run>(abort));

/** The tag of runs that LangChain's own tools do not show. */
const HIDDEN_TAG = "langsmith:hidden";

/** A run that has started and not ended. */
export function openRun(id: string | undefined): Run | undefined {
  return runs.get(id);
}

/** Starts the span of a run. Returns undefined if nothing is recorded, or if another handler has recorded the start. */
export function startRun(start: RunStart): Run | undefined {
  if (!isRecording() || runs.get(start.id) !== undefined) return undefined;
  const parent = runs.get(start.parentId);
  const parentNode = parent?.node ?? currentContext();
  const ownAgent = agentOf(start, parent);
  const isHidden = elementsOf(start.tags).includes(HIDDEN_TAG);
  const span = isHidden
    ? undefined
    : startRunSpan({
        parent: parentNode,
        spanType: ownAgent === undefined ? start.spanType : "agent",
        name: ownAgent ?? start.name,
        attributes: start.attributes(),
      });
  const run: Run = {
    id: start.id,
    parent,
    span,
    node: span ?? parentNode ?? { trace: newTrace(), spanId: "", span: undefined },
    agent: ownAgent ?? parent?.agent,
    children: new Set(),
    finish: undefined,
    stream: undefined,
  };
  parent?.children.add(run);
  runs.add(start.id, run);
  return run;
}

/** Ends the span of a run. Runs inside it that are still open were abandoned, such as streams that nobody read to the end. */
export function endRun(id: string, describe: (span: RecordedSpan, run: Run) => void): void {
  const run = runs.take(id);
  if (run === undefined) return;
  run.parent?.children.delete(run);
  const { span } = run;
  if (span !== undefined) recordSafely(() => describe(span, run));
  close(run);
  // Callbacks of the same moment may still end them.
  if (run.children.size > 0)
    setTimeout(() => [...run.children].forEach(({ id: child }) => abortRun(child)), 0);
}

/** Ends the span of a run that nobody will end. */
export function abortRun(id: string): void {
  endRun(id, (span) => span.setAttribute("aborted", true));
}

function abort(run: Run): void {
  run.parent?.children.delete(run);
  run.span?.setAttribute("aborted", true);
  close(run);
}

function close({ finish, span }: Run): void {
  if (finish === undefined) span?.end();
  else finish();
}

/**
 * The agent that a run starts; undefined for a run inside an agent. `createAgent` writes its name into the metadata, which
 * the runs inside inherit. Without a name, the agent is the graph that `createAgent` made.
 */
function agentOf({ spanType, name, metadata, tags }: RunStart, parent: Run | undefined): string | undefined {
  if (spanType !== "task" || elementsOf(tags).includes(HIDDEN_TAG)) return undefined;
  const given = textOf(field(metadata, "lc_agent_name"));
  if (given !== undefined) return given === parent?.agent ? undefined : given;
  const isAgent = field(metadata, "ls_integration") === "langchain_create_agent";
  return isAgent && parent?.agent === undefined ? name : undefined;
}
