// A chart by day. Its numbers are accessible by hovering, by arrow keys, to screen readers, and as a table.
import { html, render } from './lit-html.js';
import { NAMES, dayName, dayShort, number, numberShort, table } from './parts.js';

const STEPS = Array.from({ length: 30 }, (_, n) => [1, 2, 5][n % 3] * 10 ** Math.floor(n / 3));
const COLUMNS = ['wishes', 'added', 'removed'];
const line = (row) => html`<tr><th scope="row">${dayName(row.day)}</th>
  ${COLUMNS.map((name) => html`<td class="number">${number(row[name])}</td>`)}</tr>`;
const dark = matchMedia('(prefers-color-scheme: dark)');

/** The element <days-chart>. `data`: `days`, rows of the report, and `metric`, the column to draw. */
class DaysChart extends HTMLElement {
  watch = new ResizeObserver(() => this.plot.setSize(this.size()));

  connectedCallback() {
    this.draw(); // computed colours are available only when connected
    this.watch.observe(this);
    dark.addEventListener('change', this.draw);
  }

  disconnectedCallback() {
    this.watch.disconnect();
    dark.removeEventListener('change', this.draw);
    this.plot.destroy();
  }

  set data({ days, metric }) {
    if (this.days === days && this.metric === metric) return;
    Object.assign(this, { days, metric });
    if (this.isConnected) this.draw();
  }

  size() {
    return { width: this.clientWidth, height: this.clientWidth < 500 ? 180 : 240 };
  }

  draw = () => {
    this.plot?.destroy();
    const last = this.days.length - 1;
    const name = `${NAMES[this.metric]} by day`;
    const heads = ['Day', ...COLUMNS.map((column) => [NAMES[column], 'number'])];
    render(
      html`<div class="plot" role="slider" tabindex="0" aria-label=${name} aria-valuemin="0" aria-valuemax=${last}
          @keydown=${this.step} @focus=${() => this.go(this.at)} @blur=${() => this.go(-9)}></div>
        <div class="tip" hidden></div>
        <details><summary>View as table</summary>${table(name, heads, this.days.toReversed().map(line))}</details>`,
      this,
    );
    this.place = this.querySelector('.plot');
    this.tip = this.querySelector('.tip');
    const [ink, accent] = [this, this.place].map((element) => getComputedStyle(element).color);
    const faint = (colour) => colour.replace('rgb', 'rgba').replace(')', ', .15)');
    const axis = { stroke: ink, font: '12px system-ui, sans-serif', incrs: STEPS, ticks: { show: false } };
    const day = (at) => (this.days[at] ? dayShort(this.days[at].day) : '');
    const form = this.metric === 'wishes' ? { width: 2 } : { paths: uPlot.paths.bars({ size: [0.7, 40] }) };
    const options = {
      ...this.size(),
      padding: [8, 24, 0, 0],
      legend: { show: false },
      cursor: { y: false, drag: { x: false }, points: { size: 8, fill: accent } },
      scales: {
        x: { time: false, range: [-0.5, last + 0.5] },
        y: { range: (_, __, most) => [0, Math.max(4, most * 1.1)] },
      },
      axes: [
        { ...axis, grid: { show: false }, space: 72, values: (_, places) => places.map(day) },
        { ...axis, grid: { stroke: faint(ink), width: 1 }, size: 56, values: (_, values) => values.map(numberShort) },
      ],
      series: [{}, { stroke: accent, fill: faint(accent), points: { show: last < 2 }, ...form }],
      hooks: { setCursor: [({ cursor }) => this.tell(cursor.idx)] },
    };
    const numbers = this.days.map((row) => row[this.metric]);
    this.plot = new uPlot(options, [[...numbers.keys()], numbers], this.place);
    this.tell(last);
    this.tip.hidden = true;
  };

  step = (event) => {
    const last = this.days.length - 1;
    const to = { ArrowLeft: this.at - 1, ArrowRight: this.at + 1, Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.go(Math.min(last, Math.max(0, to)));
  };

  /** Moves the cursor to the day at an index; -9 hides it. */
  go(at) {
    this.plot.setCursor({ left: this.plot.valToPos(at, 'x'), top: 10 });
  }

  /** Shows the number of the day at the cursor, as a tip and to screen readers. */
  tell(at) {
    this.tip.hidden = at == null;
    if (this.tip.hidden) return;
    const row = this.days[at];
    this.tip.textContent = `${dayName(row.day)}: ${NAMES[this.metric].toLowerCase()} ${number(row[this.metric])}`;
    this.tip.style.left = `clamp(6rem, ${this.plot.over.offsetLeft + this.plot.valToPos(at, 'x')}px, 100% - 6rem)`;
    Object.assign(this.place, { ariaValueNow: at, ariaValueText: this.tip.textContent });
    this.at = at;
  }
}

customElements.define('days-chart', DaysChart);
