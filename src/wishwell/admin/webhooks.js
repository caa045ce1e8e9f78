// The store's webhooks, with their state and last problem.
import { html } from './lit-html.js';
import { get } from './api.js';
import { empty, table, time } from './parts.js';

/** Returns the webhooks; a failing one with `failed`, its last delivery that failed, if known. */
export async function loadWebhooks() {
  const webhooks = await get('webhooks', { limit: 50 });
  await Promise.all(webhooks.filter((webhook) => webhook.failingSince).map(async (webhook) => {
    const deliveries = await get(`webhooks/${webhook.id}/deliveries`, { limit: 50 }).catch(() => []);
    webhook.failed = deliveries.find(({ attempts, status }) => attempts && status !== 'delivered');
  }));
  return webhooks;
}

function problemOf({ problem, failed }) {
  if (problem || !failed) return problem ?? '–';
  const { lastStatus, answer } = failed;
  return `${lastStatus ? `The receiver answered ${lastStatus}` : 'No answer'}${answer ? `: ${answer}` : ''}`;
}

function stateOf({ enabled, failingSince }) {
  if (!enabled) return 'off';
  return failingSince ? html`<span class="down">failing since ${time(failingSince)}</span>` : 'on';
}

export function webhookTable(webhooks) {
  if (!webhooks.length) return empty('No webhooks', 'Programs create them by the API, or an operator by wishwell webhook create.');
  // Only the host, because the rest of an address may be a secret.
  const line = (webhook) => html`<tr><th scope="row">${new URL(webhook.url).host} <span class="soft">${webhook.format}</span></th>
    <td>${webhook.types.join(', ') || 'all'}</td><td>${stateOf(webhook)}</td><td>${problemOf(webhook)}</td></tr>`;
  return table('Webhooks', ['Receiver', 'Events', 'State', 'Last problem'], webhooks.map(line));
}
