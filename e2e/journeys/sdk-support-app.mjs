/** A user's app, configured by its environment. It ends without a call of shutdown(). */
import { agent, currentSpan, flush, llm, score, setSession, stats, task, tool } from "@obspan/sdk";

const lookup = tool("lookup", async (order) => ({ order, state: "packed" }));
const charge = tool("charge", async () => {
  throw Object.assign(new Error("the bank did not answer"), { code: "ETIMEDOUT" });
});
const refund = task("refund", () => charge());
const answer = llm({ name: "answer", model: "gpt-5-mini", provider: "openai" }, async function* (prompt) {
  currentSpan().setAttributes({ tokens_input: prompt.length - 6, tokens_output: 7 });
  yield "It ships ";
  yield "today.";
});

const support = agent("support", async (question) => {
  setSession("s-1");
  await lookup(17);
  let text = "";
  for await (const part of answer(question)) text += part;
  await refund().catch(() => undefined);
  return { text, traceId: currentSpan().traceId };
});

const { traceId } = await support("Where is my order?");
score({ traceId, type: "feedback", score: 1, label: "good" });
await flush();
console.log(JSON.stringify({ traceId, stats: stats() }));
