import { flush, withTrace } from "@obspan/sdk";
import { after } from "next/server";
import { support } from "../../../lib/support";

export const runtime = "edge";

export async function POST(request: Request) {
  after(() => flush());
  const { question } = await request.json();
  const answer = await withTrace(request.headers.get("traceparent"), () => support(question));
  return Response.json({ answer });
}
