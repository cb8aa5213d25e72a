// ---- Elements. Names come from inputs, so they are only ever added as text ---------------------------

const byId = (id) => document.getElementById(id);

/** Children in one list, without those that are false, empty or missing. */
const present = (children) => children.flat(Infinity).filter(Boolean);

/** Makes an element with attributes, style properties (`--…`), listeners (`on…`) and children. */
function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('--')) element.style.setProperty(name, value);
    else if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false) element.setAttribute(name, value);
  }
  element.append(...present(children));
  return element;
}

/** Short forms of elements. */
const span = (kind, ...children) => el('span', { class: kind }, ...children);
const paragraph = (...children) => el('p', {}, ...children);
const soft = (...children) => el('p', { class: 'soft' }, ...children);
const subtitle = (title, about) => el('h3', {}, `${title} `, span('soft', about));
const banner = (text, kind) => el('p', { class: `banner ${kind}` }, text);
const warning = (text) => banner(`⚠ ${text}`, 'warning');
const button = (text, onclick, more) => el('button', { type: 'button', onclick, ...more }, text);

/** The names of those classes that are true. */
const classes = (named) =>
  Object.keys(named)
    .filter((name) => named[name])
    .join(' ');

/** Joins those of some texts that are not empty. */
const joined = (texts, by = ' · ') => texts.filter(Boolean).join(by);

/** A function that makes each of its results once, so that rows can be told by their identity. */
function once(make) {
  const made = new Map();
  return (...of) => {
    const key = of.join(' ');
    if (!made.has(key)) made.set(key, make(...of));
    return made.get(key);
  };
}

/** A small table with column titles; the first cell of each row is its title. */
function smallTable(titles, rows) {
  const heads = titles.map((title) => el('th', { scope: 'col' }, title));
  const row = ([title, ...cells]) =>
    el('tr', {}, [el('th', { scope: 'row' }, title), ...cells.map((cell) => el('td', {}, cell))]);
  const parts = [el('thead', {}, el('tr', {}, heads)), el('tbody', {}, rows.map(row))];
  return el('div', { class: 'scrolled' }, el('table', { class: 'figures' }, parts));
}

/** Functions that make the content of an element when it comes into sight. */
const makers = new WeakMap();
function make(element) {
  makers.get(element)?.();
  makers.delete(element);
}
const watcher = new IntersectionObserver(
  (entries) => entries.forEach(({ isIntersecting, target }) => isIntersecting && make(target)),
  { rootMargin: '400px' },
);

/**
 * Appends blocks of `size` items to an element. `elementsOf(item, at)` makes the elements of an item when its block
 * comes into sight, or when the function that is returned is called with the index of the item.
 */
function inBlocks(parent, items, size, attributesOf, elementsOf) {
  for (let from = 0; from < items.length; from += size) {
    const some = items.slice(from, from + size);
    const block = el('div', { role: 'presentation', ...attributesOf(some.length) });
    makers.set(block, () => block.append(...some.flatMap((item, at) => elementsOf(item, from + at))));
    parent.append(block);
    watcher.observe(block);
  }
  return (at) => {
    const block = parent.children[Math.floor(at / size)];
    if (block) make(block);
    return block;
  };
}
