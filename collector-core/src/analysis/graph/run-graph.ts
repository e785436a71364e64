import type { Usage } from "../leaf-usage.js";
import type { SpanNode } from "../span-tree.js";

/**
 * What a node is. `run` is the program outside of agents; `server` is an MCP server whose tools are folded, `others` are several
 * nodes of one kind that were folded.
 */
export type GraphNodeKind = "run" | "agent" | "model" | "tool" | "retrieval" | "server" | "others";

/** Something that takes part in a run. */
export interface GraphNode {
  readonly id: string;
  readonly kind: GraphNodeKind;
  readonly name: string;
  /** The span type that it is shown with. */
  readonly type: string;
  /** The provider of a model, the transport of a server. */
  readonly note: string | undefined;
  /** The MCP server of a tool. */
  readonly server: string | undefined;
  /** The spans behind it in order of start; of an agent those that started it. */
  readonly spans: readonly SpanNode[];
  /** Calls, recorded as a span or not. */
  readonly count: number;
  readonly totalMs: number;
  /** Of an agent: what its own model calls used. */
  readonly usage: Usage;
  /** Of an agent: its own model calls. */
  readonly modelCalls: number;
  readonly errors: number;
  readonly isRunning: boolean;
  /** Spans inside its steps. */
  readonly inside: number;
  /** The nodes folded in it. */
  readonly members: readonly GraphNode[];
}

/** Who calls whom. */
export interface GraphEdge {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly count: number;
  readonly totalMs: number;
  readonly errors: number;
  readonly isRunning: boolean;
  readonly spans: readonly SpanNode[];
  /** Of an edge to an agent: what was used inside of it, agents that it started included. */
  readonly costUsd: number;
  /** Whether the collector computed the cost, or a part of it. */
  readonly isComputed: boolean;
}

/** An MCP server with the tools that were called. */
export interface GraphServer {
  readonly id: string;
  readonly name: string;
  readonly note: string | undefined;
  readonly count: number;
  /** Ids of its tools in order of their first call. */
  readonly tools: readonly string[];
}

/** Where a run goes round. */
export interface GraphLoop {
  /**
   * `same-call`: a tool with the same arguments at least three times within one agent. `again`: an agent that gave back to its
   * caller and was started by it again. `cycle`: an agent that was started from inside of itself, by others.
   */
  readonly kind: "same-call" | "again" | "cycle";
  readonly nodeId: string;
  /** The agent that calls again; undefined if it is not known. */
  readonly callerId: string | undefined;
  readonly count: number;
  /** The time of the calls after the first. */
  readonly repeatedMs: number;
  /** Of `again`: from the first return to the next start. */
  readonly gapMs: number | undefined;
  /** Of `same-call`. */
  readonly arguments: unknown;
  /** The first span that is a repetition; of a tool call without a span, the model call that made it. */
  readonly span: SpanNode;
}

/** The agents, models and tools of a run, and who calls whom. */
export interface RunGraph {
  /** In order of their first start. */
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  readonly servers: readonly GraphServer[];
  readonly loops: readonly GraphLoop[];
  /** The node that a span is behind or inside of, by span id. */
  readonly nodeOf: ReadonlyMap<string, string>;
}
