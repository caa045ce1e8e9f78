import { setTimeout } from 'node:timers/promises';

import { Injectable } from '@nestjs/common';
import { ConfigService, type ID, Logger } from '@vendure/core';

export interface WishwellOptions {
  /** Where the service is: `http://127.0.0.1:8000`. */
  api: string;
  adminToken: string;
  /** A token of `--for storefront --names-customers`. */
  storefrontToken: string;
  /** The address of a product's page, with `{slug}`. */
  productUrl: string;
  /** The address of the asset server, with a slash at the end; without it, products have no image. */
  assetUrl?: string;
  /** The channel whose products and prices count; otherwise the default channel. */
  channelToken?: string;
  /** The storefront's origin, if the server in front of Vendure changes the host. */
  origin?: string;
}

/** Wishwell's API, and the forms in which it takes ids and prices. */
@Injectable()
export class Wishwell {
  static options: WishwellOptions;

  constructor(private config: ConfigService) {}

  /** Throws if sending the same again later may succeed, so that the job is retried. */
  async request(method: string, path: string, body?: object): Promise<Response> {
    const { api, adminToken } = Wishwell.options;
    for (;;) {
      const response = await fetch(`${api}/api/2025-04${path}`, {
        method,
        headers: { Authorization: `Bearer ${adminToken}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(30_000),
      });
      const { ok, status } = response;
      // 409: the store has purchases off.
      if (ok || status === 409 || (method === 'DELETE' && status === 404)) return response;
      const text = await response.text();
      if (status === 400 || status === 413) {
        const start = JSON.stringify(body ?? null).slice(0, 100);
        Logger.error(`${method} ${path} is refused for ${start}: ${text}`, 'Wishwell');
        return response;
      }
      if (status !== 429) throw new Error(`Wishwell, ${method} ${path}: ${status} ${text}`);
      await setTimeout(1000 * Number(response.headers.get('Retry-After') ?? 1));
    }
  }

  /** Returns an id as the Shop API shows it. */
  publicId(id: ID): string {
    return this.config.entityOptions.entityIdStrategy!.encodeId(id as never);
  }

  ownId(publicId: string): ID {
    return this.config.entityOptions.entityIdStrategy!.decodeId(publicId);
  }

  /** Returns undefined for 0, which Vendure also has for a missing price. */
  money(amount: number, currency: string) {
    if (!amount) return undefined;
    const { precision = 2 } = this.config.entityOptions.moneyStrategy;
    const format = new Intl.NumberFormat('en', { style: 'currency', currency });
    const digits = format.resolvedOptions().maximumFractionDigits;
    return { amount: (amount / 10 ** precision).toFixed(digits), currency };
  }
}
