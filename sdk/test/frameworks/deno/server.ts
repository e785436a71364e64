import { withTrace } from "@obspan/sdk";
import { support } from "./support.ts";

Deno.serve({ port: Number(Deno.env.get("PORT") ?? 3000) }, (request) =>
  withTrace(request.headers.get("traceparent"), async () => {
    const { question } = await request.json();
    return Response.json({ answer: await support(question) });
  }),
);
