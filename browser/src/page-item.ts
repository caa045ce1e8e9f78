import type { Card } from './page-card.js';
import { h, icon, ICONS, type Child } from './page-dom.js';
import type { Say } from './page-text.js';
import type { Item, ItemPatch, List } from './types.js';
import type { Wishlist } from './wishlist.js';

/** What the dialog needs of the page. */
export interface Editor {
  readonly say: Say;
  readonly wishlist: Wishlist;
  readonly lists: List[];
  dialog(title: string, ...content: Child[]): HTMLDialogElement;
  attempt<T>(work: () => Promise<T>): Promise<T | undefined>;
  newList(item: Item): Promise<List | undefined>;
  put(item: Item, list: string): Promise<void>;
  takeOff(item: Item, list: string): Promise<void>;
  takeAway(card: Card<Item>): void;
  /** Whether it can be moved earlier and later; undefined where the shopper has no order. */
  steps(card: Card<Item>): { earlier: boolean; later: boolean } | undefined;
  move(card: Card<Item>, step: 1 | -1): void;
}

/** All that a shopper may do with an item beside the one main thing. */
export function editItem(page: Editor, card: Card<Item>): void {
  const { say, wishlist } = page;
  const { item, name } = card;
  let removed = false;

  const quantity = h('input.field.quantity', {
    ...{ type: 'number', min: 1, max: 1_000_000, required: true, inputMode: 'numeric' },
    value: item.quantity,
  });
  const note = h('textarea.field', { maxLength: 500, textContent: item.note ?? '' });

  const choices = h('fieldset.choices', h('legend.label', say('onLists')));
  const choice = ({ id, name }: List, checked: boolean) => {
    const box = h('input', { type: 'checkbox', checked });
    box.onchange = async () => {
      const done = await page.attempt(async () => {
        await (box.checked ? page.put(card.item, id) : page.takeOff(card.item, id));
        return true;
      });
      if (!done) box.checked = !box.checked;
    };
    return h('label.choice', box, name);
  };
  const add = async () => {
    const list = await page.newList(card.item);
    if (list) plus.before(choice(list, true));
  };
  const plus = h('button.plain', { onclick: add }, icon(ICONS.plus), say('newList'));
  choices.append(...page.lists.map((list) => choice(list, item.listIds.includes(list.id))), plus);

  const move = (by: 1 | -1) => {
    page.move(card, by);
    const steps = page.steps(card)!;
    earlier.disabled = !steps.earlier;
    later.disabled = !steps.later;
    // A button that is disabled loses the focus.
    if (by < 0 ? earlier.disabled : later.disabled) (by < 0 ? later : earlier).focus();
  };
  const steps = page.steps(card);
  const earlier = h(
    'button.plain',
    { onclick: () => move(-1), disabled: !steps?.earlier },
    say('earlier'),
  );
  const later = h(
    'button.plain',
    { onclick: () => move(1), disabled: !steps?.later },
    say('later'),
  );
  const remove = () => {
    removed = true;
    dialog.close();
    page.takeAway(card);
  };
  const dialog = page.dialog(
    name,
    h('label.row', h('span.label', say('quantity')), quantity),
    h('label.list', h('span.label', say('note')), note),
    choices,
    steps && h('div.row.halves', earlier, later),
    h(
      'div.row',
      h('button.danger', { onclick: remove }, say('remove')),
      h('button.primary', { onclick: () => dialog.close() }, say('done')),
    ),
  );
  dialog.addEventListener('close', () => {
    const patch: ItemPatch = {};
    if (quantity.checkValidity() && +quantity.value !== item.quantity)
      patch.quantity = +quantity.value;
    // Of control characters, a note may have line breaks alone.
    if (note.value !== note.defaultValue)
      patch.note = note.value.replace(/[^\P{Cc}\n]/gu, ' ').trim() || null;
    if (!removed && Object.keys(patch).length)
      page.attempt(() => wishlist.items.update(item.id, patch));
  });
}
