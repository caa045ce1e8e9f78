import { Injectable } from '@nestjs/common';
import {
  ConfigService,
  type ID,
  Product,
  ProductService,
  ProductVariant,
  ProductVariantService,
  RequestContextService,
  TransactionalConnection,
} from '@vendure/core';
import { In, IsNull } from 'typeorm';

import { Wishwell } from './wishwell';

@Injectable()
export class Catalogue {
  constructor(
    private config: ConfigService,
    private connection: TransactionalConnection,
    private contexts: RequestContextService,
    private products: ProductService,
    private variants: ProductVariantService,
    private wishwell: Wishwell,
  ) {}

  async productsOf(variants: ID[]): Promise<string[]> {
    const found = await this.connection.rawConnection
      .getRepository(ProductVariant)
      .find({ select: { productId: true }, where: { id: In(variants) } });
    return found.map(({ productId }) => this.wishwell.publicId(productId));
  }

  /** Returns the ids of all products that Vendure or Wishwell has. */
  async all(): Promise<string[]> {
    const own = await this.connection.rawConnection
      .getRepository(Product)
      .find({ select: { id: true }, where: { deletedAt: IsNull() } });
    const ids = new Set(own.map(({ id }) => this.wishwell.publicId(id)));
    for (let page: string | undefined = ''; page !== undefined;) {
      const query: string = page && `&page=${page}`;
      const answer = await this.wishwell.request('GET', `/products?limit=250${query}`);
      const { data, pageInfo } = (await answer.json()) as {
        data: { productId: string }[];
        pageInfo?: { next?: string };
      };
      data.forEach(({ productId }) => ids.add(productId));
      page = pageInfo?.next;
    }
    return [...ids];
  }

  async send(ids: Iterable<string>): Promise<void> {
    for (const id of ids) {
      // Reads again after sending, because another worker may have sent an older state since.
      for (let sent: string | undefined; ;) {
        const product = await this.read(id);
        const state = JSON.stringify(product ?? null);
        if (state === sent) break;
        await this.wishwell.request(product ? 'PUT' : 'DELETE', `/products/${id}`, product);
        sent = state;
      }
    }
  }

  /** Returns a product as Wishwell takes it, or undefined if the channel doesn't sell it. */
  private async read(id: string) {
    const { channelToken, productUrl } = Wishwell.options;
    const ctx = await this.contexts.create({ apiType: 'admin', channelOrToken: channelToken });
    const product = await this.products.findOne(ctx, this.wishwell.ownId(id), ['featuredAsset']);
    if (!product?.enabled) return undefined;
    const { items } = await this.variants.getVariantsByProductId(
      ctx,
      product.id,
      { take: this.config.apiOptions.adminListQueryLimit, filter: { enabled: { eq: true } } },
      ['options', 'featuredAsset'],
    );
    const variants = await Promise.all(
      items.map(async (variant) => ({
        variantId: this.wishwell.publicId(variant.id),
        title: variant.options.map(({ name }) => name).join(' / ') || undefined,
        image: this.image(variant),
        price: this.wishwell.money(variant.priceWithTax, variant.currencyCode),
        available: (await this.variants.getSaleableStockLevel(ctx, variant)) > 0,
      })),
    );
    const prices = variants.map(({ price }) => price);
    return {
      title: product.name,
      url: productUrl.replace('{slug}', encodeURIComponent(product.slug)),
      image: this.image(product),
      // None if a variant has none, because it would apply to that variant.
      price: prices.includes(undefined)
        ? undefined
        : prices.sort((one, other) => Number(one!.amount) - Number(other!.amount))[0],
      available: variants.some(({ available }) => available),
      variants,
    };
  }

  private image({ featuredAsset }: Product | ProductVariant): string | undefined {
    const { assetUrl } = Wishwell.options;
    return assetUrl && featuredAsset ? new URL(featuredAsset.preview, assetUrl).href : undefined;
  }
}
