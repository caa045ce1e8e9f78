import { Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import {
  EventBus,
  type ID,
  type JobQueue,
  JobQueueService,
  OrderEvent,
  OrderLineEvent,
  OrderStateTransitionEvent,
  type Product,
  ProductChannelEvent,
  ProductEvent,
  ProductVariantChannelEvent,
  ProductVariantEvent,
  RefundStateTransitionEvent,
  type RequestContext,
  StockMovementEvent,
  type Type,
  type VendureEvent,
} from '@vendure/core';

import { Catalogue } from './catalogue';
import { Orders, UNPAID } from './orders';
import { Wishwell } from './wishwell';

/** More than a day of retries, a second apart unless the queue's `backoffStrategy` says otherwise. */
const RETRIES = 100_000;
const BATCH_SIZE = 50;

/** Ids to send. Products have Wishwell's ids, because Vendure may have none of them any more. */
type Work = { products?: string[]; variants?: ID[]; orders?: ID[]; everything?: boolean };

/** A queue of what has changed. A job names the record; its state is read when the job runs. */
@Injectable()
export class Jobs implements OnModuleInit, OnApplicationBootstrap {
  private queue: JobQueue<Work>;

  constructor(
    private service: JobQueueService,
    private events: EventBus,
    private catalogue: Catalogue,
    private orders: Orders,
    private wishwell: Wishwell,
  ) {}

  async onModuleInit() {
    this.queue = await this.service.createQueue({
      name: 'wishwell',
      process: (job) => this.run(job.data),
    });
  }

  onApplicationBootstrap() {
    const changed = ({ id }: Product) => ({ products: [this.wishwell.publicId(id)] });
    this.on(ProductEvent, ({ entity }) => changed(entity));
    this.on(ProductChannelEvent, ({ product }) => changed(product));
    this.on(ProductVariantEvent, ({ entity }) => ({ variants: entity.map(({ id }) => id) }));
    this.on(ProductVariantChannelEvent, ({ productVariant: { id } }) => ({ variants: [id] }));
    this.on(StockMovementEvent, ({ stockMovements }) => ({
      variants: stockMovements.map((movement) => movement.productVariant.id),
    }));
    this.on(RefundStateTransitionEvent, ({ order }) => ({ orders: [order.id] }));
    this.on(OrderStateTransitionEvent, ({ order, toState }) =>
      UNPAID.includes(toState) ? undefined : { orders: [order.id] },
    );
    // Carts change often, and aren't orders yet.
    this.on<OrderEvent | OrderLineEvent>([OrderEvent, OrderLineEvent], ({ order }) =>
      order.active ? undefined : { orders: [order.id] },
    );
  }

  async add(work: Work, ctx?: RequestContext): Promise<void> {
    await this.queue.add(work, { retries: RETRIES, ctx });
  }

  /** Adds the job in the transaction that makes the change, so that neither exists alone. */
  private on<E extends VendureEvent & { ctx: RequestContext }>(
    event: Type<E> | Type<E>[],
    workOf: (event: E) => Work | undefined,
  ) {
    this.events.registerBlockingEventHandler({
      event,
      id: 'wishwell',
      handler: async (event) => {
        const work = workOf(event);
        if (work) await this.add(work, event.ctx);
      },
    });
  }

  private async run({ products = [], variants = [], orders = [], everything }: Work) {
    const changed = [...products, ...(await this.catalogue.productsOf(variants))];
    await this.catalogue.send(new Set(changed));
    await this.orders.send(orders);
    if (!everything) return;
    for (const batch of batches(await this.catalogue.all())) await this.add({ products: batch });
    for (const batch of batches(await this.orders.recent())) await this.add({ orders: batch });
  }
}

function* batches<T>(all: T[]) {
  for (let at = 0; at < all.length; at += BATCH_SIZE) yield all.slice(at, at + BATCH_SIZE);
}
