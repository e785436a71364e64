import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { SessionDetail, SessionList } from "../../src/api-schema/sessions.js";
import { systemClock } from "../../src/runtime/clock.js";
import { createStorageEngine } from "../../src/store/sqlite/engine/create-storage-engine.js";
import { inlineThread } from "../store/sqlite/inline-thread.js";
import { countTurns, everLater } from "../runtime/loop-turns.js";
import { errorOf, span, startCollector, type RunningCollector } from "../running-collector.js";

const BASE_MS = Date.UTC(2026, 0, 1);

/** A trace of one span that starts after so many seconds. */
function turn(sessionId: string, traceId: string, seconds: number, fields: Record<string, unknown> = {}) {
  return span({
    trace_id: traceId,
    span_id: "root",
    start_time: new Date(BASE_MS + seconds * 1000).toISOString(),
    duration_ms: 1000,
    attributes: {
      session_id: sessionId,
      input_text: `question ${traceId}`,
      output_text: `answer ${traceId}`,
    },
    ...fields,
  });
}

function score(traceId: string, type: string, value: number) {
  return span({
    trace_id: traceId,
    span_id: `${type} ${value}`,
    parent_span_id: "root",
    name: `evaluation.${type}`,
    span_type: "evaluation",
    attributes: { evaluation_type: type, evaluation_score: value },
  });
}

const idsOf = ({ sessions }: SessionList): string[] => sessions.map(({ session_id: id }) => id);

describe("contract 9: GET /v1/sessions", () => {
  it("lists sessions by their last activity, page by page", async () => {
    const { get, post, settled } = await startCollector();
    await post({ spans: ["a", "b", "c"].map((id, index) => turn(id, `${id}1`, index)) });
    await post({ spans: [turn("a", "a2", 10), span({ trace_id: "alone" })] });
    await settled();
    const first = await get<SessionList>("/v1/sessions?limit=2");
    expect(idsOf(first)).toEqual(["a", "c"]);
    expect(first.sessions[0]).toMatchObject({
      traces: 2,
      first_input_preview: "question a1",
      last_output_preview: "answer a2",
      last_time: "2026-01-01T00:00:11.000Z",
      active_ms: 2000,
      turns: [{ trace_id: "a1" }, { trace_id: "a2" }],
    });
    const second = await get<SessionList>(`/v1/sessions?limit=2&cursor=${first.next_cursor}`);
    expect(idsOf(second)).toEqual(["b"]);
    expect(second.next_cursor).toBeNull();
  });

  it("accepts the filters of GET /v1/traces and every order", async () => {
    const { get, post, settled } = await startCollector();
    await post({ service: "shop", spans: [turn("a", "a1", 1), turn("b", "b1", 2, { status: "ERROR" })] });
    await settled();
    for (const query of ["status=ERROR", "q=QUESTION%20B1", "trace_id=b1", "status=ERROR&order=costliest"])
      expect(idsOf(await get<SessionList>(`/v1/sessions?${query}`)), query).toEqual(["b"]);
    for (const order of ["newest", "slowest", "costliest"])
      expect(idsOf(await get<SessionList>(`/v1/sessions?order=${order}&service=shop`)).toSorted()).toEqual([
        "a",
        "b",
      ]);
  });

  it("filters by what sessions are as a whole, and says what is wrong with a value", async () => {
    const { get, post, settled, url } = await startCollector();
    const usd = (cost: number) => ({ attributes: { session_id: "a", cost_usd: cost } });
    await post({
      spans: [
        turn("a", "a1", 1, usd(0.1)),
        turn("a", "a2", 2, usd(0.2)),
        turn("b", "b1", 3, { status: "ERROR" }),
        score("a2", "user_feedback", 0),
      ],
    });
    await settled();
    const queries: Record<string, readonly string[]> = {
      "query=turns%3A2..": ["a"],
      "query=turns%3A1": ["b"],
      "query=session_cost%3A0.3": ["a"],
      "query=feedback%3Adown": ["a"],
      "query=feedback%3Anone%20state%3Afailed": ["b"],
      "query=state%3Arunning": [],
      "query=status%3AOK%20-feedback%3Anone%20turns%3A%3E1": ["a"],
    };
    for (const [query, ids] of Object.entries(queries))
      expect(idsOf(await get<SessionList>(`/v1/sessions?${query}`)), query).toEqual(ids);
    const refused = async (path: string) => {
      const response = await fetch(`${url}${path}`);
      expect(response.status, path).toBe(400);
      return await errorOf(response);
    };
    expect(await refused("/v1/sessions?query=model%3Ax%20turns%3Amany")).toMatchObject({
      code: "invalid_query",
      message: expect.stringContaining("turns must be a number or a range, such as") as string,
      details: { field: "query", key: "turns", position: 8 },
    });
    expect(await refused("/v1/sessions?query=turns%3A2%20modle%3Ax")).toMatchObject({
      details: { key: "modle", position: 8 },
    });
    expect(await refused("/v1/sessions?query=state%3Awaiting")).toMatchObject({
      message: expect.stringContaining('state is running, idle or failed, not "waiting"') as string,
    });
    for (const path of ["traces", "facets", "export", "groups", "histogram"]) {
      const by = path === "groups" ? "by=model&" : "";
      expect(await refused(`/v1/${path}?${by}query=turns%3A2`), path).toMatchObject({
        message: expect.stringContaining("turns is a key of sessions") as string,
      });
    }
  });

  it("has the worst score by the thresholds, the worst of each type, and thumbs apart", async () => {
    const { get, post, settled } = await startCollector({
      EVALUATION_THRESHOLDS: "relevance=0.9",
    });
    await post({
      spans: [
        turn("s", "t1", 1),
        turn("s", "t2", 2),
        score("t1", "relevance", 0.85),
        score("t1", "hallucination", 0.1),
        score("t2", "hallucination", 0.62),
        score("t2", "refusal", 1),
        score("t2", "user_feedback", 0),
      ],
    });
    await settled();
    const [session] = (await get<SessionList>("/v1/sessions")).sessions;
    expect(session?.worst_score).toEqual({ type: "hallucination", score: 0.62, label: null, trace_id: "t2" });
    expect(session?.scores).toEqual([
      { type: "relevance", score: 0.85, label: null },
      { type: "hallucination", score: 0.62, label: null },
      { type: "refusal", score: 1, label: null },
    ]);
    expect(session?.feedback).toEqual({ up: 0, down: 1 });
    expect(session).not.toHaveProperty("scoreRanges");
  });

  it("answers 400 for a parameter that it does not know, and for a cursor of another list", async () => {
    const { post, settled, get, url } = await startCollector();
    await post({ spans: [turn("s", "t1", 1), turn("t", "t2", 2)] });
    await settled();
    const { next_cursor: cursor } = await get<{ next_cursor: string }>("/v1/traces?limit=1");
    for (const query of ["order=oldest", "limit=0", "unknown=1", `cursor=${cursor}`, "since=yesterday"]) {
      const response = await fetch(`${url}/v1/sessions?${query}`);
      expect(response.status, query).toBe(400);
    }
  });
});

