import { withTrace } from "@obspan/sdk";
import { support } from "./support.ts";

Bun.serve({
  port: process.env.PORT ?? 3000,
  fetch: (request) =>
    withTrace(request.headers.get("traceparent"), async () => {
      const { question } = await request.json();
      return Response.json({ answer: await support(question) });
    }),
});
