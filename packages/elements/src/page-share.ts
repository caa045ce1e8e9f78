// The dialog that shares a list. Loaded at the first press of "Share".
import { closing, h, type Child } from './page-dom.js';
import { copyLink, linkOf, liveShare, sharesOf } from './shares.js';
import type { PageElement } from './page-list.js';
import type { List } from './types.js';

/**
 * Opens the dialog to share a list or, without it, the whole wishlist: the choices and a button that
 * creates the link or, once there is one, what it is used for.
 */
export async function shareList(page: PageElement, list: List | undefined): Promise<void> {
  const { say, wishlist } = page;
  const title = list?.name ?? say('title');
  const shares = sharesOf(wishlist, list?.id);
  const found = await page.attempt(() => shares.list());
  if (!found) return;
  let share = liveShare(found);
  let creating = false;
  const content = () => {
    const pattern = page.getAttribute('shared-page') ?? `${wishlist.base}/shared#{token}`;
    return { title, url: linkOf(share!, pattern) };
  };

  /** Stores the terms that the owner has chosen, if they have changed, with the link if there is none. */
  const save = async (within: EventTarget) => {
    const inputs = [...(within as HTMLElement).closest('form')!.querySelectorAll('input')];
    const [name, notes] = inputs.slice(-2);
    const terms = { displayName: name!.value.trim() || null, notes: notes!.checked };
    const { displayName = null, notes: hasNotes } = share ?? {};
    if (terms.displayName === displayName && terms.notes === hasNotes) return;
    await page.attempt(async () => {
      share = share
        ? await shares.update(share.id, terms)
        : await shares.create({ ...terms, reservations: true });
    });
  };
  const create = async (event: Event) => {
    event.preventDefault(); // it would close the dialog
    if (creating) return; // a second press would create a second link
    creating = true;
    const form = (event.currentTarget as HTMLButtonElement).form!;
    await save(form);
    creating = false;
    page.draw();
    form.querySelector<HTMLElement>('.copy')?.focus();
  };
  /** A button that uses the link, and with it the terms. */
  const use = (what: string, text: string, act: (field: HTMLInputElement) => unknown): Child => {
    const onclick = async ({ currentTarget }: Event) => {
      const button = currentTarget as HTMLButtonElement;
      // Before anything is awaited, because browsers allow these only directly after a press.
      const done = act(button.form!.querySelector('input')!);
      await save(button);
      await done;
    };
    return h(what, { onclick, autofocus: what === 'button.primary.copy' }, text);
  };
  const uses = () => [
    h(
      'label.list',
      {},
      h('span.label', {}, say('link')),
      h('input.field.share-link', {
        readOnly: true,
        dir: 'ltr',
        value: content().url,
        onfocus: select,
      }),
    ),
    h(
      'div.row.halves',
      {},
      use('button.primary.copy', say('copyLink'), async (field) => {
        const copied = await copyLink(field);
        page.toast(say(copied ? 'linkCopied' : 'copyFailed'));
      }),
      use('button.plain.email', say('email'), () => open(mail(content()), '_self')),
      navigator.canShare?.(content()) &&
        use('button.plain.system', say('shareMore'), () =>
          navigator.share(content()).catch(() => {}),
        ),
    ),
  ];

  const dialog = await page.sheet(say('shareName', { name: title }), () => [
    ...(share ? uses() : []),
    h(
      'label.list',
      {},
      h('span.label', {}, say('displayName')),
      h('input.field', {
        maxLength: 100,
        autocomplete: 'given-name',
        defaultValue: share?.displayName ?? '',
      }),
      h('span.hint', {}, say('displayNameHint')),
    ),
    h(
      'label.choice',
      {},
      h('input', { type: 'checkbox', defaultChecked: share?.notes }),
      say('shareNotes'),
    ),
    h(
      'div.row',
      {},
      h(
        share ? 'button.danger' : 'button.plain',
        closing(share && 'stop'),
        say(share ? 'stop' : 'cancel'),
      ),
      share
        ? h('button.primary', { type: 'submit', value: 'done' }, say('done'))
        : h(
            'button.primary.create',
            { type: 'submit', onclick: create, autofocus: true },
            say('createLink'),
          ),
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

const mail = ({ title, url }: { title: string; url: string }) =>
  `mailto:?subject=${encodeURIComponent(title)}&body=${encodeURIComponent(url)}`;
