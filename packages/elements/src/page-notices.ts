import { h, type Child } from './page-dom.js';
import type { components } from './api.js';
import type { PageElement } from './page-list.js';
import type { Item } from './types.js';

type Profile = components['schemas']['Profile'];

/** The box that turns notices on, and the e-mail address that they are sent to. */
export class Notices {
  #profile: Profile | undefined;

  constructor(readonly page: PageElement) {}

  show(profile: Profile) {
    this.#profile = profile;
  }

  /** Whether earlier prices are struck through. */
  get reduces(): boolean {
    return !!this.#profile?.showReductions;
  }

  /** Returns the box and, if it is used, the address; nothing where the shop sends no notices. */
  choice(): Child[] {
    const { noticesBy, notified } = this.#profile!;
    const onchange = ({ target }: Event) => this.#change(target as HTMLInputElement);
    const box = h('input', { type: 'checkbox', checked: !!notified, onchange });
    return [
      noticesBy !== 'none' && h('label.choice.notices', {}, box, this.page.say('notices')),
      this.address(false) || this.address(true),
    ];
  }

  /** Returns what a sold-out item has in place of "Add to cart": an offer to turn notices on. */
  offer({ product }: Item): Child {
    const { say } = this.page;
    const { noticesBy = 'none', notified } = this.#profile!;
    if (product?.available !== false || product.deleted || noticesBy === 'none') return false;
    const onclick = () => this.#change({ checked: true });
    return notified
      ? h('p.wanted', {}, say('willTell'))
      : h('button.plain.tell', { onclick }, say('tell'));
  }

  /** Returns a line about the address: that it waits for its owner, or else how to remove it. */
  address(waits: boolean): Child {
    const { say } = this.page;
    const { noticesBy, notified, emailStatus, emailConfirmedAt, email = '' } = this.#profile ?? {};
    const isPending = emailStatus === 'pending' && noticesBy === 'address_needed';
    if (isPending !== waits || (!isPending && emailStatus !== 'confirmed')) return false;
    // It was confirmed on this device before the sign-in, so that no mail waits for its owner.
    const isMoved = isPending && emailConfirmedAt;
    const isUsed = notified && noticesBy === 'mail';
    const name = isMoved ? 'mailOwn' : isPending ? 'mailWaits' : isUsed && 'mailTo';
    const press = (onclick: () => void, label: 'mailYes' | 'mailAgain' | 'mailRemove') =>
      h('button.plain', { onclick }, say(label));
    return h(
      'div.notice.address',
      {},
      name ? say(name, { email }) : `${say('email')}: ${email}`,
      isMoved && press(() => this.#choose(true), 'mailYes'),
      isPending && !isMoved ? press(this.#ask, 'mailAgain') : press(this.#remove, 'mailRemove'),
    );
  }

  async #change(box: { checked: boolean }): Promise<unknown> {
    const { noticesBy, emailStatus, email = '', kind } = this.#profile!;
    const { page } = this;
    if (!box.checked || noticesBy === 'mail' || noticesBy === 'webhook') {
      return this.#choose(box.checked);
    }
    box.checked = false;
    if (noticesBy === 'sign_in_needed') return page.toast(page.say('signIn'));
    // The address came from this device before the sign-in, so its owner may be somebody else.
    if (emailStatus === 'pending' && kind === 'customer') {
      const title = page.say('mailOwn', { email });
      if (await page.ask(title, page.say('mailYes'), {})) {
        await this.#choose(true);
        if (this.#profile!.noticesBy === 'mail') return undefined;
      }
    }
    return this.#ask();
  }

  readonly #ask = async () => {
    const { say } = this.page;
    const field = { ariaLabel: say('email'), type: 'email', autocomplete: 'email', maxLength: 254 };
    const email = await this.page.ask(say('mailAsk'), say('mailSend'), { field });
    if (!email) return;
    const body = { email, notices: true, language: this.page.locale };
    await this.page.attempt(async () => {
      await this.page.wishlist.call('POST', 'profiles/identify', { body });
      this.page.toast(say('mailSent'));
    });
  };

  readonly #choose = (notices: boolean) =>
    this.page.attempt(async () => {
      const { wishlist } = this.page;
      const answer = await wishlist.call<{ data: Profile }>('PATCH', 'profile', {
        body: { notices },
      });
      this.show(answer.data);
      this.page.draw();
    });

  readonly #remove = () =>
    this.page.attempt(() => this.page.wishlist.call('DELETE', 'profile/email'));
}
