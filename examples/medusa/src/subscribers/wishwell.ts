import type { SubscriberArgs, SubscriberConfig } from '@medusajs/framework';
import { ContainerRegistrationKeys } from '@medusajs/framework/utils';

import { attempt } from '../lib/missing';
import { tell } from '../lib/wishwell';

/** In which entity, by which field, the next id is found. */
type Step = [entity: string, by: string, next: string];

const ofVariant: Step[] = [['variant', 'id', 'product_id']];
const ofStock: Step[] = [
  ['product_variant_inventory_item', 'inventory_item_id', 'variant_id'],
  ...ofVariant,
];
const ofPrice: Step[] = [['product_variant_price_set', 'price_set_id', 'variant_id'], ...ofVariant];

/** From what an event is about to the products that it changes. */
const WAYS: Record<string, Step[]> = {
  product: [],
  'product-variant': ofVariant,
  'inventory-level': [['inventory_level', 'id', 'inventory_item_id'], ...ofStock],
  'reservation-item': [['reservation', 'id', 'inventory_item_id'], ...ofStock],
  'pricing.price': [['price', 'id', 'price_set_id'], ...ofPrice],
  'pricing.price-list': [['price', 'price_list_id', 'price_set_id'], ...ofPrice],
};

type Changed = SubscriberArgs<{ id: string | string[] }>;

export default (args: Changed) => attempt(() => changed(args));

async function changed({ event, container }: Changed): Promise<void> {
  const query = container.resolve(ContainerRegistrationKeys.QUERY);
  let ids = [event.data.id].flat();
  for (const [entity, by, next] of WAYS[event.name.slice(0, event.name.lastIndexOf('.'))]) {
    const { data } = await query.graph({
      entity,
      fields: [next],
      filters: { [by]: ids },
      withDeleted: true,
    });
    ids = [...new Set(data.map((row) => row[next]))];
  }
  await tell(container, ids);
}

export const config: SubscriberConfig = {
  event: Object.keys(WAYS).flatMap((what) =>
    ['created', 'updated', 'deleted'].map((how) => `${what}.${how}`),
  ),
};
