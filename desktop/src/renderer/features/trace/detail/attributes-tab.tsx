import { Search } from "lucide-react";
import { useMemo, useState } from "react";
import { attributesOf } from "@obspan/collector-core/analysis";
import type { NormalizedSpan } from "@obspan/collector-core/api-schema";
import { attributeRows } from "../model/attribute-rows.js";
import { AttributeLine } from "./attribute-line.js";
import { LoadTexts } from "./load-texts.js";
import { useSpanDetail } from "./span-detail-context.js";
import { classNames } from "../../../components/class-names.js";
import buttonStyles from "../../../components/button.module.css";
import iconStyles from "../../../components/icon.module.css";
import queryStyles from "../../../components/query.module.css";
import textStyles from "../../../components/text.module.css";
import viewBarStyles from "../../../components/view-bar.module.css";
import attributesStyles from "./attributes.module.css";

/** Rows rendered at first, and added by each press of "Show more". */
const PAGE = 300;

/** The span's attributes and its own fields, searchable. */
export function AttributesTab() {
  const { span } = useSpanDetail();
  const [query, setQuery] = useState("");
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [limit, setLimit] = useState(PAGE);
  const rows = useMemo(() => attributeRows(attributesOf(span), open, query), [span, open, query]);
  const own = useMemo(() => attributeRows(ownFields(span), new Set(), query), [span, query]);
  const toggle = (path: string): void =>
    setOpen((before) => {
      const after = new Set(before);
      if (!after.delete(path)) after.add(path);
      return after;
    });
  return (
    <>
      <div className={classNames(viewBarStyles.viewBar, viewBarStyles.tight)}>
        <label className={classNames(queryStyles.query, queryStyles.small)}>
          <Search className={iconStyles.small} aria-hidden />
          <input
            value={query}
            placeholder="Search keys and values"
            aria-label="Search the attributes"
            spellCheck={false}
            onChange={(event) => setQuery(event.target.value)}
          />
        </label>
        {query.trim() !== "" && (
          <span className={textStyles.note} role="status">
            {rows.length + own.length} found
          </span>
        )}
      </div>
      <div className={attributesStyles.attributes}>
        <LoadTexts />
        <table>
          <caption className={textStyles.screenReader}>Attributes</caption>
          <colgroup>
            <col className={attributesStyles.keyColumn} />
            <col />
          </colgroup>
          <thead className={textStyles.screenReader}>
            <tr>
              <th scope="col">Key</th>
              <th scope="col">Value</th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, limit).map((row) => (
              <AttributeLine
                key={row.path}
                row={row}
                isOpen={open.has(row.path)}
                onToggle={() => toggle(row.path)}
              />
            ))}
          </tbody>
          {own.length > 0 && (
            <tbody>
              <tr>
                <th colSpan={2} scope="rowgroup" className={attributesStyles.group}>
                  Span
                </th>
              </tr>
              {own.map((row) => (
                <AttributeLine key={row.path} row={row} isOpen={false} onToggle={() => undefined} />
              ))}
            </tbody>
          )}
        </table>
        {rows.length > limit && (
          <button type="button" className={buttonStyles.more} onClick={() => setLimit(limit + PAGE)}>
            Show {Math.min(PAGE, rows.length - limit)} more of {rows.length}
          </button>
        )}
        {rows.length + own.length === 0 && (
          <p className={textStyles.nothing}>No attribute matches “{query.trim()}”.</p>
        )}
      </div>
    </>
  );
}

/** The fields that every span has: ids, times, source. */
function ownFields(span: NormalizedSpan): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(span).filter(([key]) => key !== "attributes" && key !== "events"));
}
