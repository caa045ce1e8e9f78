import { h, type Child } from './page-dom.js';
import { closing } from './page-view.js';
import { copyLink, linkOf, sharesOf } from './shares.js';
import type { PageElement } from './page-list.js';
import type { List, Share } from './types.js';

let opening = false;

/** Returns the newest share that hasn't expired. */
export const liveShare = (shares: Share[]): Share | undefined =>
  shares.find(({ expiresAt }) => !(Date.parse(expiresAt!) < Date.now()));

/** Opens the dialog to share a list or, without it, the whole wishlist. Creates the link if needed. */
export async function shareList(page: PageElement, list: List | undefined): Promise<void> {
  const { say, wishlist } = page;
  const title = list?.name ?? say('title');
  const shares = sharesOf(wishlist, list?.id);
  if (opening) return; // a second press would create a second link
  opening = true;
  const share = await page.attempt(async () => {
    return liveShare(await shares.list()) ?? shares.create({ reservations: true });
  });
  opening = false;
  if (!share) return;
  const pattern = page.getAttribute('shared-page') ?? `${wishlist.base}/shared#{token}`;
  const url = linkOf(share, pattern);
  const content = { title, url };

  /** Stores the terms that the owner has chosen, if they have changed. */
  const save = async (button: EventTarget) => {
    const form = (button as HTMLElement).closest('dialog')!.querySelector('form')!;
    const [, name, notes] = form.querySelectorAll('input');
    const terms = { displayName: name!.value.trim() || null, notes: notes!.checked };
    if (terms.displayName === (share.displayName ?? null) && terms.notes === share.notes) return;
    await page.attempt(async () => Object.assign(share, await shares.update(share.id, terms)));
  };
  /** A button that uses the link, and with it the terms. */
  const use = (what: string, text: string, act: (field: HTMLInputElement) => unknown): Child => {
    const onclick = async ({ currentTarget }: Event) => {
      const button = currentTarget as HTMLElement;
      // Before anything is awaited, because browsers allow these only directly after a press.
      const done = act(button.closest('dialog')!.querySelector('input')!);
      await save(button);
      await done;
    };
    return h(what, { onclick, autofocus: what === 'button.primary.copy' }, text);
  };

  const dialog = await page.sheet(say('shareName', { name: title }), () => [
    h(
      'label.list',
      {},
      h('span.label', {}, say('link')),
      h('input.field.share-link', { readOnly: true, value: url, onfocus: select }),
    ),
    h(
      'div.row.halves',
      {},
      use('button.primary.copy', say('copyLink'), async (field) => {
        const copied = await copyLink(field);
        page.toast(say(copied ? 'linkCopied' : 'copyFailed'));
      }),
      use('button.plain.email', say('email'), () => open(mail(title, url), '_self')),
      navigator.canShare?.(content) &&
        use('button.plain.system', say('shareMore'), () =>
          navigator.share(content).catch(() => {}),
        ),
    ),
    h(
      'label.list',
      {},
      h('span.label', {}, say('displayName')),
      h('input.field', {
        maxLength: 100,
        autocomplete: 'given-name',
        defaultValue: share.displayName ?? '',
      }),
      h('span.hint', {}, say('displayNameHint')),
    ),
    h(
      'label.choice',
      {},
      h('input', { type: 'checkbox', defaultChecked: share.notes }),
      say('shareNotes'),
    ),
    h(
      'div.row',
      {},
      h('button.danger', closing('stop'), say('stop')),
      h('button.primary', { type: 'submit', value: 'done' }, say('done')),
    ),
  ]);
  if (dialog.returnValue === 'done') await save(dialog.querySelector('form')!);
  if (dialog.returnValue !== 'stop') return;
  if (!(await page.ask(`${say('stop')}?`, say('stop'), { text: say('stopText'), grave: true })))
    return;
  await page.attempt(async () => {
    for (const { id } of await shares.list()) await shares.delete(id);
    page.toast(say('stopped'));
  });
}

const select = ({ target }: Event) => (target as HTMLInputElement).select();

const mail = (title: string, url: string) =>
  `mailto:?subject=${encodeURIComponent(title)}&body=${encodeURIComponent(url)}`;
