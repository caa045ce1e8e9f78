// A small virtual DOM. It never parses markup in strings, so that nothing in them can run (XSS).

/** A virtual element. With a `key`, its DOM node is kept when it moves among its siblings. */
export interface Wanted {
  what: string;
  props: Record<string, unknown>;
  children: Child[];
}
export type Child = Wanted | Node | string | 0 | false | null | undefined;

/** Returns a virtual element. `what` such as `button.add` sets the class and the part `add`. */
export function h(what: string, props: Wanted['props'] = {}, ...children: Child[]): Wanted {
  return { what, props, children };
}

const kinds = new WeakMap<Node, string>();

/** Makes `children` the children of the node. Reuses existing nodes, so they keep the focus. */
export function draw(parent: Node, children: Child[]): void {
  const old = [...parent.childNodes];
  const nodes = children.flatMap((child) => {
    if (!child) return [];
    if (child instanceof Node) return [child];
    const kind = typeof child === 'string' ? '' : `${child.what} ${child.props.key ?? ''}`;
    const at = old.findIndex((node) => kinds.get(node) === kind);
    const node = at < 0 ? make(kind) : old.splice(at, 1)[0]!;
    if (typeof child !== 'string') fill(node, child, at < 0);
    else if (node.nodeValue !== child) node.nodeValue = child;
    return [node];
  });
  // Nodes that others have added stay, such as messages.
  for (const node of old) {
    if (kinds.has(node) && !nodes.includes(node) && node.parentNode === parent)
      (node as ChildNode).remove();
  }
  let place = parent.firstChild;
  for (const node of nodes) {
    if (node === place) place = place.nextSibling;
    else parent.insertBefore(node, place);
  }
}

function make(kind: string): Node {
  const [what = '', key] = kind.split(/ (.*)/s);
  const [tag, ...names] = what.split('.') as [string, ...string[]];
  const node = !tag ? new Text() : tag === 'svg' ? svg(key!) : document.createElement(tag);
  kinds.set(node, kind);
  if (node instanceof HTMLElement) {
    node.className = names.join(' ');
    node.part.add(...names);
  }
  if (node instanceof HTMLButtonElement) node.type = 'button';
  return node;
}

function fill(node: Node, { props, children }: Wanted, fresh: boolean) {
  if (node instanceof SVGElement) return;
  const now = node as unknown as Wanted['props'];
  for (const name in props) if (fresh || now[name] !== props[name]) now[name] = props[name];
  draw(node, children);
}

export const ICONS = {
  close: 'M6 6l12 12M18 6 6 18',
  grip: 'M9 6h.01M15 6h.01M9 12h.01M15 12h.01M9 18h.01M15 18h.01',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  picture: 'M4 5h16v14H4zM4 16l5-5 5 5 2-2 4 4M15.5 9h.01',
  plus: 'M12 6v12M6 12h12',
  share: 'M12 15V4M8 7.5 12 4l4 3.5M6 12v7h12v-7',
};

export const icon = (path: string): Wanted => h('svg', { key: path });

function svg(path: string): SVGElement {
  const [svg, line] = ['svg', 'path'].map((tag) =>
    document.createElementNS('http://www.w3.org/2000/svg', tag),
  ) as [SVGElement, SVGElement];
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.ariaHidden = 'true';
  line.setAttribute('d', path);
  svg.append(line);
  return svg;
}

/** Returns properties of a button that closes its dialog with an answer. */
export const closing = (answer?: string) => ({
  onclick: (event: Event) => (event.currentTarget as Element).closest('dialog')!.close(answer),
});

/**
 * Returns declarations for surfaces on a page without `color-scheme`: its own background and text
 * colour, and the scheme that fits them. On others, the surfaces' colours follow the scheme.
 */
export function coloursOf(element: Element): string {
  const style = getComputedStyle(element);
  if (style.colorScheme !== 'normal') return '';
  let node: Element | null = element;
  let colour = '';
  while (node && !colour) {
    const { backgroundColor } = getComputedStyle(node);
    // Opaque colours have neither the function `rgba` nor an alpha value.
    if (!/^rgba|\//.test(backgroundColor)) colour = backgroundColor;
    node = node.parentElement ?? ((node.getRootNode() as ShadowRoot).host || null);
  }
  if (!colour) return '';
  const [kind, ...parts] = colour.split(/[\s(,)]+/);
  const [first = 0, ...others] = parts.map(Number).filter((part) => !isNaN(part));
  const light = /^(rgb|color)$/.test(kind!)
    ? (first * 2 + others[0]! * 7 + others[1]!) / (kind === 'rgb' ? 2550 : 10)
    : first / (kind!.startsWith('ok') ? 1 : 100);
  const scheme = light < 0.5 ? 'dark' : 'light';
  return `color-scheme:${scheme};--_page:${colour};--_text:${style.color};`;
}

/** Returns the absolute URL if it is http(s), else undefined: a `javascript:` URL must not run. */
export function safe(address: string | undefined): string | undefined {
  if (!address || !URL.canParse(address, document.baseURI)) return undefined;
  const { href, protocol } = new URL(address, document.baseURI);
  return /^https?:$/.test(protocol) ? href : undefined;
}
