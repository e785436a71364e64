import { streamSupport } from "../../lib/support";

export async function POST(request: Request) {
  const { question } = await request.json();
  return new Response(await streamSupport(question));
}
