import { Injectable } from '@nestjs/common';
import {
  type ID,
  idsAreEqual,
  Order,
  type OrderLine,
  type Refund,
  TransactionalConnection,
} from '@vendure/core';
import { In, MoreThan } from 'typeorm';

import { Wishwell } from './wishwell';

/** States of an order that nobody has paid yet. */
export const UNPAID = ['Created', 'Draft', 'AddingItems', 'ArrangingPayment', 'PaymentAuthorized'];
const RECENT_MS = 30 * 86_400_000;

@Injectable()
export class Orders {
  constructor(
    private connection: TransactionalConnection,
    private wishwell: Wishwell,
  ) {}

  /** Returns the ids of the orders that were placed or changed in the last 30 days. */
  async recent(): Promise<ID[]> {
    const since = MoreThan(new Date(Date.now() - RECENT_MS));
    const found = await this.connection.rawConnection.getRepository(Order).find({
      select: { id: true },
      where: [{ orderPlacedAt: since }, { active: false, updatedAt: since }],
    });
    return found.map(({ id }) => id);
  }

  async send(ids: ID[]): Promise<void> {
    if (!ids.length) return;
    // Taken before the orders are read, so that a later version has a later time.
    const updatedAt = new Date().toISOString();
    const found = await this.connection.rawConnection.getRepository(Order).find({
      where: { id: In(ids) },
      relations: ['customer', 'lines', 'lines.productVariant', 'payments.refunds.lines'],
    });
    for (const order of found) {
      if (!order.customer || !order.orderPlacedAt || UNPAID.includes(order.state)) continue;
      if (order.aggregateOrderId) continue; // A seller's part of an order that is sent as a whole.
      const orders = [{ ...this.version(order), updatedAt }];
      await this.wishwell.request('PUT', '/orders', { orders });
    }
  }

  private version(order: Order) {
    const refunds = order.payments
      .flatMap((payment) => payment.refunds)
      .filter(({ state }) => state === 'Settled');
    const lines = order.lines.flatMap((line) => this.line(line, refunds, order.currencyCode));
    const repaid = refunds.reduce((sum, { total }) => sum + total, 0);
    const paid = order.payments.reduce(
      (sum, { amount, state }) => sum + (state === 'Settled' ? amount : 0),
      0,
    );
    const ended = order.state === 'Cancelled' || !lines.length || (paid && repaid >= paid);
    return {
      orderId: this.wishwell.publicId(order.id),
      profile: `gid://vendure/Customer/${this.wishwell.publicId(order.customer!.id)}`,
      placedAt: order.orderPlacedAt!.toISOString(),
      status: ended ? 'cancelled' : 'paid',
      lines: ended ? [] : lines,
    };
  }

  /** Returns what the customer keeps of a line, at the price paid per unit, or nothing. */
  private line(line: OrderLine, refunds: Refund[], currency: string) {
    const refunded = refunds
      .flatMap((refund) => refund.lines)
      .filter(({ orderLineId }) => idsAreEqual(orderLineId, line.id))
      .reduce((sum, { quantity }) => sum + quantity, 0);
    // A unit may be both cancelled and refunded; a cancelled one has left the line's quantity.
    const ordered = Math.max(line.orderPlacedQuantity, line.quantity);
    const quantity = Math.min(line.quantity, ordered - refunded);
    if (quantity < 1) return [];
    return [
      {
        productId: this.wishwell.publicId(line.productVariant.productId),
        variantId: this.wishwell.publicId(line.productVariant.id),
        quantity,
        unitPrice: this.wishwell.money(line.proratedUnitPriceWithTax, currency),
      },
    ];
  }
}
