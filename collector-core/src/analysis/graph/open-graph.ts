import { isFailure } from "../attributes.js";
import { addUsage, NO_USAGE, type Usage } from "../leaf-usage.js";
import type { SpanNode } from "../span-tree.js";
import type { GraphEdge, GraphNode } from "./run-graph.js";

type Open<T> = { -readonly [Key in keyof T]: T[Key] } & { readonly spans: SpanNode[] };
export type OpenNode = Open<GraphNode>;
export type OpenEdge = Open<GraphEdge>;

/** What a node is, without what it did. */
export type NodeIdentity = Pick<GraphNode, "id" | "kind" | "name" | "type" | "note" | "server">;

/** The nodes and edges of a graph while it is built. */
export class OpenGraph {
  readonly nodes = new Map<string, OpenNode>();
  readonly edges = new Map<string, OpenEdge>();
  readonly #nowMs: number;

  /** @param nowMs - the assumed end of running spans. */
  constructor(nowMs: number) {
    this.#nowMs = nowMs;
  }

  /** The node with an id; a new one if there is none. */
  node(identity: NodeIdentity): OpenNode {
    const known = this.nodes.get(identity.id);
    if (known !== undefined) return known;
    const node = newNode(identity);
    this.nodes.set(node.id, node);
    return node;
  }

  /** Counts a call of a node. @param span - undefined if the call was not recorded as a span. */
  count(node: OpenNode, span: SpanNode | undefined, usage: Usage = NO_USAGE): void {
    this.#count(node, span);
    node.usage = addUsage(node.usage, usage);
  }

  /** Counts a call from a node to another one. */
  connect(from: string, to: string, span: SpanNode | undefined, usage: Usage = NO_USAGE): OpenEdge {
    const id = edgeId(from, to);
    let edge = this.edges.get(id);
    if (edge === undefined) {
      const nothing = { count: 0, totalMs: 0, errors: 0, isRunning: false, costUsd: 0, isComputed: false };
      edge = { id, from, to, spans: [], ...nothing };
      this.edges.set(id, edge);
    }
    this.#count(edge, span);
    edge.costUsd += usage.costUsd;
    edge.isComputed ||= usage.isComputed;
    return edge;
  }

  #count(counted: OpenNode | OpenEdge, span: SpanNode | undefined): void {
    counted.count++;
    if (span === undefined) return;
    counted.spans.push(span);
    counted.totalMs += Math.max(0, (span.endMs ?? this.#nowMs) - span.startMs);
    if (isFailure(span.span)) counted.errors++;
    if (span.endMs === undefined) counted.isRunning = true;
  }
}

/** A node that did nothing yet. */
export function newNode(identity: NodeIdentity): OpenNode {
  return {
    ...identity,
    spans: [],
    count: 0,
    totalMs: 0,
    usage: NO_USAGE,
    modelCalls: 0,
    errors: 0,
    isRunning: false,
    inside: 0,
    members: [],
  };
}

/** The id of the edge between two nodes. */
export function edgeId(from: string, to: string): string {
  return JSON.stringify([from, to]);
}
