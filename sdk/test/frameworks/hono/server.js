import { serve } from "@hono/node-server";
import { withTrace } from "@obspan/sdk";
import { Hono } from "hono";
import { support } from "./support.js";

const app = new Hono();
app.use((context, next) => withTrace(context.req.header("traceparent"), next));
app.post("/ask", async (context) => {
  const { question } = await context.req.json();
  return context.json({ answer: await support(question) });
});
serve({ fetch: app.fetch, port: process.env.PORT ?? 3000 });
