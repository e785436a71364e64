import { flush } from "@obspan/sdk";
import { after } from "next/server";
import { streamSupport } from "../../../lib/support";

export const runtime = "edge";

export async function POST(request: Request) {
  after(() => flush());
  const { question } = await request.json();
  return new Response(await streamSupport(question));
}