describe("contract 9: GET /v1/sessions/{session_id}", () => {
  it("has the session and its traces by start, from either end", async () => {
    const { get, post, settled } = await startCollector();
    await post({ spans: [turn("s", "second", 20), turn("s", "first", 10), turn("s", "third", 30)] });
    await settled();
    const whole = await get<SessionDetail>("/v1/sessions/s");
    expect(whole.traces.map(({ trace_id: id }) => id)).toEqual(["first", "second", "third"]);
    expect(whole.next_cursor).toBeNull();
    expect(whole.session).toMatchObject({ session_id: "s", traces: 3 });
    const last = await get<SessionDetail>("/v1/sessions/s?order=newest&limit=2");
    expect(last.traces.map(({ trace_id: id }) => id)).toEqual(["third", "second"]);
    const rest = await get<SessionDetail>(`/v1/sessions/s?order=newest&limit=2&cursor=${last.next_cursor}`);
    expect(rest.traces.map(({ trace_id: id }) => id)).toEqual(["first"]);
  });

  it("answers session_not_found for an unknown one", async () => {
    const { url } = await startCollector();
    const response = await fetch(`${url}/v1/sessions/none`);
    expect(response.status).toBe(404);
    expect(await errorOf(response)).toMatchObject({
      code: "session_not_found",
      message: expect.stringContaining('"none"') as string,
    });
  });

  it("takes any id in the path, or in the query", async () => {
    const { get, post, settled } = await startCollector();
    const ids = ["a/b?c#d", "%2e", "__proto__", "👩‍👩‍👧", "x".repeat(256), "'; --", " "];
    await post({ spans: [...ids, ".", ".."].map((id, index) => turn(id, `t${index}`, index)) });
    await settled();
    for (const id of ids) {
      const { session } = await get<SessionDetail>(`/v1/sessions/${encodeURIComponent(id)}`);
      expect(session.session_id).toBe(id);
    }
    for (const id of [...ids, ".", ".."]) {
      const { session } = await get<SessionDetail>(`/v1/session-traces?session_id=${encodeURIComponent(id)}`);
      expect(session.session_id).toBe(id);
    }
  });

  it("needs a key where keys are set", async () => {
    const { url } = await startCollector({ AUTH_API_KEYS: "a-key-of-this-test" });
    for (const path of [
      "/v1/sessions",
      "/v1/sessions/s",
      "/v1/session-traces?session_id=s",
      "/v1/sessions/s/export",
    ]) {
      expect((await fetch(url + path)).status, path).toBe(401);
      const allowed = await fetch(url + path, { headers: { "X-API-Key": "a-key-of-this-test" } });
      expect(allowed.status, path).not.toBe(401);
    }
  });

  it("answers trace_store_disabled if the store is off", async () => {
    const { url } = await startCollector({ TRACE_STORE_ENABLED: "false" });
    for (const path of ["/v1/sessions", "/v1/sessions/s", "/v1/sessions/s/export"])
      expect(await errorOf(await fetch(url + path)), path).toMatchObject({ code: "trace_store_disabled" });
  });
});

