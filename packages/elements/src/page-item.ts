import { nameOf } from './page-card.js';
import { closing, h, icon, ICONS } from './page-dom.js';
import type { PageElement } from './page-list.js';
import type { Item, ItemPatch, List } from './types.js';

const MOST = 1_000_000; // pieces of a product

/** Opens the dialog to edit an item: quantity, note, lists, order, removal. */
export async function editItem(page: PageElement, given: Item): Promise<void> {
  const { say } = page;
  let item = given;

  const choice = ({ id, name }: List) => {
    const onchange = ({ target }: Event) => {
      const { checked } = target as HTMLInputElement;
      page.attempt(() => (checked ? page.put(item, id) : page.takeOff(item, id)));
    };
    const box = h('input', { type: 'checkbox', checked: item.listIds.includes(id), onchange });
    return h('label.choice', { key: id }, box, name);
  };
  const step = (by: 1 | -1) => {
    const to = page.items!.indexOf(item) + by;
    const disabled = !page.items?.[to];
    const onclick = () => page.place(item, to);
    return h('button.plain', { key: by, disabled, onclick }, say(by < 0 ? 'earlier' : 'later'));
  };

  const invalid = ({ target }: Event) =>
    (target as HTMLInputElement).setCustomValidity(say('quantityRule', { max: MOST }));
  const oninput = ({ target }: Event) => (target as HTMLInputElement).setCustomValidity('');
  const number = { type: 'number', min: '1', max: `${MOST}`, required: true, inputMode: 'numeric' };
  const defaultValue = `${item.quantity}`;
  const quantity = { ...number, name: 'quantity', defaultValue, oninvalid: invalid, oninput };
  const dialog = await page.sheet(nameOf(item, page), () => {
    item = page.items?.find(({ id }) => id === given.id) ?? item;
    return [
      h('label.row', {}, h('span.label', {}, say('quantity')), h('input.field.quantity', quantity)),
      h(
        'label.list',
        {},
        h('span.label', {}, say('note')),
        h('textarea.field', { name: 'note', maxLength: 500 }, given.note),
        h('span.hint', {}, say('noteHint')),
      ),
      h(
        'fieldset.choices',
        {},
        h('legend.label', {}, say('onLists')),
        ...page.lists.map(choice),
        h(
          'button.plain',
          { onclick: () => page.newList(({ id }) => page.put(item, id)) },
          icon(ICONS.plus),
          say('newList'),
        ),
      ),
      page.movable && h('div.row.halves', {}, step(-1), step(1)),
      h(
        'div.row',
        {},
        h('button.danger', closing('remove'), say('remove')),
        h('button.primary', { type: 'submit', value: 'done' }, say('done')),
      ),
    ];
  });

  if (dialog.returnValue === 'remove') return page.takeAway([item]);
  if (!dialog.returnValue) return; // Escape and × discard what was typed
  const [count] = dialog.querySelectorAll('input');
  const note = dialog.querySelector('textarea')!;
  const patch: ItemPatch = {};
  if (+count!.value !== given.quantity) patch.quantity = +count!.value;
  // Line breaks are the only control characters that a note may contain.
  if (note.value !== note.defaultValue)
    patch.note = note.value.replace(/[^\P{Cc}\n]/gu, ' ').trim() || null;
  if (Object.keys(patch).length)
    await page.attempt(() => page.wishlist.items.update(given.id, patch));
}
