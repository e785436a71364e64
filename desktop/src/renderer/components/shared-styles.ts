/** The styles that several components share, in the order in which they override each other. */
import "./icon.module.css";
import "./text.module.css";
import "./span-type.module.css";
import "./page.module.css";
import "./status-dot.module.css";
import "./button.module.css";
import "./segmented.module.css";
import "./tabs.module.css";
import "./badge.module.css";
import "./query.module.css";
import "./menu.module.css";
import "./facet.module.css";
import "./table.module.css";
import "./panel.module.css";
import "./code.module.css";
import "./alert-bar.module.css";
import "./view-bar.module.css";
