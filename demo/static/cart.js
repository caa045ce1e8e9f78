// Script of the cart page, which has no checkout.
import { cart, copy, find, look, offer } from '/static/shop.js';

const rows = find('#items');

function draw() {
  const lines = cart.lines();
  let total = 0;
  const drawn = lines.map((line) => {
    const row = copy(find('#row'));
    const { name, price } = look(line, find('.what', row));
    total += price * line.quantity;
    find('.times', row).textContent = `× ${line.quantity}`;
    const remove = find('.remove', row);
    remove.setAttribute('aria-label', `Remove ${name}`);
    remove.onclick = () => {
      find('#heading').focus();
      cart.put({ ...line, quantity: -line.quantity });
      offer(`Removed ${name}`, { Undo: () => cart.put(line) });
    };
    return row;
  });
  rows.replaceChildren(...drawn);
  find('#nothing').hidden = lines.length;
  find('#total').textContent = lines.length ? `Total: €${total}.00. This shop has no checkout.` : '';
}

document.addEventListener('cart', draw);
find('#cart').hidden = false;
draw();
