import { usePreferences, useSessions, useStores } from "../../app-context.js";
import { ColumnsMenu } from "../traces/columns-menu.js";
import { SESSION_COLUMNS } from "./session-columns.js";

/** The menu of the columns of the list of sessions. */
export function SessionsColumnsMenu() {
  const { preferences } = useStores();
  const hidden = usePreferences((state) => state.hiddenSessionColumns);
  const widths = usePreferences((state) => state.sessionColumnWidths);
  const hasTenants = useSessions(({ rows }) => rows.some(({ tenant }) => tenant !== ""));
  return (
    <ColumnsMenu
      columns={SESSION_COLUMNS.filter(
        ({ id, isFixed }) => isFixed !== true && (id !== "tenant" || hasTenants),
      )}
      hidden={hidden}
      widths={widths}
      onChange={(changed) =>
        preferences.setState({
          ...(changed.hidden && { hiddenSessionColumns: changed.hidden }),
          ...(changed.widths && { sessionColumnWidths: changed.widths }),
        })
      }
    />
  );
}