describe("contract 9 share: GET /v1/sessions/{session_id}/export", () => {
  const SAID = "Write to jane.roe@example.com, card 4111 1111 1111 1111.";
  const fileOf = ({ url }: RunningCollector, query = ""): Promise<Response> =>
    fetch(`${url}/v1/sessions/a%2Fb/export${query}`);

  /** Two turns: the agent of the first calls a model, and a tool that fails. */
  async function withSession(): Promise<RunningCollector> {
    const running = await startCollector();
    const start_time = new Date(BASE_MS + 10_200).toISOString();
    const inside = { trace_id: "first", parent_span_id: "root", start_time, duration_ms: 300 };
    await running.post({
      service: "shop",
      spans: [
        turn("a/b", "second", 20, { attributes: { session_id: "a/b", input_text: SAID, user_id: "u_42" } }),
        turn("a/b", "first", 10, {
          name: "support_answer",
          attributes: { session_id: "a/b", input_text: "# Where?\n\nIs it *late*?", output_text: "In Lyon." },
        }),
        span({ ...inside, span_id: "m", span_type: "llm", attributes: { model: "m", tokens_input: 9 } }),
        span({
          ...inside,
          span_id: "t",
          span_type: "tool",
          name: "get_order",
          status: "ERROR",
          attributes: { error_type: "timeout", error_message: "asked jane.roe@example.com" },
        }),
        { ...score("first", "relevance", 0.85), start_time },
        turn("other", "elsewhere", 15),
      ],
    });
    await running.settled();
    return running;
  }

  it("writes the lines of all its traces, which another collector imports without loss", async () => {
    const [from, to] = [await withSession(), await startCollector()];
    const response = await fileOf(from);
    expect(response.headers.get("content-type")).toBe("application/jsonl; charset=utf-8");
    expect(response.headers.get("content-disposition")).toBe(
      'attachment; filename="obspan-session-a_b.otlp.jsonl"',
    );
    const headers = { "Content-Type": "application/jsonl" };
    await fetch(`${to.url}/v1/import`, { method: "POST", headers, body: await response.text() });
    const path = "/v1/sessions/a%2Fb";
    expect(await to.get<SessionDetail>(path)).toEqual(await from.get<SessionDetail>(path));
    expect(idsOf(await to.get<SessionList>("/v1/sessions"))).toEqual(["a/b"]);
  });

  it("contract 9: GET /v1/export has all traces of the sessions that match", async () => {
    const [from, to] = [await withSession(), await startCollector()];
    const ids = Array.from({ length: 30 }, (_, at) => `many ${at}`);
    await from.post({ spans: ids.map((id, at) => turn(id, `${id} turn`, 100 + at)) });
    await from.post({ spans: [span({ trace_id: "alone", start_time: BASE_MS })] });
    await from.settled();
    const exported = (query: string): Promise<Response> =>
      fetch(`${from.url}/v1/export?whole_sessions=true${query}`);
    // The condition is met by the first turn only, and the second one is there too.
    const response = await exported("&query=has%3Aerror%20turns%3A2..");
    expect(response.headers.get("content-disposition")).toMatch(
      /^attachment; filename="obspan-sessions-[\dT-]+\.otlp\.jsonl"$/,
    );
    const headers = { "Content-Type": "application/jsonl" };
    await fetch(`${to.url}/v1/import`, { method: "POST", headers, body: await response.text() });
    expect(idsOf(await to.get<SessionList>("/v1/sessions"))).toEqual(["a/b"]);
    expect((await to.get<SessionDetail>("/v1/sessions/a%2Fb")).traces).toHaveLength(2);
    // Traces without a session stay out.
    await fetch(`${to.url}/v1/import`, { method: "POST", headers, body: await (await exported("")).text() });
    expect(idsOf(await to.get<SessionList>("/v1/sessions?limit=100")).toSorted()).toEqual(
      ["a/b", "other", ...ids].toSorted(),
    );
    expect((await fetch(`${to.url}/v1/traces/alone`)).status).toBe(404);
    expect(await (await exported("&query=turns%3A3")).text()).toBe("");
    const refused = await exported("&query=turns%3Amany");
    expect(refused.status).toBe(400);
    expect(await errorOf(refused)).toMatchObject({ code: "invalid_query", details: { key: "turns" } });
  });

  it("writes the conversation as Markdown, with what the agent did and what failed", async () => {
    const running = await withSession();
    const response = await fileOf(running, "?format=markdown");
    expect(response.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
    expect(response.headers.get("content-disposition")).toMatch(
      /^attachment; filename="obspan-session-a_b\.md"$/,
    );
    expect(response.headers.get("cache-control")).toBe("no-store");
    const text = await response.text();
    expect(text).toMatch(/^# Session: a\/b\n\n- User: u_42\n/);
    expect(text).toContain("- Turns: 2\n- Active: 2.00 s of 11.00 s\n");
    expect(text).not.toMatch(/jane|4111|elsewhere/);
    const [, first = "", second = ""] = text.split("## Turn ");
    expect(first).toContain("1, 2026-01-01 00:00:10.000 UTC");
    // A text from a sender starts no section.
    expect(first).toContain("**User**\n\n> # Where?\n> \n> Is it *late*?");
    expect(first).toContain(
      "support_answer: 1 model call · 1 tool call (get_order) · 1.00 s · 9 → 0 tokens · trace first",
    );
    expect(first).toMatch(/- Failed: get_order: timeout · asked (?!jane)/);
    expect(first).toContain("**Agent**\n\n> In Lyon.");
    expect(first).toContain("- relevance 0.85");
    expect(second).toContain("**User**\n\n> Write to ");
    const raw = await (await fileOf(running, "?format=markdown&raw=true")).text();
    expect(raw).toContain("> Write to jane.roe@example.com, card 4111 1111 1111 1111.");
    expect(raw).toContain("personal data and secrets are not replaced");
  });

  it("names no file after an id with personal data", async () => {
    const running = await startCollector();
    const id = "jane.roe@example.com";
    await running.post({ spans: [turn(id, id, 0)] });
    await running.settled();
    const nameOf = async (path: string): Promise<string | null> =>
      (await fetch(`${running.url}/v1/${path}`)).headers.get("content-disposition");
    for (const [kind, path] of [
      ["session", `sessions/${id}/export?format=markdown`],
      ["trace", `traces/${id}/export?format=html`],
    ] as const) {
      expect(await nameOf(path)).toMatch(new RegExp(`^attachment; filename="obspan-${kind}-_EMAIL_`));
      expect(await nameOf(`${path}&raw=true`)).toContain(`obspan-${kind}-jane_roe_example_com`);
    }
  });

  it("writes the conversation as one HTML file, with its steps, in which nothing runs or is fetched", async () => {
    const running = await withSession();
    const hostile = `</style></script><script>alert(1)</script><img src=https://evil.example/p.png> [x](javascript:alert(1))`;
    await running.post({
      spans: [
        turn("a/b", "third", 30, {
          name: hostile,
          attributes: { session_id: "a/b", input_text: hostile, output_text: hostile, user_id: hostile },
        }),
      ],
    });
    await running.settled();
    const response = await fileOf(running, "?format=html");
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(response.headers.get("content-disposition")).toBe(
      'attachment; filename="obspan-session-a_b.html"',
    );
    const page = await response.text();
    expect(page).toMatch(
      /Content-Security-Policy" content="default-src &#39;none&#39;; style-src &#39;sha256-/,
    );
    expect(page).toContain("<title>a/b · Obspan session</title>");
    expect([...page.matchAll(/<h2 id="turn-(\d)">/g)].map(([, number]) => number)).toEqual(["1", "2", "3"]);
    expect(page.match(/<(?:script|img|iframe|link|a|form)\b/g)).toBeNull();
    expect(page.match(/<style>/g)).toHaveLength(1);
    expect(page).not.toMatch(/jane|4111|elsewhere/);
    const [, first = ""] = page.split('<section class="exchange"');
    // A heading of a sender is text, and so is what it marks as code or bold.
    expect(first).toContain("Is it *late*?");
    expect(first).toContain(
      "support_answer · 1 model call · 1 tool call (get_order) · 1.00 s · 9 → 0 tokens · trace first",
    );
    // The steps are inside: the tool with its error.
    expect(first).toMatch(
      /<details class="activity">[^]*get_order[^]*timeout[^]*<\/details>\n<ul class="failures">/,
    );
    expect(first).toContain("In Lyon.");
    expect(first).toContain('<ul class="scores"><li dir="auto">relevance 0.85</li></ul>');
    const raw = await (await fileOf(running, "?format=html&raw=true")).text();
    expect(raw).toContain("Write to jane.roe@example.com, card 4111 1111 1111 1111.");
    expect(raw).toContain("personal data and secrets are not replaced");
  });

  it("has the last turns if not all fit, and says how many are left out or cut", async () => {
    const running = await startCollector();
    for (let from = 0; from < 48; from += 8)
      await running.post({
        spans: Array.from({ length: 8 }, (_, n) =>
          turn("a/b", `t${from + n}`, from + n, {
            attributes: {
              session_id: "a/b",
              input_text: "q".repeat(49_000),
              output_text: "a".repeat(60_000),
            },
          }),
        ),
      });
    await running.settled();
    const text = await (await fileOf(running, "?format=markdown")).text();
    expect(text.length).toBeLessThan(4.2 * 2 ** 20);
    const shown = [...text.matchAll(/^## Turn (\d+),/gm)].map(([, number]) => Number(number));
    expect(shown.at(-1)).toBe(48);
    expect(shown[0]).toBeGreaterThan(1);
    expect(shown).toEqual(shown.map((_, index) => (shown[0] ?? 0) + index));
    expect(text).toContain(`The first ${(shown[0] ?? 0) - 1} turns did not fit into this file.`);
    expect(text).toContain(`${shown.length} turns had long texts or many spans, which are cut.`);
    expect((await (await fileOf(running)).text()).match(/"traceId"/g)).toHaveLength(48);

    const page = await (await fileOf(running, "?format=html")).text();
    expect(page.length).toBeLessThan(8.4 * 2 ** 20);
    const numbers = [...page.matchAll(/<h2 id="turn-(\d+)">/g)].map(([, number]) => Number(number));
    expect(numbers.at(-1)).toBe(48);
    expect(numbers[0]).toBeGreaterThan(1);
    expect(page).toContain(`The first ${(numbers[0] ?? 0) - 1} turns did not fit into this file.`);
    expect(page).toMatch(/<\/main>\n<\/body>\n<\/html>\n$/);
  });

  it("has the turns that were read in time, the last ones, since other files wait", async () => {
    const directory = mkdtempSync(join(tmpdir(), "obspan-session-export-"));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    let laterMs = 0;
    const running = await startCollector(
      { TRACE_STORE_PATH: directory, TRACE_STORE_DISK_MIN_FREE_BYTES: "0" },
      {
        clock: { ...systemClock, monotonic: () => systemClock.monotonic() + laterMs },
        startStorageThread: (options) =>
          inlineThread((host) => {
            const engine = createStorageEngine(options, host);
            const { openTrace } = engine.commands;
            Object.assign(engine.commands, {
              openTrace: (...asked: Parameters<typeof openTrace>) => {
                laterMs += 4000;
                return openTrace(...asked);
              },
            });
            return engine;
          }),
      },
    );
    await running.post({ spans: Array.from({ length: 5 }, (_, n) => turn("a/b", `t${n}`, n)) });
    await running.settled();
    const text = await (await fileOf(running, "?format=markdown")).text();
    expect([...text.matchAll(/^## Turn (\d+),/gm)].map(([, number]) => number)).toEqual(["4", "5"]);
    expect(text).toContain("The first 3 turns did not fit into this file.");
  });

  it("takes any id in the query, and refuses other formats and sessions that are not there", async () => {
    const running = await startCollector({ MULTI_TENANT_ENABLED: "true" });
    for (const tenant of ["acme", "globex"])
      await running.post({ spans: [turn(".", `of ${tenant}`, 1)] }, { "X-Tenant-ID": tenant });
    await running.settled();
    const path = "/v1/session-export?session_id=.";
    for (const format of ["jsonl", "markdown", "html"]) {
      const ofAcme = await (await fetch(`${running.url}${path}&tenant=acme&format=${format}`)).text();
      expect(ofAcme, format).toContain("of acme");
      expect(ofAcme, format).not.toContain("of globex");
      const both = await fetch(`${running.url}${path}&format=${format}`);
      expect(await errorOf(both), format).toMatchObject({ status: 409, code: "ambiguous_session" });
      const none = await fileOf(running, `?format=${format}`);
      expect(none.headers.get("content-disposition")).toBeNull();
      expect(await errorOf(none), format).toMatchObject({ status: 404, code: "session_not_found" });
    }
    for (const query of ["?format=pdf", "?raw=1", "?limit=1"])
      expect(await errorOf(await fileOf(running, query)), query).toMatchObject({ code: "invalid_query" });
  });
});

describe("contract 3: sessions of several tenants", () => {
  const read = async <T>({ url }: RunningCollector, path: string, tenant?: string): Promise<T> => {
    const response = await fetch(url + path, {
      headers: tenant === undefined ? {} : { "X-Tenant-ID": tenant },
    });
    return (await response.json()) as T;
  };

  it("never mix, whether the tenant is in the header or in the query", async () => {
    const running = await startCollector({ MULTI_TENANT_ENABLED: "true" });
    await running.post({ spans: [turn("s", "a", 1), turn("s", "b", 2)] }, { "X-Tenant-ID": "acme" });
    await running.post({ spans: [turn("s", "a", 3)] }, { "X-Tenant-ID": "globex" });
    await running.settled();
    expect((await read<SessionList>(running, "/v1/sessions")).sessions).toHaveLength(2);
    const [ofHeader, ofQuery] = [
      await read<SessionList>(running, "/v1/sessions", "acme"),
      await read<SessionList>(running, "/v1/sessions?tenant=acme"),
    ];
    expect(ofHeader).toEqual(ofQuery);
    expect(ofHeader.sessions).toMatchObject([{ tenant: "acme", traces: 2 }]);
    expect(await read<SessionDetail>(running, "/v1/sessions/s", "globex")).toMatchObject({
      session: { tenant: "globex", traces: 1 },
      traces: [{ trace_id: "a", tenant: "globex" }],
    });
    expect(await read(running, "/v1/sessions/s")).toMatchObject({
      error: { code: "ambiguous_session", details: { count: 2, tenants: ["acme", "globex"] } },
    });
    expect(await read(running, "/v1/sessions/s?tenant=other")).toMatchObject({
      error: { code: "session_not_found" },
    });
  });
});

describe("many sessions", () => {
  it("are listed in slices: other requests go on meanwhile", async () => {
    // Every slice is over as soon as it starts.
    const { get, post, settled } = await startCollector({}, { clock: everLater() });
    for (let from = 0; from < 4000; from += 500) {
      const spans = Array.from({ length: 500 }, (_, index) =>
        turn(index % 2 === 0 ? "long" : `s${from + index}`, `t${from + index}`, from + index),
      );
      await post({ spans });
    }
    await settled();
    const turns = countTurns();
    const { session } = await get<SessionDetail>("/v1/sessions/long?limit=1");
    expect(session.traces).toBe(2000);
    const { sessions } = await get<SessionList>("/v1/sessions?limit=100&order=slowest");
    expect(sessions).toHaveLength(100);
    expect(turns.end()).toBeGreaterThan(1000);
  });
});
