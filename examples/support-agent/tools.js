import { setTimeout as sleep } from "node:timers/promises";
import { tool } from "@obspan/sdk";

const ORDERS = {
  48190: { item: "Oak desk", carrier: "Colissimo", tracking: "6C19820047351", due: "2026-11-17" },
};

const PARCELS = {
  "6C19820047351": { state: "AT_DEPOT", depot: "Lyon", since: "2026-11-19", delivery: "2026-11-23" },
};

/** The tools of the agent. With `tool()` a call is a span with its arguments and its result. */
export const tools = {
  get_order: tool("get_order", async ({ order_id: id }) => {
    await sleep(40);
    const order = ORDERS[id];
    if (order === undefined) throw new Error(`There is no order ${id}.`);
    return order;
  }),

  get_shipping_status: tool("get_shipping_status", async ({ tracking }) => {
    await sleep(120);
    return PARCELS[tracking] ?? { state: "UNKNOWN" };
  }),
};

/** The descriptions for the model. */
export const TOOL_DEFINITIONS = [
  define("get_order", "Looks an order up.", { order_id: "The number of the order, e.g. 48190" }),
  define("get_shipping_status", "Says where a parcel is.", {
    tracking: "The tracking number of the carrier",
  }),
];

function define(name, description, parameters) {
  const properties = Object.fromEntries(
    Object.entries(parameters).map(([key, text]) => [key, { type: "string", description: text }]),
  );
  return {
    type: "function",
    function: {
      name,
      description,
      parameters: {
        type: "object",
        properties,
        required: Object.keys(parameters),
        additionalProperties: false,
      },
    },
  };
}
