const EDGE = 70; // pixels at the window's edges that scroll while dragging
const SPEED = 12; // pixels a frame

/**
 * Drags a card in its grid with the pointer; then calls `done`, which is told whether the card is in
 * another place. Escape, or what takes the pointer away, puts it back.
 */
export function drag(event: PointerEvent, card: HTMLElement, done: (moved: boolean) => void): void {
  const grid = card.parentElement!;
  const root = card.getRootNode() as ShadowRoot;
  event.preventDefault();
  const [old, box] = [card.nextSibling, card.getBoundingClientRect()];
  const grab = { x: event.clientX - box.left, y: event.clientY - box.top };
  let { clientX: x, clientY: y } = event;
  const ended = new AbortController();
  const { signal } = ended;
  card.classList.add('dragged');
  // The grid has the pointer, as a card that is moved would lose it.
  grid.setPointerCapture(event.pointerId);

  const follow = () => {
    const over = root.elementFromPoint(x, y)?.closest('.card');
    if (over && over !== card) {
      const later = card.compareDocumentPosition(over) & Node.DOCUMENT_POSITION_FOLLOWING;
      over[later ? 'after' : 'before'](card);
    }
    card.style.translate = '';
    const { left, top } = card.getBoundingClientRect();
    card.style.translate = `${x - grab.x - left}px ${y - grab.y - top}px`;
  };
  const scroll = () => {
    if (signal.aborted) return;
    const step = y < EDGE ? -SPEED : y > innerHeight - EDGE ? SPEED : 0;
    scrollBy(0, step);
    if (step) follow();
    requestAnimationFrame(scroll);
  };
  const end = (back: boolean) => {
    ended.abort();
    card.classList.remove('dragged');
    card.style.translate = '';
    if (back) grid.insertBefore(card, old);
    done(card.nextSibling !== old);
  };
  const move = (moved: PointerEvent) => {
    ({ clientX: x, clientY: y } = moved);
    follow();
  };
  const escape = ({ key }: KeyboardEvent) => key === 'Escape' && end(true);
  grid.addEventListener('pointermove', move, { signal });
  grid.addEventListener('pointerup', () => end(false), { signal });
  grid.addEventListener('lostpointercapture', () => end(true), { signal });
  addEventListener('keydown', escape, { signal });
  scroll();
}
