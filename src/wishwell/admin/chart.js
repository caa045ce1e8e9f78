// A chart by day that says its numbers: on hover, by the arrow keys, to a screen reader, and as a table.
import { html, render } from './lit-html.js';
import { NAMES, counted, dayName, dayShort, number, table } from './parts.js';

const STEPS = Array.from({ length: 30 }, (_, n) => [1, 2, 5][n % 3] * 10 ** Math.floor(n / 3));
const COLUMNS = ['wishes', 'added', 'removed'];
const line = (row) => html`<tr><th scope="row">${dayName(row.day)}</th>
  ${COLUMNS.map((name) => html`<td class="number">${number(row[name])}</td>`)}</tr>`;
const dark = matchMedia('(prefers-color-scheme: dark)');

/** `days`: rows of the report; `metric`: the column that is drawn, called `name`. */
class DaysChart extends HTMLElement {
  connectedCallback() {
    this.watch = new ResizeObserver(() => this.plot?.setSize(this.size()));
    this.watch.observe(this);
    this.recolour = () => this.draw();
    dark.addEventListener('change', this.recolour);
    this.draw(); // its colours are known from now on
  }

  disconnectedCallback() {
    this.watch.disconnect();
    dark.removeEventListener('change', this.recolour);
    this.plot?.destroy();
  }

  set data({ days, metric, name }) {
    if (this.days === days && this.metric === metric) return;
    Object.assign(this, { days, metric, name, at: days.length - 1 });
    if (this.isConnected) this.draw();
  }

  size() {
    return { width: this.clientWidth || 600, height: this.clientWidth < 500 ? 180 : 240 };
  }

  /** What a day's number is, in words. */
  words(at) {
    const row = this.days[at];
    return `${dayName(row.day)}: ${counted(row[this.metric], this.metric === 'wishes' ? 'wish' : this.metric, this.metric)}`;
  }

  draw() {
    this.plot?.destroy();
    render(
      html`<div class="plot" role="slider" tabindex="0" aria-label="${this.name} by day" aria-valuemin="0"
          @keydown=${this.step} @focus=${() => this.show(this.at)} @blur=${() => this.show(-1)}></div>
        <div class="tip" hidden></div>
        <details><summary>As a table</summary>
          ${table(`${this.name} by day`, ['Day', ...COLUMNS.map((name) => [NAMES[name], 'number'])], this.days.toReversed().map(line))}
        </details>`,
      this,
    );
    this.place = this.querySelector('.plot');
    const [ink, accent] = [this, this.place].map((element) => getComputedStyle(element).color);
    const faint = (colour) => colour.replace('rgb', 'rgba').replace(')', ', .15)');
    const grid = { stroke: faint(ink), width: 1 };
    const axis = { stroke: ink, font: '12px system-ui, sans-serif', grid, ticks: { show: false } };
    const form = this.metric === 'wishes' ? { width: 2 } : { paths: uPlot.paths.bars({ size: [0.7, 40] }) };
    this.plot = new uPlot(
      {
        ...this.size(),
        padding: [8, 24, 0, 0],
        legend: { show: false },
        cursor: { y: false, drag: { x: false }, points: { size: 8, fill: accent } },
        scales: {
          x: { time: false, range: (_, least, most) => [least - 0.5, most + 0.5] },
          y: { range: (_, __, most) => [0, Math.max(4, most * 1.1)] },
        },
        axes: [
          { ...axis, grid: { show: false }, incrs: STEPS, space: 72, values: (_, places) => places.map((at) => this.label(at)) },
          { ...axis, incrs: STEPS, size: 56, values: (_, values) => values.map(number) },
        ],
        series: [{}, { stroke: accent, fill: faint(accent), points: { show: this.days.length < 3 }, ...form }],
        hooks: { setCursor: [({ cursor }) => this.tell(cursor.idx)] },
      },
      [this.days.map((_, at) => at), this.days.map((row) => row[this.metric])],
      this.place,
    );
    this.place.setAttribute('aria-valuemax', this.days.length - 1);
    this.value(this.at);
  }

  step = (event) => {
    const last = this.days.length - 1;
    const to = { ArrowLeft: this.at - 1, ArrowRight: this.at + 1, Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.show(Math.min(last, Math.max(0, to)));
  };

  label(at) {
    return this.days[at] ? dayShort(this.days[at].day) : '';
  }

  /** Moves the cursor to a day, or away with -1. */
  show(at) {
    this.plot.setCursor(at < 0 ? { left: -10, top: -10 } : { left: this.plot.valToPos(at, 'x'), top: 10 });
    if (at >= 0) this.value(at);
  }

  value(at) {
    this.at = at;
    this.place.setAttribute('aria-valuenow', at);
    this.place.setAttribute('aria-valuetext', this.words(at));
  }

  /** The words beside the cursor. */
  tell(at) {
    const tip = this.querySelector('.tip');
    tip.hidden = at == null;
    if (tip.hidden) return;
    tip.textContent = this.words(at);
    const left = this.plot.over.offsetLeft + this.plot.valToPos(at, 'x');
    tip.style.left = `${Math.min(Math.max(left, tip.offsetWidth / 2), this.clientWidth - tip.offsetWidth / 2)}px`;
  }
}

customElements.define('days-chart', DaysChart);
