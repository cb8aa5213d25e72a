// What tests look at on a page: as a reader sees it, whatever the page's own script says.

const all = (css, inside = document) => [...inside.querySelectorAll(css)].filter((one) => one.checkVisibility());
const textOf = (one) => one.innerText.replace(/\s+/g, ' ').trim();

/** The name of a colour, of those that have a meaning. */
function nameOf(colour) {
  const [red, green, blue] = colour.match(/[\d.]+/g).map(Number);
  const [least, most] = [Math.min(red, green, blue), Math.max(red, green, blue)];
  if (most - least < 30) return 'grey';
  if (red === most) return green - blue > 60 ? 'yellow' : 'red';
  return green === most ? 'green' : 'blue';
}

const look = {
  /** The texts of all elements that are shown. */
  text: (css) => all(css).map(textOf),
  /** An attribute of all elements that are shown, or a property of theirs, as `.value`. */
  get: (name, css) => all(css).map((one) => (
    `${name.startsWith('.') ? one[name.slice(1)] : one.getAttribute(name)}`)),
  count: (css) => [`${all(css).length}`],
  /** A colour of all elements, and whether they are hatched. */
  colours: (property, css) => all(css).map((one) => {
    const style = getComputedStyle(one);
    const isHatched = style.backgroundImage.includes('repeating');
    return `${nameOf(style[property])}${isHatched ? ', hatched' : ''}: ${textOf(one)}`;
  }),
  title: () => [document.title],
  /** Whether elements are in sight, in the window and in what they are scrolled in. */
  sight: (css) => all(css).map((one) => {
    const { left, top, width, height } = one.getBoundingClientRect();
    return `${one.contains(document.elementFromPoint(left + width / 2, top + height / 2))}`;
  }),
  /** Which ends of a text its cell has no room for. */
  cut: (css) => all(css).map((one) => {
    const [text, cell] = [one, one.closest('[role=gridcell]')].map((of) => of.getBoundingClientRect());
    const ends = [text.left < cell.left - 1 && 'beginning', text.right > cell.right + 1 && 'end'];
    return `${ends.filter(Boolean).join(' and ') || 'nothing'}: ${textOf(one)}`;
  }),
  /** On how many lines elements stand. */
  lines: (css) => [`${new Set(all(css).map((one) => {
    const { top, height } = one.getBoundingClientRect();
    return Math.round((top + height / 2) / 4);
  })).size}`],
  address: () => [location.hash],
  /** The rows of a table, of which rows of a tree say whether they are open. */
  rows(label, isFull) {
    dispatchEvent(new Event('beforeprint'));
    const rows = all(`[aria-label="${label}"] .row`).sort((a, b) => a.ariaRowIndex - b.ariaRowIndex);
    const cell = (one) => (isFull && one.querySelector('[title]')?.title) || textOf(one);
    const sign = { true: '▾ ', false: '▸ ' };
    return rows.map((row) => {
      const level = row.ariaLevel && '  '.repeat(row.ariaLevel - 1) + (sign[row.ariaExpanded] || '· ');
      const marks = ['match', 'hottest'].filter((mark) => row.classList.contains(mark));
      const cells = [...row.children].filter((one) => one.checkVisibility()).map(cell);
      return (level || '') + [cells.join(' | '), ...marks].join(' ').trim();
    });
  },
  /** The frames of the flame graph: level, where they begin and end in percent, text, marks. */
  frames() {
    const graph = document.querySelector('.flame')?.getBoundingClientRect();
    if (!graph) return ['no graph'];
    const share = (x) => Math.round(100 * (x - graph.left) / graph.width);
    const frames = all('.frame').map((frame) => [frame, frame.getBoundingClientRect()]);
    frames.sort(([, a], [, b]) => a.top - b.top || a.left - b.left);
    return frames.map(([frame, { top, left, right }]) => {
      const marks = ['match', 'estimated', 'above'].filter((mark) => frame.classList.contains(mark));
      const text = [textOf(frame), ...marks.map((mark) => `(${mark})`)].join(' ').trim();
      return `${Math.round((top - graph.top) / 20)} ${share(left)}-${share(right)} ${text}`.trim();
    });
  },
  focus() {
    const one = document.activeElement;
    return [one === document.body ? 'nothing' : one.id || textOf(one.querySelector('.name') || one)];
  },
  /** Where an element is that has this text, or begins with it, when it is in sight. */
  place(text, css) {
    const found = all(css);
    const one = found.find((of) => textOf(of) === text) || found.find((of) => textOf(of).startsWith(text));
    if (!one) return null;
    one.scrollIntoView({ block: 'nearest' });
    const { left, top, width, height } = one.getBoundingClientRect();
    const [x, y] = [left + width / 2, top + height / 2].map(Math.floor);
    const hit = document.elementFromPoint(x, y);
    return one.contains(hit) || hit?.contains(one) ? [x, y] : null;
  },
};
