import { Markup } from "../../doctor/html/markup.ts";
import { STYLE as PAGE_STYLE } from "../../doctor/html/style.ts";

/** The style sheet of the doctor's page, and what tables need. */
export const STYLE = new Markup(`${PAGE_STYLE.text}
.wide { overflow-x: auto; background: var(--card); border: 1px solid var(--rule); border-radius: .5rem;
  margin: .4rem 0; } .wide:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
table { border-collapse: collapse; width: 100%; font-size: .93rem; } th, td { text-align: left; vertical-align: top;
  padding: .35rem .7rem; border-top: 1px solid var(--rule); overflow-wrap: break-word; } thead th { border-top: 0;
  color: var(--soft); font-weight: 600; font-size: .85rem; white-space: nowrap; } tbody th { font-weight: 600; }
.grow { min-width: 15rem; width: 99%; overflow-wrap: anywhere; } .nowrap { white-space: nowrap;
  font-variant-numeric: tabular-nums; } .some { min-width: 11rem; overflow-wrap: anywhere; } td small,
  th small { display: block; font-weight: 400; } bdi { overflow-wrap: anywhere; }
dl.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .2rem 1rem; margin: .5rem 0; }
dl.facts dt { color: var(--soft); } dl.facts dd { margin: 0; overflow-wrap: anywhere; }
.project { border-top: 2px solid var(--rule); margin-top: 2.4rem; } .project > h2 { margin-top: 1rem;
  overflow-wrap: anywhere; } summary h3 { display: inline; } .status { font-weight: 600; }
.status.doing { color: var(--good); } .status.blocked, .status.unknown { color: var(--bad); } .status.todo,
  .status.paused { color: var(--soft); }
@media (max-width: 40rem) { dl.facts { grid-template-columns: 1fr; } dl.facts dd { margin-bottom: .4rem; } th,
  td { padding: .3rem .5rem; } .grow { min-width: 12rem; } td.nowrap { white-space: normal; } }
@media print { .wide { overflow: visible; border: 0; } .grow { min-width: 8rem; } .some { min-width: 5rem; }
  td.nowrap { white-space: normal; } tr { break-inside: avoid; } thead { display: table-header-group; } }
`);
