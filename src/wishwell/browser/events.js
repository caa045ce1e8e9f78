/*! Wishwell 0.1.0 | Apache-2.0 */
function t({listIds:t,product:e},i,r){let l=t=>i.get(t)?.name,c=t.find(t=>l(t)===r?.listName)??t[0],{title:n,price:u,url:a}=e??{};return{list:c?{id:c,name:l(c)??r?.listName}:void 0,product:e&&{title:n,price:u&&+u.amount,currency:u?.currency,url:a}}}export{t as detailsOf};
