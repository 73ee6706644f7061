export const DOCS_STYLE = `
:root{color-scheme:light dark;--text:#1b1f24;--dim:#59636e;--line:#d5d9de;--page:#fff;--side:#f6f7f9;--link:#0550ae}
@media(prefers-color-scheme:dark){
:root{--text:#e6e8eb;--dim:#9aa4ae;--line:#333940;--page:#14171a;--side:#1b1f23;--link:#8ab4ff}
}
*{box-sizing:border-box}
body{margin:0;font:16px/1.5 system-ui,sans-serif;color:var(--text);background:var(--page);
display:grid;grid-template-columns:20rem minmax(0,1fr)}
nav{position:sticky;top:0;height:100vh;overflow:auto;padding:1rem;background:var(--side);
border-right:1px solid var(--line);font-size:.9rem}
nav h2{font-size:1rem;margin:.5rem 0}
nav ul{list-style:none;margin:0 0 .5rem;padding:0 0 0 1rem}
nav li{overflow-wrap:anywhere}
nav b{font-size:.7rem}
main{max-width:64rem;padding:1.5rem 2rem}
a{color:var(--link);text-decoration:none}
a:hover{text-decoration:underline}
h1{margin-top:0}
h2{margin:2.5rem 0 .5rem;text-transform:capitalize}
h3{margin:.5rem 0;font-size:1.05rem;overflow-wrap:anywhere}
h3 span{display:inline-block;min-width:4.5rem;font-weight:700}
h4{margin:.75rem 0 .25rem;font-size:.9rem;color:var(--dim)}
section{border-top:1px solid var(--line);padding:.75rem 0;scroll-margin-top:1rem}
section:target{outline:2px solid var(--link);outline-offset:.5rem}
code{font:.9em ui-monospace,monospace}
p{margin:.25rem 0}
.access,small{color:var(--dim)}
.anchor{opacity:.5}
table{border-collapse:collapse;width:100%;font-size:.9rem}
th,td{text-align:left;vertical-align:top;padding:.2rem 1rem .2rem 0;border-bottom:1px solid var(--line);
overflow-wrap:anywhere}
td:first-child{width:32%}
td:nth-child(2){width:34%}
@media(max-width:50rem){
body{display:block}
nav{position:static;height:auto;border:0}
main{padding:1rem}
}
`
