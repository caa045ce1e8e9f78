// The same as receiver.py.
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';

const { PORT = '3000', WEBHOOK_SECRET } = process.env;
const webhook = new Webhook(WEBHOOK_SECRET);
const addresses = { 'gid://shopify/Customer/7': 'ada@shop.example' }; // ask your shop's customers instead

// What nodemailer's sendMail takes; or nothing.
function compose({ type, profile, data }) {
  const to = addresses[profile];
  if (type !== 'item.price_dropped' || !to) return undefined;
  const { product, previousPrice: before, price: now } = data;
  const title = product.title ?? 'What you wished for'; // a shop may have told its price alone
  const digits = now.amount.split('.')[1]?.length ?? 0;
  const less = (Number(before.amount) - Number(now.amount)).toFixed(digits);
  return {
    to,
    subject: `${title} is ${less} ${now.currency} less`,
    text: `You wished for it: ${title} is ${now.amount} ${now.currency} now, it was ${before.amount}.\n\n${product.url ?? ''}\n`,
  };
}

function take(id, event) {
  const mail = compose(event);
  const kept = `mails/${id}.json`;
  if (!mail || existsSync(kept)) return;
  writeFileSync(`${kept}.part`, JSON.stringify(mail));
  renameSync(`${kept}.part`, kept);
}

async function answer(request) {
  if (request.method !== 'POST') return 405;
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  let event;
  try {
    event = webhook.verify(Buffer.concat(chunks), request.headers);
  } catch {
    return 400;
  }
  if (event.type !== 'webhook.test') take(request.headers['webhook-id'], event);
  return 204;
}

mkdirSync('mails', { recursive: true });
createServer(async (request, response) => {
  const status = await answer(request).catch(() => 500);
  response.writeHead(status).end();
}).listen(Number(PORT), '127.0.0.1');
