import { Type, type Static } from "typebox";
import type { Answer } from "./answer/answer.js";

/** What a tool knows of the request beside its arguments. */
export interface ToolContext {
  /** Ends the work when the client has left, or has waited too long. */
  readonly signal: AbortSignal;
  /** Called before work that a client must not have done twice. Returns the signal that ends it: only when the client has left. */
  readonly begin: () => AbortSignal;
}

/** A tool of the MCP server. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  /** A model decides by it whether to call the tool, and how. */
  readonly description: string;
  readonly arguments: Type.TObject;
  /** Whether it changes what is stored: only with `mcp.allow_write`. */
  readonly isWrite: boolean;
  run(args: Readonly<Record<string, unknown>>, context: ToolContext): Promise<Answer>;
}

/** A {@link Tool} whose arguments have the types of their schema. */
export function defineTool<Properties extends Type.TProperties>(tool: {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: Properties;
  readonly isWrite?: boolean;
  run(args: Static<Type.TObject<Properties>>, context: ToolContext): Promise<Answer>;
}): Tool {
  return {
    isWrite: false,
    ...tool,
    arguments: Type.Object(tool.arguments, { additionalProperties: false }),
    run: (args, context) => tool.run(args as never, context),
  };
}

/** Arguments that several tools have. */
export const ARGUMENTS = {
  traceId: Type.String({
    minLength: 1,
    maxLength: 128,
    description: "Id of the trace, as search_traces lists it, the beginning of one, or latest.",
  }),
  step: Type.Optional(
    Type.Integer({ minimum: 1, description: "Number of a step in the outline of get_trace." }),
  ),
  spanId: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: "Id of a span, instead of step." }),
  ),
  query: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2000,
      description:
        'Conditions, all of which must hold; leave out for all. Words and "phrases" search in the text. key:value with the keys ' +
        "name, service, env, version, agent, model, provider, tool, session, user, prompt, status (OK, ERROR, RUNNING), error_type, " +
        "duration, ttft, tokens, cost, score, start, has (error, score, tool_error); @key:value for any attribute. Examples: " +
        "status:ERROR agent:support start:>-2h · tool:search duration:>2s · -model:gpt-4o cost:>0.05 · score:relevance<0.5",
    }),
  ),
  cursor: Type.Optional(
    Type.String({ maxLength: 2000, description: "The cursor of the answer before, for its next page." }),
  ),
};
