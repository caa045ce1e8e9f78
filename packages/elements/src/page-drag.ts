const EDGE = 70; // pixels from the window's edges within which dragging scrolls
const SPEED = 12; // pixels scrolled per frame

/**
 * Drags a card within its grid by pointer, then calls `done` with whether the card has moved.
 * Escape or losing the pointer capture puts the card back.
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
  // The grid captures the pointer, because a card that is moved in the DOM would lose it.
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
