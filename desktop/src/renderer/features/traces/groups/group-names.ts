import { GROUP_KEYS, type GroupKey } from "@obspan/collector-core/api-schema";

const NAMES: Readonly<Record<GroupKey, string>> = {
  name: "Name",
  service: "Service",
  env: "Env",
  version: "Version",
  agent: "Agent",
  model: "Model",
  provider: "Provider",
  tool: "Tool",
  session: "Session",
  user: "User",
  tenant: "Tenant",
  prompt: "Prompt",
  prompt_version: "Prompt version",
  status: "Status",
  error_type: "Error type",
  type: "Span type",
};

/** The keys in the order of the menu: those that are asked for most come first. */
const MENU_ORDER: readonly GroupKey[] = [
  "name",
  "agent",
  "model",
  "tool",
  "version",
  "session",
  "user",
  "prompt",
  "prompt_version",
  "provider",
  "service",
  "env",
  "error_type",
  "status",
  "type",
  "tenant",
];

/** Display name of what traces are grouped by. An attribute is its own name. */
export function groupName(by: string): string {
  const key = GROUP_KEYS.find((each) => each === by);
  return key === undefined ? by : NAMES[key];
}

/** The keys whose name has a text; one that begins with it comes first. */
export function groupChoices(text: string, isMultiTenant: boolean): string[] {
  const typed = text.trim().toLowerCase();
  const keys = MENU_ORDER.filter((key) => key !== "tenant" || isMultiTenant);
  const found = keys.filter((key) => groupName(key).toLowerCase().includes(typed));
  const begins = found.filter((key) => groupName(key).toLowerCase().startsWith(typed));
  const known = [...begins, ...found.filter((key) => !begins.includes(key))];
  const attribute = attributeOf(text);
  return attribute === undefined ? known : [...known, attribute];
}

/** What is typed as the name of an attribute, with or without the @; undefined if nothing is. */
function attributeOf(text: string): string | undefined {
  const path = text.trim().replace(/^@/, "");
  return path === "" ? undefined : `@${path}`;
}
