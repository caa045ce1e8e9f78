// Shows new mails as they come, by loading the page again.
const { count } = document.querySelector('#mails').dataset;

setInterval(async () => {
  const answer = await fetch('/mailbox/count').catch(() => undefined);
  if (answer?.ok && (await answer.text()) !== count) location.reload();
}, 1_000);
