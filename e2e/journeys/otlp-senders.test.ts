import { afterAll, beforeAll, expect, it } from "vitest";
import { recordedExchange } from "../../sdk/test/replay/exchange.js";
import { startReplayServer, type ReplayServer } from "../../sdk/test/replay/replay-server.js";
import { collectorHere } from "../harness/collector-here.js";
import { guidePrograms } from "../harness/guide-snippet.js";
import { expectToAddUp, ledgerAtRest } from "../harness/ledger.js";
import { scrape } from "../harness/scrape.js";
import { installSender, runSender } from "../harness/sender-app.js";

/** Time to install several hundred packages on a busy machine, and to run a program. */
const WITHIN_MS = 300_000;

const LIBRARIES = ["opentelemetry", "openinference", "ai-sdk", "ai-sdk-5", "langfuse", "traceloop"] as const;
type Library = (typeof LIBRARIES)[number];

/** The folders of the installed libraries. */
const folders = new Map<Library, Promise<string>>();

let provider: ReplayServer;
beforeAll(async () => {
  for (const name of LIBRARIES) {
    const folder = installSender(name);
    // The test that needs the library reports the failure.
    folder.catch(() => undefined);
    folders.set(name, folder);
  }
  provider = await startReplayServer();
  provider.always(recordedExchange("openai-chat-basic"));
});
afterAll(() => provider.close());

const JOKE = "Why did the OpenTelemetry developer go broke?";

interface TraceAnswer {
  readonly traces: readonly { readonly trace_id: string }[];
}
interface SpansAnswer {
  readonly trace: object;
  readonly spans: readonly {
    readonly span_type: string;
    readonly attributes: Readonly<Record<string, unknown>>;
  }[];
}

/** Runs the program of a page. @returns what the collector stored. */
async function run(sender: Library, program: string): Promise<SpansAnswer & { readonly url: string }> {
  const folder = (await folders.get(sender)) ?? "";
  const collector = await collectorHere();
  const { code, stderr } = await runSender(folder, program, {
    collectorUrl: collector.url,
    modelUrl: provider.url,
  });
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  const ledger = await ledgerAtRest(collector.url);
  expectToAddUp(ledger);
  expect(ledger.rejected).toEqual({});
  const { traces } = (await (await fetch(`${collector.url}/v1/traces`)).json()) as TraceAnswer;
  expect(traces).toHaveLength(1);
  const id = traces[0]?.trace_id ?? "";
  const trace = (await (await fetch(`${collector.url}/v1/traces/${id}`)).json()) as SpansAnswer;
  return { ...trace, url: collector.url };
}

/** The pages of docs/guide, with the expected spans of their program. */
const SENDERS: readonly {
  readonly page: string;
  readonly sender: Library;
  readonly program: number;
  readonly spans: readonly string[];
  readonly agent: string;
}[] = [
  { page: "openinference", sender: "openinference", program: 0, spans: ["llm"], agent: "" },
  { page: "ai-sdk", sender: "ai-sdk", program: 0, spans: ["agent", "task", "llm"], agent: "joker" },
  { page: "ai-sdk", sender: "ai-sdk-5", program: 1, spans: ["task", "llm"], agent: "joker" },
  { page: "langfuse", sender: "langfuse", program: 0, spans: ["agent", "llm"], agent: "joker" },
  { page: "traceloop", sender: "traceloop", program: 0, spans: ["task", "llm"], agent: "" },
];

it.each(SENDERS)(
  "the program of docs/guide, page $page, with $sender: sends a model call with its text, and its tokens once",
  async ({ page, sender, program, spans, agent }) => {
    const { trace, spans: received, url } = await run(sender, guidePrograms(page)[program] ?? "");
    // Spans that start within one millisecond are in order of arrival.
    expect(received.map(({ span_type: type }) => type).toSorted()).toEqual(spans.toSorted());
    expect(trace).toMatchObject({
      service: "shop",
      status: "OK",
      llm_calls: 1,
      tokens_input: 15,
      tokens_output: 20,
      agent: agent === "" ? null : agent,
      models: [expect.stringMatching(/^gpt-3\.5-turbo/)],
      output_preview: expect.stringContaining(JOKE),
    });
    const metrics = await scrape(url);
    expect(metrics.value("obs_tokens_input_sum", { service: "shop" })).toBe(15);
    expect(metrics.value("obs_llm_calls_total", { service: "shop", status: "OK" })).toBe(1);
    const call = received.find(({ span_type: type }) => type === "llm")?.attributes;
    expect(call?.["prompt_messages"]).toEqual([
      { role: "user", parts: [{ type: "text", content: "Tell me a joke about OpenTelemetry" }] },
    ]);
  },
  WITHIN_MS,
);

it.each(["proto", "http"])(
  "the program of docs/guide/opentelemetry.md, with the exporter otlp-%s",
  async (exporter) => {
    const [program = ""] = guidePrograms("opentelemetry");
    const { trace, spans } = await run(
      "opentelemetry",
      program.replace("exporter-trace-otlp-proto", `exporter-trace-otlp-${exporter}`),
    );
    // The clocks of two spans of one program may differ by a fraction of a millisecond.
    expect(spans.map(({ span_type: type }) => type).toSorted()).toEqual(["agent", "llm"]);
    expect(trace).toMatchObject({
      service: "shop",
      version: "1.4.2",
      agent: "joker",
      models: ["gpt-4o-mini"],
      llm_calls: 1,
      tokens_input: 12,
      tokens_output: 20,
      output_preview: "Two spans walk into a trace.",
    });
  },
  WITHIN_MS,
);
