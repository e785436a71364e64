import { describe, expect, it } from "vitest";
import { aSpan } from "../span-batches.js";
import { describeAbortedQueries } from "./aborted-queries.js";
import { describeBounds } from "./bounds.js";
import { describeEvaluatedSpans } from "./evaluated-spans.js";
import { describeFacets } from "./facets.js";
import { describeFilters } from "./filters.js";
import { createHarness, type CreateStore } from "./harness.js";
import { describeGroups } from "./groups.js";
import { describeHistogram } from "./histogram.js";
import { describeKeptSpans } from "./kept-spans.js";
import { describeLists } from "./lists.js";
import { describePages } from "./pages.js";
import { describeQueries } from "./queries.js";
import { describeReplacedSpans } from "./replaced-spans.js";
import { describeSelectedTraces } from "./selected-traces.js";
import { describeSessions } from "./sessions.js";
import { describeSummaries } from "./summaries.js";
import { describeTextSearch } from "./text-search.js";
import { describeUsage } from "./usage.js";

/**
 * What a trace store does, wherever it keeps its spans.
 *
 * @param isShared - other collectors write to it too: it has no bounds of its own, but for the age of traces and what is shown of a
 * long one.
 */
export function describeTraceStore(name: string, createStore: CreateStore, isShared = false): void {
  describe(name, () => {
    describeKeptSpans(createStore, isShared);
    describeBounds(createStore, isShared);
    describeReplacedSpans(createStore, isShared);
    describeSummaries(createStore);
    describeLists(createStore, isShared);
    describeFilters(createStore);
    describeTextSearch(createStore, isShared);
    describeQueries(createStore);
    describeFacets(createStore);
    describeHistogram(createStore);
    describeGroups(createStore);
    describeSelectedTraces(createStore, isShared);
    describeSessions(createStore, isShared);
    describePages(createStore, isShared);
    describeUsage(createStore, isShared);
    describeEvaluatedSpans(createStore);
    describeAbortedQueries(createStore);

    describe("life", () => {
      const harness = createHarness(createStore);

      it("may be started twice, and stopped twice", async () => {
        const { store } = harness;
        await store.start();
        await store.start();
        await harness.append(aSpan());
        expect(await harness.idsOf()).toEqual(["trace"]);
        await store.stop();
        await store.stop();
      });
    });
  });
}
