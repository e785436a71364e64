import { describe, expect, it } from "vitest";
import { AttributeSet } from "../../src/otlp/mapping/attribute-set.js";
import { KeyGroupTable } from "../../src/otlp/mapping/key-groups.js";
import { JsonTexts } from "../../src/otlp/json-texts.js";

describe("a table of attribute groups", () => {
  it("holds 64 groups, each with a bit of its own", () => {
    const table = new KeyGroupTable("test");
    const bits = new Set<string>();
    for (let index = 0; index < 64; index++) {
      const { low, high } =
        index % 2 === 0 ? table.add([`key.${String(index)}`]) : table.addList(`list.${String(index)}`);
      bits.add(`${String(low)}/${String(high)}`);
      const attributes =
        index % 2 === 0
          ? table.maskOf(`key.${String(index)}`)
          : [...table.listsOf(`list.${String(index)}.0`)][0];
      expect(attributes).toMatchObject({ low, high });
    }
    expect(bits.size).toBe(64);
  });

  it("rejects a 65th group with an error that names the table, the limit and the group", () => {
    const table = new KeyGroupTable("test attributes");
    for (let index = 0; index < 64; index++) table.add([`key.${String(index)}`]);
    const message = /"test attributes" has 64 groups.*no bit is left for "one\.more"/;
    expect(() => table.add(["one.more"])).toThrow(message);
    expect(() => table.addList("one.more")).toThrow(message);
  });

  it("finds the keys of all its groups in a span", () => {
    const table = new KeyGroupTable("test");
    const groups = Array.from({ length: 64 }, (_, index) => table.add([`key.${String(index)}`]));
    for (const group of groups) {
      const attributes = new AttributeSet(new Map([[group.keys[0] ?? "", 1]]), new JsonTexts(), table);
      expect(groups.filter((each) => attributes.mayHave(each))).toEqual([group]);
    }
  });
});
