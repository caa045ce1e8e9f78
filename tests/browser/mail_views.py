"""Checks of how a mail, or a page that a mail links to, is shown."""

from collections.abc import Iterator
from typing import Literal

from playwright.sync_api import Page

WIDTHS = (360, 640)
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")

FAULTS = """() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgba = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const luminance = (color) => {
    const [r, g, b] = rgba(color).map((n) => (n / 255 <= 0.04045 ? n / 255 / 12.92 : ((n / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const backdrop = (part) => {
    for (; part; part = part.parentElement) {
      const { backgroundColor } = getComputedStyle(part);
      if (rgba(backgroundColor)[3] === 255) return backgroundColor;
    }
    const probe = document.body.appendChild(document.createElement('div'));
    probe.style.background = 'Canvas';
    const { backgroundColor } = getComputedStyle(probe);
    probe.remove();
    return backgroundColor;
  };
  const faults = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const part = walker.currentNode.parentElement, text = walker.currentNode.data.trim();
    if (!text || !part.checkVisibility()) continue;
    const [low, high] = [luminance(getComputedStyle(part).color), luminance(backdrop(part))].sort((a, b) => a - b);
    if ((high + 0.05) / (low + 0.05) < 4.5) faults.push(`contrast of ${text}`);
    const range = document.createRange();
    range.selectNodeContents(walker.currentNode);
    if (range.getBoundingClientRect().right > innerWidth) faults.push(`overflow of ${text}`);
  }
  if (document.documentElement.scrollWidth > innerWidth) faults.push('horizontal scrolling');
  const blocks = [...document.querySelectorAll('.card > *, main > *, form > *')];
  for (const block of blocks) {
    const after = block.nextElementSibling;
    if (after && after.getBoundingClientRect().top < block.getBoundingClientRect().bottom) faults.push(`columns: ${after.innerText}`);
  }
  for (const part of document.querySelectorAll('a:not([aria-hidden]), button'))
    if (part.matches('.card table table a, .button a, button') && part.getBoundingClientRect().height < 40) faults.push(`small: ${part.innerText}`);
  if (!blocks.length) faults.push('nothing is shown');
  return faults;
}"""


def faults(page: Page) -> Iterator[str]:
    """Yields what is wrong with the page, at each width and in each colour scheme."""
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            for fault in page.evaluate(FAULTS):
                yield f"{width} px, {scheme}: {fault}"
