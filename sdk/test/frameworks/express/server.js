import { withTrace } from "@obspan/sdk";
import express from "express";
import { support } from "./support.js";

const app = express();
app.use(express.json());
app.use((request, response, next) => withTrace(request.headers.traceparent, next));
app.post("/ask", async (request, response) => {
  response.json({ answer: await support(request.body.question) });
});
app.listen(process.env.PORT ?? 3000);
