// Styles of both pages. Colours are mixed from the shop's own, so that they fit any background;
// overlays (dialogs, messages) have their own colours. Controls on pictures are light in dark mode
// too, because most product pictures are light.
export const STYLE = `
:host{display:block;
--_line:var(--wishlist-line,color-mix(in srgb,currentColor 18%,transparent));
--_soft:var(--wishlist-soft,color-mix(in srgb,currentColor 72%,transparent));
--_fill:var(--wishlist-fill,color-mix(in srgb,currentColor 6%,transparent));
--_accent:var(--wishlist-accent,light-dark(#1f1d1a,#f5f1ea));
--_on:var(--wishlist-on-accent,light-dark(#fff,#1f1d1a));
--_surface:var(--wishlist-surface,var(--_page,light-dark(#fff,#262320)));
--_ink:var(--wishlist-ink,var(--_text,light-dark(#1f1d1a,#f5f1ea)));
--_danger:var(--wishlist-danger,light-dark(#b4122f,#ff8b9d));
--_good:var(--wishlist-good,light-dark(#0a6b3d,#7fd6a4));
--_radius:var(--wishlist-radius,.875rem);
--_target:var(--wishlist-target,2.75rem)}
:host([hidden]),[hidden]{display:none!important}
*,::before,::after{box-sizing:border-box}
:focus-visible{outline:var(--wishlist-focus,3px solid Highlight);outline-offset:2px}
h1,h2,h3,p,ul,fieldset{margin:0;padding:0;border:0;min-width:0}
ul{list-style:none}
button,input,textarea,select{font:inherit;color:inherit;letter-spacing:inherit}
button{cursor:pointer;background:none;border:0;padding:0}
button:disabled{cursor:default}
svg{display:block;width:1.375rem;fill:none;stroke:currentColor;stroke-width:1.7;stroke-linecap:round;stroke-linejoin:round}
.unseen{position:absolute;inset-block-start:0;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.page{container:wishlist/inline-size;padding-block-end:2rem}

.plain,.primary,.danger,.tab{display:inline-flex;align-items:center;justify-content:center;gap:.5rem;
min-height:var(--_target);padding:.3rem 1.15rem;border-radius:var(--wishlist-radius,99rem);border:1px solid var(--_line);font-weight:550;
line-height:1.2;text-decoration:none;color:inherit}
.plain:hover,.tab:hover{border-color:currentColor}
.primary{background:var(--_accent);color:var(--_on);border-color:transparent}
.primary:hover{opacity:.88}
.primary:disabled{background:var(--_fill);color:var(--_soft);opacity:1}
.reserve~.add{background:none;color:inherit;border-color:var(--_line)}
.danger{color:var(--_danger)}
.danger:hover{border-color:currentColor}
.plain svg{width:1.15rem;margin-inline-start:-.2rem}
.icon{display:grid;place-content:center;flex:none;width:var(--_target);height:var(--_target);border-radius:50%}
.icon:hover{background:var(--_fill)}
.icon svg{stroke-width:2.2}

.head{display:flex;flex-wrap:wrap;align-items:baseline;gap:0 .75rem;margin-block-end:.75rem}
.title{font-size:clamp(1.75rem,1.3rem + 2vw,2.5rem);line-height:1.15;letter-spacing:-.02em;font-weight:650;
text-wrap:balance;overflow-wrap:anywhere}
.shared svg{width:1rem;color:var(--_soft)}.copy{margin-inline-start:auto}
.sign-in{display:block;width:fit-content;max-width:100%;margin-block:.5rem .75rem;color:var(--_soft);overflow:hidden;text-overflow:ellipsis;white-space:nowrap;font-size:.9375rem;line-height:1.5rem}
input[type=checkbox]{width:1.2rem;height:1.2rem;margin:0;flex:none;accent-color:var(--_accent)}
.bar{display:flex;align-items:center;gap:.5rem}
.tabs{display:flex;gap:.5rem;overflow-x:auto;position:relative;scrollbar-width:none;padding:.375rem;margin:-.375rem;
mask-image:linear-gradient(var(--_way,to right),transparent,#000 var(--_l,0rem),#000 calc(100% - var(--_r,0rem)),transparent)}
:host(:dir(rtl)) .tabs{--_way:to left}
@supports(animation-timeline:scroll()){.tabs{animation:cut both;animation-timeline:scroll(self inline)}}
@keyframes cut{0%{--_r:2.5rem}2%,98%{--_l:2.5rem;--_r:2.5rem}to{--_l:2.5rem}}
.tab{flex:none;padding-inline:1rem;max-width:16rem}
.tab:focus-visible{outline-offset:1px}
.tab[aria-selected=true]{background:var(--_accent);color:var(--_on);border-color:transparent}
.tab-name{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.tab-count{font-weight:400;opacity:.8}
.tab-count:empty,.panel:has(.blank) .tools:empty{display:none}
.tools{display:flex;align-items:center;gap:.5rem;min-height:var(--_target);margin-block:.5rem .75rem}
.tools .menu{margin-inline-start:auto;border:1px solid var(--_line)}
.count{color:var(--_soft)}
.notice{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem 1rem;justify-content:space-between;
padding:.75rem 1rem;margin-block-end:1rem;border-radius:var(--_radius);background:var(--_fill)}
.notice:empty{display:none}
.address{display:block;padding:0;background:none;color:var(--_soft);font-size:.875rem;line-height:1.5rem;margin-block-end:.5rem}
.address .plain{display:inline;min-height:0;padding:0;margin-inline-start:.3rem;border:0;text-decoration:underline}
.question{padding:1.25rem}
.question p{flex:1 1 18rem}
.question strong{display:block;font-size:1.1rem}
.answers{display:flex;flex-wrap:wrap;gap:.5rem}

.grid{display:grid;gap:2rem 1.25rem;grid-template-columns:repeat(auto-fill,minmax(var(--wishlist-card,14rem),1fr))}
.card{position:relative;display:flex;flex-direction:column;gap:.15rem;min-width:0;border-radius:var(--_radius);
padding:.3rem;margin:-.3rem;content-visibility:auto;contain-intrinsic-block-size:auto 22rem}
.media{position:relative;margin-block-end:.5rem}
.picture{display:grid;place-content:stretch;aspect-ratio:var(--wishlist-ratio,1);border-radius:var(--_radius);
background:var(--_fill);overflow:hidden}
.picture img{width:100%;height:100%;min-height:0;object-fit:var(--wishlist-fit,cover)}
.picture svg{width:28%;margin:auto;stroke-width:1;opacity:.35}
.picture:has(img:not([hidden])) svg{display:none}
.badge{position:absolute;inset-block-end:.6rem;inset-inline:.6rem calc(var(--_target) + .5rem);width:fit-content;padding:.2rem .7rem;border-radius:var(--wishlist-radius,99rem);font-size:.8125rem;font-weight:600;
background:var(--_surface);color:var(--_ink)}
.badge.less{white-space:nowrap;background:var(--_good);color:var(--_surface)}
.media:has(.badge:not(.less)) img{opacity:.55}
.price del{font-weight:400;color:var(--_soft);margin-inline-end:.5rem}
.name{font:inherit;font-weight:550;line-height:1.3;overflow-wrap:anywhere;display:-webkit-box;-webkit-box-orient:vertical;
-webkit-line-clamp:2;overflow:hidden}
.link{color:inherit;text-decoration:none}
.link::after{content:"";position:absolute;inset:.3rem;border-radius:var(--_radius)}
.link:focus-visible{outline:0}
.link:focus-visible::after{outline:var(--wishlist-focus,3px solid Highlight);outline-offset:0}
.card:has(.link:hover) .name{text-decoration:underline;text-underline-offset:.2em}
.cheaper,.variant,.note,.wanted,.hint,.owner{color:var(--_soft);font-size:.9375rem;overflow-wrap:anywhere}
.note{display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:3;overflow:hidden}
.price{font-weight:600}
.cheaper{color:var(--_good);font-weight:550}
.actions{display:grid;gap:.5rem;margin-block-start:auto;padding-block-start:.6rem;position:relative}
.actions,.corner{pointer-events:none}
.actions:empty{display:none}
.actions>*,.corner>*{pointer-events:auto}
.corner{position:absolute;z-index:1;inset:.3rem .3rem auto;min-height:0;aspect-ratio:var(--wishlist-ratio,1);display:flex;flex-flow:column wrap-reverse;
align-content:flex-start;gap:.5rem;padding:.45rem}
.corner .icon{position:relative;width:var(--_small);height:var(--_small);
--_small:calc(var(--_target) - .5rem);background:rgb(255 255 255/.86);color:#1f1d1a}
.corner .icon:hover{background:#fff}
.corner .icon::after{content:"";position:absolute;inset:-.25rem}
.remove svg{fill:currentColor;stroke:none;color:var(--wishlist-color-saved,#c2183c)}
.grip{cursor:grab;touch-action:none}
.options svg,.grip svg{stroke-width:2.6}
.dragged,.dragged *{pointer-events:none}
.dragged{z-index:2;opacity:.92;content-visibility:visible}
.dragged .picture{box-shadow:0 1rem 2.5rem rgb(0 0 0/.3)}
.show-more{display:flex;margin:2rem auto 0}
.skeleton .picture,.skeleton .bone{background:var(--_fill)}
.bone{height:1em;margin-block:.2em;border-radius:min(var(--_radius),.3em);width:75%}
.bone+.bone{width:40%}
.bone.tall{width:auto;height:var(--_target);margin-block-start:.6rem;border-radius:var(--wishlist-radius,99rem)}
.blank{display:grid;justify-items:center;gap:.5rem;padding:3.5rem 1rem;text-align:center}
.blank svg{width:3.5rem;stroke-width:1.2;opacity:.6}
.what{font-size:1.3rem;line-height:1.25}
.blank p{color:var(--_soft);max-width:26rem;text-wrap:balance}
.blank .plain,.blank .primary{margin-block-start:.75rem}

.sheet{padding:0;border:0;width:min(27rem,100vw - 2rem);max-width:none;max-height:none;overflow:hidden;
border-radius:calc(var(--_radius)*1.4);background:var(--_surface);color:var(--_ink);
box-shadow:0 1.5rem 4rem rgb(0 0 0/.35)}
.sheet::backdrop{background:rgb(0 0 0/.45)}
.inside{display:grid;gap:1.1rem;padding:1.25rem;max-height:min(88dvh,46rem);overflow:auto;overscroll-behavior:contain;
scrollbar-color:var(--_soft) transparent}
.sheet-head{display:flex;align-items:center;justify-content:space-between;gap:1rem;margin-block:-.4rem;margin-inline-end:-.4rem}
.sheet-title{font-size:1.2rem;line-height:1.25;font-weight:600;overflow-wrap:anywhere}
.row{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:.5rem}
.row:not(.halves){flex-wrap:nowrap}
.row>button{min-width:0;text-wrap:balance}
.end{justify-content:flex-end}
.halves>*{flex:1}
legend{padding:0}
.choices{display:grid;gap:.3rem}
.list{gap:.2rem;display:grid}
.sheet .label{font-weight:550}
.hint{font-weight:400}
.tools .field{width:auto;min-width:0;padding:.3rem .8rem;border-radius:var(--wishlist-radius,99rem)}
.search{flex:1 0 7.5rem;max-width:20rem}.sort{cursor:pointer}
.sort option{background:var(--_surface);color:var(--_ink)}
.pick{position:absolute;inset:0;z-index:1;padding:.85rem;cursor:pointer;border-radius:var(--_radius)}
.pick input{width:1.5rem;height:1.5rem}
.pick:has(:checked){outline:2px solid var(--_accent);outline-offset:-2px}
.selection{position:sticky;inset-block-end:max(.75rem,env(safe-area-inset-bottom));z-index:3;display:flex;flex-wrap:wrap;align-items:center;
gap:.5rem;margin-block-start:1.5rem;padding:.5rem;border-radius:var(--_radius);background:var(--_surface);
color:var(--_ink);box-shadow:0 .5rem 2rem rgb(0 0 0/.3)}
.field{width:100%;min-height:var(--_target);padding:.6rem .9rem;border:1px solid var(--_line);border-radius:var(--wishlist-radius,.6rem);background:none}
textarea.field{min-height:5rem;resize:vertical;display:block}
.quantity{width:6.5rem;text-align:center}
.choice{display:flex;align-items:center;gap:.75rem;padding-block:.3rem;min-height:var(--_target);cursor:pointer;overflow-wrap:anywhere}

@container wishlist (width<40rem){
.grid{gap:1.5rem .75rem;grid-template-columns:repeat(2,minmax(0,1fr))}
.name,.price,.actions{font-size:.9375rem}.cheaper,.variant,.note,.wanted,.hint,.owner{font-size:.875rem}
.actions .plain,.actions .primary{padding-inline:.6rem}
.title{font-size:1.25rem}.head .count,.sign-in,.sort{font-size:.875rem}.selection>*{padding-inline:.7rem}.selection .danger,.selection .count+*+*{flex:1}
.question .plain,.question .primary{flex:auto}.answers{flex:1 1 100%}}
@media(width<40rem){
.sheet{margin:auto 0 0;width:100vw;border-radius:calc(var(--_radius)*1.4) calc(var(--_radius)*1.4) 0 0}
.inside{padding-block-end:max(1.25rem,env(safe-area-inset-bottom))}}
@media(prefers-reduced-motion:no-preference){
.sheet{transition:translate .22s ease-out,opacity .22s}
@starting-style{.sheet[open]{translate:0 2rem;opacity:0}}
.picture img{transition:scale .3s}
.card:has(.link:hover) .picture img{scale:1.03}
.skeleton{animation:pulse 1.4s infinite alternate ease-in-out}
@keyframes pulse{to{opacity:.45}}}
@media(hover:hover){.grip{opacity:0}.card:hover .grip,.card:focus-within .grip{opacity:1}}
@media(forced-colors:active){
.tab[aria-selected=true]{forced-color-adjust:none;background:Highlight;color:HighlightText}
.primary,.icon,.picture{border:1px solid}.primary:disabled{color:GrayText}}
`;
