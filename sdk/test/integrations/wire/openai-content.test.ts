import { describe, expect, it } from "vitest";
import { contentParts } from "../../../src/integrations/wire/openai-content.js";

describe("an image in a message", () => {
  const partOf = (url: string) => contentParts([{ type: "image_url", image_url: { url } }])[0];

  it("is a blob if its URL has the data, and a link otherwise", () => {
    const blob = { type: "blob", modality: "image", content: "QUJD,=" };
    expect(partOf("data:image/png;base64,QUJD,=")).toEqual({ ...blob, mime_type: "image/png" });
    expect(partOf("data:image/png;name=a;base64,QUJD,=")).toEqual({ ...blob, mime_type: "image/png" });
    expect(partOf("data:;base64,QUJD,=")).toEqual({ ...blob, mime_type: "" });
    for (const uri of ["data:image/png,QUJD", "data:image/png;base64", "https://a.b/c;base64,d", ""])
      expect(partOf(uri)).toEqual({ type: "uri", modality: "image", mime_type: "image/*", uri });
  });

  it("is read in linear time, however long its URL is", () => {
    const before = process.cpuUsage();
    for (const unit of ["a", ";", ";base64", "data:"]) partOf(`data:${unit.repeat(300_000)}`);
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(2000);
  });
});
