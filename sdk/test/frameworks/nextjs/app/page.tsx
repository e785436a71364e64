import { support } from "../lib/support";

export const dynamic = "force-dynamic";

export default async function Page() {
  return <p>{await support("What is new?")}</p>;
}
