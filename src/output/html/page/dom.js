// ---- Elements. Names come from inputs: they become text only, through `append` and `textContent` -------

const byId = (id) => document.getElementById(id);

/** An element with attributes and children; text among the children stays text. */
function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('--')) element.style.setProperty(name, value);
    else if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== undefined && child !== false && child !== ''));
  return element;
}

/** A part of a line, in the style that its class has. */
const span = (kind, ...children) => el('span', { class: kind }, ...children);
const paragraph = (...children) => el('p', {}, ...children);
const soft = (...children) => el('p', { class: 'soft' }, ...children);
const banner = (text, kind) => el('p', { class: `banner ${kind}` }, text);
const button = (text, onclick, more) => el('button', { type: 'button', onclick, ...more }, text);

/** What there is of some texts, as one. */
const joined = (texts) => texts.filter(Boolean).join(' · ');

/** A small table, with the titles of its columns; the first cell of a row is its title. */
function smallTable(titles, rows, isChosen = () => false) {
  const row = ([title, ...cells]) =>
    el('tr', { class: isChosen(title) && 'chosen' }, [
      el('th', { scope: 'row' }, title),
      ...cells.map((cell) => el('td', {}, cell)),
    ]);
  const heads = titles.map((title) => el('th', { scope: 'col' }, title));
  const table = el('table', { class: 'figures' }, [
    el('thead', {}, el('tr', {}, heads)),
    el('tbody', {}, rows.map(row)),
  ]);
  return el('div', { class: 'scrolled' }, table);
}

/** What is made when it comes into sight. */
const makers = new WeakMap();
function make(element) {
  makers.get(element)?.();
  makers.delete(element);
}
const watcher = new IntersectionObserver(
  (entries) => entries.forEach(({ isIntersecting, target }) => isIntersecting && make(target)),
  { rootMargin: '400px' },
);
function makeInSight(element, maker) {
  makers.set(element, maker);
  watcher.observe(element);
}
