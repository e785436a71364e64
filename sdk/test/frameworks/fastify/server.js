import { withTrace } from "@obspan/sdk";
import fastify from "fastify";
import { support } from "./support.js";

const app = fastify();
app.addHook("onRequest", (request, reply, done) => withTrace(request.headers.traceparent, done));
app.post("/ask", async (request) => ({ answer: await support(request.body.question) }));
await app.listen({ port: process.env.PORT ?? 3000 });
