import { usePreferences, useStores, useTraces } from "../../app-context.js";
import { isMultiTenant } from "../../store/traces-state.js";
import { COLUMNS } from "./columns.js";
import { ColumnsMenu } from "./columns-menu.js";

/** The menu of the columns of the list of traces. */
export function TraceColumnsMenu() {
  const { preferences } = useStores();
  const hidden = usePreferences((state) => state.hiddenColumns);
  const widths = usePreferences((state) => state.columnWidths);
  const hasTenants = useTraces(isMultiTenant);
  return (
    <ColumnsMenu
      columns={COLUMNS.filter(({ id, isFixed }) => isFixed !== true && (id !== "tenant" || hasTenants))}
      hidden={hidden}
      widths={widths}
      onChange={(changed) =>
        preferences.setState({
          ...(changed.hidden && { hiddenColumns: changed.hidden }),
          ...(changed.widths && { columnWidths: changed.widths }),
        })
      }
    />
  );
}
