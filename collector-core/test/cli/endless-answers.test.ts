import { describe, expect, it } from "vitest";
import { runAgainst } from "./run-against.js";

const LISTS = [["traces"], ["sessions"], ["errors"], ["eval", "--query", "", "--expect", "runs>0"]];

describe("contract 9: answers without an end", () => {
  it.each(LISTS)("obspan %s stops when a cursor repeats", async (...args) => {
    const pages: string[] = [];
    const run = await runAgainst((request, response) => {
      pages.push(request.url ?? "");
      response.end('{"traces":[],"sessions":[],"next_cursor":"again"}');
    }, args);
    expect(run).toMatchObject({
      code: 1,
      stdout: "",
      stderr:
        "obspan: The list has no end: the collector answered a cursor for more that it had answered before.\n",
    });
    expect(pages).toHaveLength(2);
  });

  it.each(LISTS)("obspan %s stops when empty pages have cursors for more", async (...args) => {
    let pages = 0;
    const run = await runAgainst(
      (_request, response) => void response.end(`{"traces":[],"sessions":[],"next_cursor":"${++pages}"}`),
      args,
    );
    expect(run).toMatchObject({
      code: 1,
      stdout: "",
      stderr:
        "obspan: The list has no end: the collector answered 10 empty pages, each with a cursor for more.\n",
    });
    expect(pages).toBe(10);
  });

  it("a page whose traces were deleted meanwhile does not end a list", async () => {
    const answers = ['{"traces":[],"next_cursor":"1"}', '{"traces":[],"next_cursor":null}'];
    const run = await runAgainst((_request, response) => void response.end(answers.shift()), ["traces"]);
    expect(run).toMatchObject({ code: 3, stderr: expect.not.stringContaining("no end") });
    expect(answers).toEqual([]);
  });

  it.each([
    ["a line", "x"],
    ["data of many lines", "x\ndata: "],
  ])("obspan tail ends at an event that is too long: %s", async (_what, part) => {
    const chunk = part.repeat(100_000);
    let isLeft = false;
    const run = await runAgainst(
      (request, response) => {
        if (!request.url?.startsWith("/v1/live")) {
          response.end('{"traces":[],"next_cursor":null}');
          return;
        }
        response.once("close", () => (isLeft = true));
        response.write("event: trace\ndata: ");
        const send = (): void => {
          while (!isLeft && response.write(chunk));
        };
        response.on("drain", send);
        send();
      },
      ["tail"],
    );
    expect(run).toMatchObject({
      code: 1,
      stderr: "obspan: The live feed has an event of more than 16 MiB: is it a collector?\n",
    });
  });

  it("obspan tail ends at an event that is not JSON, instead of connecting again for ever", async () => {
    const run = await runAgainst(
      (request, response) =>
        void response.end(
          request.url?.startsWith("/v1/live") === true
            ? "event: trace\ndata: <html>\n\n"
            : '{"traces":[],"next_cursor":null}',
        ),
      ["tail"],
    );
    expect(run).toMatchObject({
      code: 1,
      stderr: "obspan: The live feed has an event that is not JSON: is it a collector?\n",
    });
  });
});
