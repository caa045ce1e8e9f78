// Shows the mail that the page which opened this one has requested: a page of its own, because mails need inline styles.
const { html } = await window.opener.preview;
const mail = new DOMParser().parseFromString(html, 'text/html').documentElement;
document.replaceChild(document.adoptNode(mail), document.documentElement);
