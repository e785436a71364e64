import { withTrace } from "@obspan/sdk";
import { support } from "../../lib/support";

export async function POST(request: Request) {
  const { question } = await request.json();
  const answer = await withTrace(request.headers.get("traceparent"), () => support(question));
  return Response.json({ answer });
}
