/** The style sheet of the file: the tokens of the app, and no font or picture of its own. */
export const STYLES = `
:root{color-scheme:light dark;
--bg-1:light-dark(#fff,#0f1013);--bg-2:light-dark(#f8f8fa,#15171b);--line-1:light-dark(#e8e9ed,#1d2025);
--line-2:light-dark(#d9dbe1,#2a2e35);--text-1:light-dark(#14161b,#eceef1);--text-2:light-dark(#4b505a,#a9aeb8);
--text-3:light-dark(#666b76,#838995);--accent:light-dark(#474cd0,#8e9bff);--accent-soft:light-dark(#eceefd,#1b1e33);
--ok:light-dark(#15773b,#4fbb7c);--error:light-dark(#c8182a,#fb6f72);--error-soft:light-dark(#fdebec,#2b1618);
--running:light-dark(#0070ba,#5db2f7);--llm:light-dark(#00768a,#47c5d2);--tool:light-dark(#a05600,#f0a65e);
--agent:light-dark(#8b3fb4,#c58fe8);--task:light-dark(#636975,#8b919e);--retrieval:light-dark(#52731f,#a6c766);
--embedding:light-dark(#26795f,#72c2a0);--evaluation:light-dark(#b3357a,#e685b4);
--ui:"Inter Variable",Inter,system-ui,-apple-system,"Segoe UI",sans-serif;
--mono:"JetBrains Mono",ui-monospace,"SF Mono",Menlo,Consolas,monospace}
*{box-sizing:border-box;margin:0}
body{background:var(--bg-1);color:var(--text-1);font:13px/1.55 var(--ui);padding:0 20px 48px}
main,body>header{max-width:1080px;margin:0 auto;overflow-wrap:anywhere}
body>header{padding:28px 0 18px;border-bottom:1px solid var(--line-1)}
h1{font-size:20px;line-height:1.25;overflow-wrap:anywhere;display:flex;align-items:baseline;gap:10px}
h2{font-size:15px;margin:28px 0 12px}
h3{font-size:13px;font-weight:600}
.dot{flex:none;width:9px;height:9px;border-radius:50%;background:var(--text-3)}
.dot.OK{background:var(--ok)}
.dot.ERROR{background:var(--error);border-radius:1px;transform:rotate(45deg)}
.dot.RUNNING{background:none;border:2px solid var(--running)}
.id{color:var(--text-3);font:12px var(--mono);margin-top:4px;overflow-wrap:anywhere}
.facts{display:flex;flex-wrap:wrap;gap:10px 28px;margin-top:16px}
.facts dt{color:var(--text-3);font-size:11px}
.facts dd{font:500 12px var(--mono);overflow-wrap:anywhere}
.note{color:var(--text-3);font-size:12px;margin-top:14px}
nav{display:flex;gap:16px;margin-top:14px}
nav a{color:var(--accent);font-weight:500;text-decoration:none}
nav a:hover{text-decoration:underline}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:3px}
article{display:grid;grid-template-columns:76px minmax(0,1fr);gap:0 16px;padding:8px 0}
.time{color:var(--text-2);font:12px/1.6 var(--mono);text-align:right}
.time small{display:block;color:var(--text-3);font-size:11px}
.body{min-width:0;border-left:1px solid var(--line-2);padding-left:16px;display:grid;grid-template-columns:minmax(0,1fr);gap:8px}
.body>header{display:flex;flex-wrap:wrap;align-items:baseline;gap:8px}
.turn.level0 .final{color:var(--accent)}
.user>.body{border-left-color:var(--accent)}
.other .prose,.steps{color:var(--text-2)}
.steps .body{display:flex;flex-wrap:wrap;gap:6px;align-items:flex-start}
.prose code{background:var(--bg-2);border-radius:3px;padding:0 3px}
.level1>.body{margin-left:20px}.level2>.body{margin-left:40px}.level3>.body{margin-left:60px}.level4>.body{margin-left:80px}
.prose{white-space:pre-wrap;overflow-wrap:anywhere;font-size:14px;max-width:78ch}
.thought{border-left:2px solid var(--line-2);padding-left:10px;color:var(--text-2)}
.thought .prose{font-size:13px}
pre,code{font:12px/1.5 var(--mono);font-variant-ligatures:none}
pre{white-space:pre-wrap;overflow-wrap:anywhere;background:var(--bg-2);border:1px solid var(--line-1);border-radius:5px;padding:8px 10px;max-height:32em;overflow:auto}
.badge{border:1px solid var(--line-2);border-radius:3px;padding:0 5px;color:var(--text-2);font-size:11px;overflow-wrap:anywhere}
.cost{margin-left:auto;color:var(--text-3);font:12px var(--mono)}
.final,.running,.failed>summary b{font-size:11px;font-weight:500}
.final{color:var(--accent)}.running{color:var(--running)}
.card{border:1px solid var(--line-2);border-radius:5px}
.card>summary{padding:5px 10px;cursor:pointer;overflow-wrap:anywhere}
.card>summary code:first-of-type{font-weight:600}
.card>summary .input{color:var(--text-2);margin-left:8px}
.card>summary small{color:var(--text-3);margin-left:10px}
.card pre{border-width:1px 0 0;border-radius:0}
.card .result pre{background:none}
.card.failed{border-color:var(--error)}
.error b{color:var(--error)}
.error pre{background:var(--error-soft);border:0}
.card>.error{padding:6px 10px}
.link{color:var(--text-2)}
img{max-width:min(100%,480px);border:1px solid var(--line-1);border-radius:5px}
.span{border-bottom:1px solid var(--line-1)}
.span>summary{display:grid;grid-template-columns:26px minmax(0,1fr) fit-content(420px) 200px;align-items:center;gap:10px;min-height:28px;cursor:pointer;list-style:none}
.span>summary::-webkit-details-marker{display:none}
.span>summary:hover{background:var(--bg-2)}
.number{color:var(--text-3);font:11px var(--mono);text-align:right}
.name{display:flex;align-items:center;gap:8px;min-width:0;white-space:nowrap;overflow:hidden}
.name bdi{font-weight:500;overflow:hidden;text-overflow:ellipsis}
.name small{color:var(--text-3);overflow:hidden;text-overflow:ellipsis}
.name b{font-size:11px}
b.failed{color:var(--error)}
.type{flex:none;width:8px;height:8px;border-radius:2px;background:var(--task)}
.type.llm{background:var(--llm)}.type.tool{background:var(--tool)}.type.agent{background:var(--agent)}
.type.retrieval{background:var(--retrieval)}.type.embedding{background:var(--embedding)}.type.evaluation{background:var(--evaluation)}
.figures{color:var(--text-2);font:11px var(--mono);white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
.bar{width:200px;height:10px}
.bar rect{fill:var(--task)}
.bar .llm{fill:var(--llm)}.bar .tool{fill:var(--tool)}.bar .agent{fill:var(--agent)}.bar .failed{fill:var(--error)}
.bar .retrieval{fill:var(--retrieval)}.bar .embedding{fill:var(--embedding)}.bar .evaluation{fill:var(--evaluation)}
.depth1 .name{padding-left:16px}.depth2 .name{padding-left:32px}.depth3 .name{padding-left:48px}.depth4 .name{padding-left:64px}
.depth5 .name{padding-left:80px}.depth6 .name{padding-left:96px}.depth7 .name{padding-left:112px}.depth8 .name{padding-left:128px}
.depth9 .name{padding-left:144px}.depth10 .name{padding-left:160px}.depth11 .name{padding-left:176px}.depth12 .name{padding-left:192px}
.attributes{display:grid;grid-template-columns:minmax(120px,220px) minmax(0,1fr);gap:4px 12px;padding:8px 0 14px 36px}
.attributes dt{color:var(--text-3);font:12px/1.9 var(--mono);overflow-wrap:anywhere}
.exchange{border-bottom:1px solid var(--line-1);padding-bottom:14px}
.exchange h2 small{color:var(--text-3);font:12px var(--mono);margin-left:8px}
.activity{margin:6px 0 6px 92px;border-left:1px solid var(--line-2);padding-left:16px}
.activity>summary{color:var(--text-2);font:12px/1.6 var(--mono);cursor:pointer;overflow-wrap:anywhere}
.failures,.scores{margin:6px 0 6px 109px;padding-left:18px;font-size:12px;overflow-wrap:anywhere}
.failures{color:var(--error)}.scores{color:var(--text-2)}
@media(max-width:760px){.activity{margin-left:0}.failures,.scores{margin-left:0}.span>summary{grid-template-columns:26px minmax(0,1fr)}.figures{grid-column:2}.bar{grid-column:2;width:100%}
article{grid-template-columns:minmax(0,1fr)}.time{text-align:left}.attributes{grid-template-columns:minmax(0,1fr)}}
@media print{pre{max-height:none;overflow:visible}nav{display:none}}
`;
