import { Markup } from "./markup.ts";

/** The page's only style sheet: light and dark, narrow screens, paper. Nothing is fetched. */
export const STYLE = new Markup(`
:root { color-scheme: light dark; --paper: #fbfaf7; --card: #fff; --ink: #1d2327; --soft: #59636b; --rule: #d9d6cd;
  --good: #1d6f42; --bad: #b3261e; --bad-paper: #fdecea;
  --link: #1556a8; --user: #1556a8; --assistant: #6b3fa0; --result: #1f6d64; --other: #6d5c1f; --mark: #8a5a00;
    --mark-paper: #fdf3dc; --bricks: #b3261e; --loses: #d98a1c; --unread: #8a7cc4; --harmless: #b7ad8f;
    --sound: #5fa47c; --field: #8b8f92; }
@media (prefers-color-scheme: dark) { :root { --paper: #14171a; --card: #1c2024; --ink: #e6e4de; --soft: #a3abb2;
    --rule: #363c42; --good: #6fcf97; --bad: #ff8a80; --bad-paper: #3a1d1b;
  --link: #8ab8ff; --user: #8ab8ff; --assistant: #cda8ff; --result: #7fd1c4; --other: #dcc77a; --mark: #f0c060;
    --mark-paper: #33290f; --bricks: #d9605a; --loses: #d39a3a; --unread: #9a8cd6; --harmless: #7d775f;
    --sound: #3f8a5f; --field: #7a8087; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, "Segoe UI", Roboto,
  "Helvetica Neue", Arial, sans-serif; }
main { max-width: 66rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.6rem; margin: 0 0 .25rem; } h2 { font-size: 1.2rem; margin: 2.2rem 0 .6rem; } h3 { font-size: 1rem;
  margin: 1.2rem 0 .4rem; }
p { margin: .4rem 0; } .soft, small { color: var(--soft); } a { color: var(--link); }
code { font: .88em/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  overflow-wrap: anywhere; unicode-bidi: isolate; }
.command { display: flow-root; background: var(--paper); border: 1px solid var(--rule); border-radius: .35rem;
  padding: .35rem .6rem; margin: .3rem 0; user-select: all; white-space: pre-wrap; }
.option { white-space: nowrap; } .command button { float: right; margin: 0 0 0 .6rem; padding: 0 .5rem;
  font: .8rem system-ui, sans-serif; line-height: 1.5rem; color: var(--link); background: var(--card);
  border: 1px solid var(--rule); border-radius: .3rem; cursor: pointer; user-select: none; }
figure.healed rect { fill: var(--field); opacity: .6; } figure.healed rect.sound { fill: var(--sound); opacity: 1; }
.patch { margin: 1rem 0; } .patch p code { margin-left: .3rem; }
figure { margin: 1.2rem 0; } figure svg { display: block; width: 100%; height: 1.6rem; border-radius: .35rem; }
.legend { display: flex; flex-wrap: wrap; gap: .3rem 1.6rem; list-style: none; margin: .6rem 0 0; padding: 0; }
.legend a { color: inherit; text-decoration: none; } .legend a:hover { text-decoration: underline; } .legend b,
  .count { font-variant-numeric: tabular-nums; }
rect.bricks { fill: var(--bricks); } rect.loses { fill: var(--loses); } rect.unread { fill: var(--unread); }
rect.harmless { fill: var(--harmless); } rect.sound { fill: var(--sound); }
.sign { display: inline-block; width: 1.3em; font-weight: 700; } .sign.bricks { color: var(--bad); }
.sign.loses { color: var(--mark); } .sign.unread { color: var(--other); } .sign.harmless { color: var(--soft); }
.sign.sound { color: var(--good); }
#find { display: flex; flex-wrap: wrap; align-items: center; gap: .4rem .8rem; margin: 1.6rem 0 0; } #find[hidden],
  [hidden] { display: none !important; } #find label { font-weight: 600; } #find input { flex: 1 1 14rem;
  min-width: 0; font: inherit; padding: .4rem .7rem; color: inherit; background: var(--card);
  border: 1px solid var(--field); border-radius: .35rem; } #find input:focus-visible { outline: 2px solid var(--link);
  outline-offset: 1px; } #find output { color: var(--soft); flex: 0 0 auto; }
.group, .fold { margin: 1.4rem 0 0; } .group > summary h2, .fold > summary h2 { display: inline; margin: 0; }
.count { color: var(--soft); font-weight: 400; }
.list { list-style: none; margin: .5rem 0 0; padding: 0; background: var(--card); border: 1px solid var(--rule);
  border-radius: .5rem; overflow: hidden; } .list > li + li { border-top: 1px solid var(--rule); }
.s > details { margin: 0; }
.s > .line, .s > details > summary { display: grid; grid-template-columns: 1.3rem minmax(0, 1fr) 22rem 6.6rem 8.6rem;
  gap: 0 .8rem; align-items: baseline; padding: .38rem .8rem; position: relative; }
.s > details > summary { list-style: none; } .s > details > summary::-webkit-details-marker { display: none; }
.s > details > summary:hover { background: var(--paper); } .s > details > summary::after { content: "▸";
  position: absolute; right: .45rem; top: .38rem; color: var(--soft); }
.s > details[open] > summary::after { content: "▾"; }
.s b { font-weight: 600; overflow-wrap: anywhere; } .s code { color: var(--soft); } .s .num,
  .s .when { color: var(--soft); font-size: .9rem; padding-right: .6rem; } .why { grid-column: 2 / -1;
  color: var(--soft); font-size: .9rem; overflow-wrap: anywhere; } .inside { padding: .2rem .8rem 1rem 2.9rem;
  border-top: 1px dashed var(--rule); } .s:target { outline: 2px solid var(--mark); outline-offset: -2px; }
.event { padding: .45rem .8rem; overflow-wrap: anywhere; } ul.words { margin: .4rem 0; padding-left: 1.2rem; }
.next { background: var(--card); border: 1px solid var(--rule); border-left: .3rem solid var(--good);
  border-radius: .35rem; padding: .6rem 1rem; } .next.alarm { border-left-color: var(--bad); }
.good { color: var(--good); } .todo { color: var(--mark); } .bad { color: var(--bad); }
h4 { font-size: .95rem; margin: 1.1rem 0 .3rem; } .num { text-align: right; font-variant-numeric: tabular-nums;
  white-space: nowrap; } .when { white-space: nowrap; font-variant-numeric: tabular-nums; }
details { margin: .5rem 0; } summary { cursor: pointer; } summary:focus-visible,
  a:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
ol.line, ol.line ol { list-style: none; margin: .4rem 0; padding: 0; }
ol.line > li { display: grid; grid-template-columns: auto 3.2rem 5.6rem minmax(0, 1fr); column-gap: .5rem;
  align-items: stretch; }
ol.line > li > * { padding: .16rem 0; }
ol.line > li > .body > details { margin: 0; }
ol.line > li:target { background: var(--mark-paper); outline: 2px solid var(--mark); }
.call-lines { display: flex; padding: 0 !important; } .call-line { position: relative; width: .9rem; }
.call-line::before { content: ""; position: absolute; left: .4rem; top: 0; bottom: 0;
  border-left: 2px solid var(--result); } .call-line.from::before { top: .85rem; }
.call-line.to::before { bottom: auto; height: .85rem; }
.call-line.result::after { content: ""; position: absolute; left: .4rem; top: .85rem; width: .5rem;
  border-top: 2px solid var(--result); }
.call-line.call::after { content: ""; position: absolute; left: .15rem; width: .6rem; height: .6rem; top: .55rem;
  border: 2px solid var(--result); border-radius: 50%; background: var(--card); }
.call-line.none::before { display: none; } .call-line.broken::before,
  .call-line.broken::after { border-color: var(--bad); } .call-line.broken::before { border-left-style: dashed; }
.n { text-align: right; color: var(--soft); font-variant-numeric: tabular-nums; border-right: 2px solid var(--rule);
  padding-right: .5rem !important; position: relative; }
.n::after { content: ""; position: absolute; right: -5px; top: .6rem; width: 8px; height: 8px; border-radius: 50%;
  background: var(--rule); }
li.faulty > .n::after { background: var(--bad); } li.place > .n::after { background: var(--mark); border-radius: 0;
  transform: rotate(45deg); } li.leaf > .n::after { background: var(--good); width: 12px; height: 12px; right: -7px; }
li.many > .n::after { display: none; } li.many > .n { border-right-style: dotted; }
.who { font-weight: 600; overflow-wrap: anywhere; font-size: .9rem; } .user { color: var(--user); }
.assistant { color: var(--assistant); } .result { color: var(--result); } .other { color: var(--other); }
.part { display: inline-block; border: 1px solid var(--rule); border-radius: .3rem; padding: 0 .4rem;
  margin: 0 .3rem .15rem 0; font-size: .88rem; max-width: 100%; overflow-wrap: anywhere; }
.part.faulty { border: 2px solid var(--bad); background: var(--bad-paper); } .part i { font-style: normal;
  color: var(--soft); } .call-label { font-weight: 600; color: var(--result); text-decoration: none; }
a.call-label { text-decoration: underline; }
.fault { display: block; color: var(--bad); font-weight: 600; font-size: .9rem; } .left-mark { color: var(--mark);
  font-size: .9rem; } .place-mark { display: block; color: var(--mark); font-size: .9rem; }
.leaf-mark { display: block; color: var(--good); font-weight: 600; font-size: .9rem; }
.words { display: block; color: var(--soft); font-size: .88rem; overflow-wrap: anywhere; unicode-bidi: isolate; }
.departure { border-left: 2px dashed var(--mark); margin: .2rem 0 .2rem .2rem; padding: .1rem 0 .1rem .7rem; }
ul.tree, ul.tree ul { list-style: none; margin: 0; padding: 0 0 0 1.1rem; } ul.tree { padding-left: .2rem; }
ul.tree li { position: relative; padding: .1rem 0 .1rem 1.1rem; border-left: 2px solid var(--rule); }
ul.tree li::before { content: ""; position: absolute; left: 0; top: .9rem; width: .8rem;
  border-top: 2px solid var(--rule); }
ul.tree > li:last-child, ul.tree ul > li:last-child { border-left-color: transparent; }
ul.tree li:last-child::after { content: ""; position: absolute; left: -2px; top: 0; height: .95rem;
  border-left: 2px solid var(--rule); }
ul.tree ul li, ul.tree ul li::before, ul.tree ul li::after { border-color: var(--mark) !important;
  border-left-style: dashed; } ul.tree ul > li:last-child { border-left-color: transparent !important; }
dl.key { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; margin: .4rem 0; }
dl.key dt { font-weight: 600; } dl.key dd { margin: 0; }
@media (max-width: 56rem) { .s > .line, .s > details > summary { grid-template-columns: 1.3rem minmax(0,
    1fr) auto auto; } .s .num { grid-area: 1 / 3; } .s .when { grid-area: 1 / 4; }
  .s code { grid-area: 2 / 2 / auto / -1; } .s .why { grid-row: 3; } .inside { padding-left: .8rem; } }
@media (max-width: 40rem) { main { padding: 1rem .6rem 3rem; } .s > .line,
  .s > details > summary { grid-template-columns: 1rem minmax(0, 1fr) auto; gap: 0 .5rem;
    padding: .4rem 1.4rem .4rem .5rem; } .s b { grid-column: 2 / -1; } .s code { font-size: .78rem; }
  .s .num { grid-area: 3 / 2; text-align: left; } .s .when { grid-area: 3 / 3; padding: 0; } .s .why { grid-row: 4; }
  .inside { padding: .2rem .6rem .8rem; } .event { padding: .45rem .6rem; } .legend { display: grid; gap: .4rem; }
  .command { font-size: .78rem; padding: .35rem .5rem; }
  ol.line > li { grid-template-columns: auto 2.2rem minmax(0, 1fr); } ol.line > li > .body { grid-column: 3;
    padding-top: 0; } ol.line > li > .who { padding-bottom: 0; } ol.line > li > .call-lines,
    ol.line > li > .n { grid-row: 1 / span 2; } .call-line { width: .7rem; } dl.key { grid-template-columns: 1fr; }
  dl.key dd { margin-bottom: .4rem; } }
@media print { :root { color-scheme: light; --paper: #fff; --card: #fff; --ink: #000; --soft: #444; --rule: #bbb;
    --good: #0b5a30; --bad: #9b1c15; --bad-paper: #fff; --link: #000; --user: #123f7a; --assistant: #4d2a78;
    --result: #0f4f48; --other: #4f420f; --mark: #6b4600; --mark-paper: #fff; }
  body { font-size: 10pt; } main { max-width: none; padding: 0; } ol.line > li, .s > .line, .event,
    .next { break-inside: avoid; } h2, h3, summary { break-after: avoid; } #find, .command button { display: none; }
  .list { border-radius: 0; overflow: visible; } .group::details-content,
    .fold::details-content { content-visibility: visible; block-size: auto; } rect, .sign { print-color-adjust: exact;
    } .call-line::before, .call-line::after, .n::after { print-color-adjust: exact; } }
`);
