import { express as wishlist } from '@wishwell/proxy/express';
import express from 'express';
import session from 'express-session';

const { PORT = '3000', SESSION_SECRET, WISHLIST_API, WISHLIST_TOKEN } = process.env;

const page = (way) => `<!doctype html>
<html lang="en">
  <title>Mug</title>
  <h1>Mug</h1>
  <wishlist-button product-id="101"></wishlist-button>
  <form method="post" action="/sign-${way}"><button>Sign ${way}</button></form>
  <script type="module" src="/apps/wishlist/assets/wishwell.js"></script>
</html>`;

const app = express();
app.use(
  session({
    secret: SESSION_SECRET,
    resave: false,
    saveUninitialized: false,
    cookie: { sameSite: 'lax' },
  }),
);

app.use(
  '/apps/wishlist',
  wishlist((request) => ({
    api: WISHLIST_API,
    token: WISHLIST_TOKEN,
    customer: request.session.customerId ?? null,
  })),
);

app.get('/', (request, response) => {
  response.send(page(request.session.customerId ? 'out' : 'in'));
});

app.post('/sign-in', (request, response, next) => {
  request.session.regenerate((error) => {
    if (error) return next(error);
    request.session.customerId = '1001'; // once the password is checked
    response.redirect(303, '/');
  });
});

app.post('/sign-out', (request, response, next) => {
  request.session.destroy((error) => (error ? next(error) : response.redirect(303, '/')));
});

app.listen(PORT, '127.0.0.1');
