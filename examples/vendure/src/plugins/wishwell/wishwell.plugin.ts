import type { IncomingMessage } from 'node:http';

import {
  Customer,
  PluginCommonModule,
  ScheduledTask,
  SessionService,
  TransactionalConnection,
  VendurePlugin,
} from '@vendure/core';
import { express as forward } from '@wishwell/proxy/express';
import { IsNull } from 'typeorm';

import { Catalogue } from './catalogue';
import { Jobs } from './jobs';
import { Orders } from './orders';
import { Wishwell, type WishwellOptions } from './wishwell';

/** Sends everything: at first, and what events have missed. */
const everything = new ScheduledTask({
  id: 'wishwell',
  description: 'Sends all products and the recent orders to Wishwell',
  schedule: (cron) => cron.everyDayAt(3, 0),
  execute: ({ injector }) => injector.get(Jobs).add({ everything: true }),
});

/** Products, prices, stock and orders to Wishwell, and its storefront at `/apps/wishlist`. */
@VendurePlugin({
  imports: [PluginCommonModule],
  providers: [Wishwell, Catalogue, Orders, Jobs],
  compatibility: '^3.3.0',
  configuration: (config) => {
    const { api, storefrontToken: token, origin } = Wishwell.options;
    const handler = forward(async (request: IncomingMessage) => {
      return { api, token, origin, customer: await WishwellPlugin.running.customer(request) };
    });
    // Before Vendure's body parser, because a body can be read once.
    config.apiOptions.middleware.push({ route: '/apps/wishlist', handler, beforeListen: true });
    config.schedulerOptions.tasks.push(everything);
    return config;
  },
})
export class WishwellPlugin {
  private static running: WishwellPlugin;

  static init(options: WishwellOptions): typeof WishwellPlugin {
    Wishwell.options = options;
    return WishwellPlugin;
  }

  constructor(
    private connection: TransactionalConnection,
    private sessions: SessionService,
    private wishwell: Wishwell,
  ) {
    WishwellPlugin.running = this;
  }

  /** Returns the id of the customer whose Vendure session the request has, or null. */
  private async customer(request: IncomingMessage & { session?: { token?: string } }) {
    const [, bearer] = /^bearer (.+)$/i.exec(request.headers.authorization ?? '') ?? [];
    const token = request.session?.token ?? bearer;
    const session = token ? await this.sessions.getSessionFromToken(token) : undefined;
    if (!session?.user) return null;
    const where = { user: { id: session.user.id }, deletedAt: IsNull() };
    const customers = this.connection.rawConnection.getRepository(Customer);
    const customer = await customers.findOne({ select: { id: true }, where });
    return customer && this.wishwell.publicId(customer.id);
  }
}
