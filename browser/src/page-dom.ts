// Small means to make elements. No markup in a string is ever read, so nothing in it can run.
export type Child = Node | string | false | null | undefined;

/** An element with properties and children; `button.add` has the class and the part `add`. */
export function h<T extends keyof HTMLElementTagNameMap>(
  what: T | `${T}.${string}`,
  ...given: (Child | object)[]
): HTMLElementTagNameMap[T] {
  const [tag, ...names] = what.split('.') as [T, ...string[]];
  const node = document.createElement(tag);
  node.className = names.join(' ');
  node.part.add(...names);
  if (node instanceof HTMLButtonElement) node.type = 'button';
  for (const it of given) {
    if (typeof it === 'string' || it instanceof Node) node.append(it);
    else if (it) Object.assign(node, it);
  }
  return node;
}

export const ICONS = {
  close: 'M6 6l12 12M18 6 6 18',
  grip: 'M9 6h.01M15 6h.01M9 12h.01M15 12h.01M9 18h.01M15 18h.01',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  picture: 'M4 5h16v14H4zM4 16l5-5 5 5 2-2 4 4M15.5 9h.01',
  plus: 'M12 6v12M6 12h12',
  share: 'M12 15V4M8 7.5 12 4l4 3.5M6 12v7h12v-7',
};

export function icon(path: string): SVGElement {
  const [svg, line] = ['svg', 'path'].map((tag) =>
    document.createElementNS('http://www.w3.org/2000/svg', tag),
  ) as [SVGElement, SVGElement];
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.ariaHidden = 'true';
  line.setAttribute('d', path);
  svg.append(line);
  return svg;
}

/** The absolute address, if it is one of these protocols: a `javascript:` one must not run. */
export function safe(address: string | undefined, protocols = /^https?:$/): string | undefined {
  if (!address || !URL.canParse(address, document.baseURI)) return undefined;
  const { href, protocol } = new URL(address, document.baseURI);
  return protocols.test(protocol) ? href : undefined;
}
