import type { FileContent } from "../shared-trace.js";
import { fileNotes, traceFacts } from "../trace-facts.js";
import { documentHead } from "./document-head.js";
import { escapeHtml, scriptJson } from "./escape.js";
import { spansHtml } from "./spans-html.js";
import { transcriptHtml } from "./transcript-html.js";

/** A trace as one HTML file that needs nothing else: figures, the conversation, the spans, and the data for programs. */
export function* traceHtml({ shared, run, transcript }: FileContent): Generator<string> {
  const { summary, spans } = shared;
  const name = escapeHtml(summary.root_name);
  yield `${documentHead(`${summary.root_name} · Obspan trace`)}<header>
<h1><i class="dot ${statusClass(summary.status)}"></i><bdi>${name}</bdi></h1>
<p class="id">${escapeHtml(summary.trace_id)}</p>
<dl class="facts">`;
  for (const fact of traceFacts(summary))
    yield `<div><dt>${fact.name}</dt><dd dir="auto">${escapeHtml(fact.value)}</dd></div>`;
  yield `</dl>
<p class="note">${escapeHtml(fileNotes(shared).join(" "))}</p>
<nav aria-label="Contents"><a href="#transcript">Transcript</a><a href="#spans">Spans</a></nav>
</header>
<main>
<section id="transcript" aria-labelledby="transcript-name">
<h2 id="transcript-name">Transcript</h2>
`;
  yield* transcriptHtml(transcript);
  yield `</section>\n<section id="spans" aria-labelledby="spans-name">\n<h2 id="spans-name">Spans</h2>\n`;
  yield* spansHtml(run);
  yield `</section>\n</main>\n<script type="application/json" id="trace-data">\n{"trace":${scriptJson(summary)},"spans":[`;
  let separator = "\n";
  for (const span of spans) {
    yield separator + scriptJson(span);
    separator = ",\n";
  }
  yield "\n]}\n</script>\n</body>\n</html>\n";
}

const STATUSES: ReadonlySet<string> = new Set(["OK", "ERROR", "RUNNING"]);

function statusClass(status: string): string {
  return STATUSES.has(status) ? status : "";
}
