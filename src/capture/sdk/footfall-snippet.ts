/**
 * The small script for pages, `/static/footfall.js`:
 *   <script defer src="https://HOST/static/footfall.js" data-key="phc_..."></script>
 * It sets no cookie and stores nothing; the service gives visitors an id of the day. It sends pageviews (also of pages
 * that change without loading), how long a page was looked at and how far it was scrolled, links that lead outside,
 * and what `footfall.capture(name, properties)` is told. With `data-dnt` it is silent for visitors who ask not to be
 * tracked; `data-auto="false"` sends nothing by itself.
 */
export const SNIPPET = `(function(w,d){
var s=d.currentScript,a=s.dataset,k=a.key,h=a.host||new URL(s.src).origin,n=navigator,l=location,p,t,m,f;
var off="dnt" in a&&(n.doNotTrack=="1"||n.globalPrivacyControl);
function send(e,x){
if(off||!k)return;
var q=new URLSearchParams(l.search),r=d.referrer,o={$lib:"footfall",$cookieless_mode:true,$current_url:l.href,$host:l.host,$pathname:l.pathname,
$referrer:r||"$direct",$referring_domain:r?new URL(r).hostname:"$direct",$viewport_width:innerWidth,$viewport_height:innerHeight,
$browser_language:n.language,$timezone:Intl.DateTimeFormat().resolvedOptions().timeZone};
if(n.webdriver)o.$webdriver=true;
"utm_source utm_medium utm_campaign utm_term utm_content gclid gad_source fbclid msclkid".split(" ").forEach(function(c){if(q.get(c))o[c]=q.get(c)});
for(var i in x)o[i]=x[i];
var b=JSON.stringify({api_key:k,event:e,distinct_id:"$posthog_cookieless",properties:o,timestamp:new Date().toISOString()});
try{fetch(h+"/i/v0/e/",{method:"POST",body:b,keepalive:true,headers:{"Content-Type":"text/plain"}}).catch(function(){})}catch(z){}
}
function left(){return p?{$prev_pageview_pathname:p,$prev_pageview_duration:(Date.now()-t)/1e3,$prev_pageview_max_content_percentage:m}:{}}
function seen(){var e=d.documentElement;m=Math.max(m,Math.min(1,(scrollY+innerHeight)/e.scrollHeight))}
function view(){if(p==l.pathname)return;var x=left();p=l.pathname;t=Date.now();m=0;f=0;seen();send("$pageview",x)}
w.footfall={capture:send};
if(a.auto=="false")return;
["pushState","replaceState"].forEach(function(c){var g=history[c];history[c]=function(){g.apply(this,arguments);view()}});
addEventListener("popstate",view);
addEventListener("scroll",seen,{passive:true});
addEventListener("pagehide",function(){if(!f){f=1;send("$pageleave",left())}});
d.addEventListener("click",function(e){var c=e.target.closest&&e.target.closest("a[href]");
if(c&&/^http/.test(c.protocol)&&c.host!=l.host)send("$autocapture",{$event_type:"click",$external_click_url:c.href})},true);
view()
})(window,document);
`
