// ---- Tables: rows are made in blocks, as these come into sight ---------------------------------------

const BLOCK = 50;
/** Makes what comes into sight. */
function fillSeen(entries) {
  for (const { isIntersecting, target } of entries) if (isIntersecting) target.fill();
}
const seen = new IntersectionObserver(fillSeen, { rootMargin: '400px' });

/** The width of the widest of some figures. */
function widest(values, text) {
  const size = (value) => Math.abs(Number(value));
  const largest = values.reduce((one, other) => (size(other) > size(one) ? other : one), 0);
  return Math.max(text(largest).length + 1, 7);
}

/** A column of figures: `of(row)` of each row as a text. */
function figures(title, of, text, more) {
  const [cell, order] = [(row) => text(of(row)), (row) => Number(of(row))];
  return { title, kind: 'figure', short: title.toLowerCase(), of, text, cell, order, ...more };
}

/** A column of numbers of calls, if these are known. */
const callCounts = (of, more) =>
  data.has_invocations &&
  figures('Calls', of, callText, { short: (row) => (callText(of(row)) === '1' ? 'call' : 'calls'), ...more });

/** A column of costs in the unit of the event. */
const costs = (title, of, more) => figures(heading(title), of, cost, { short: unit(), ...more });

/** A column of shares of the total; with bars, which can be shares of something else. */
const shares = (title, of, more) => figures(title, of, (value) => percent(value), more);
function bars(title, of, more, whole = total()) {
  const bar = (row) => (100 * Number(of(row))) / Number(whole);
  return figures(title, of, (value) => percent(value, whole), { kind: 'figure share', size: '13ch', bar, ...more });
}

/** Columns of names and of places, which share the width that is left. */
const texts = (kind, parts) => (title, cell, more) => ({ title, kind, size: `minmax(0, ${parts}fr)`, cell, ...more });
const [names, places] = [texts('name', 3), texts('place', 2)];

/** Sorts rows: the highest figures or the first texts come first, unless the order is turned. */
function sorted(rows, order, isTurned) {
  const keys = new Map(rows.map((row) => [row, order(row)]));
  const compare = (one, other) => (typeof one === 'number' ? other - one : one < other ? -1 : Number(one > other));
  return [...rows].sort((one, other) => (isTurned ? -1 : 1) * compare(keys.get(one), keys.get(other)));
}

/**
 * Shows a table. A column has what stands in the `cell` of a row. `enter(row)` is what a click and
 * Enter do; `key(event, row)` says whether it has taken a key. The order is that of the state's
 * `sort`.
 */
function showTable({ label: name, columns: all, rows: given, enter, key, role = 'grid', attributes, sort = 'sort' }) {
  if (given.length === 0) {
    const back = el('a', { href: to({ search: '', hide: '' }) }, 'Show all');
    show(el('p', { class: 'empty' }, `Nothing found: no name or file contains “${state.search}”. `, back));
    return undefined;
  }
  const columns = all.filter(Boolean);
  const [wanted, isTurned] = [state[sort].replace('-', ''), state[sort].startsWith('-')];
  const by = columns.find((column) => column.sort && column.sort === wanted) || columns.find((column) => column.sort);
  const rows = by ? sorted(given, by.order, by.sort === wanted && isTurned) : given;
  const sizes = columns.map(
    ({ title, size, of, text }) => size || `${Math.max(widest(rows.map(of), text), title.length + 2)}ch`,
  );

  /** The title of a column; it sorts the rows. */
  function headOf({ title, sort: own, kind }) {
    const isChosen = own && own === by.sort;
    const isUp = isTurned && own === wanted;
    const order = kind.startsWith('figure') === isUp ? 'ascending' : 'descending';
    const onclick = () => go(to({ [sort]: isChosen && !isUp ? `-${own}` : own }));
    const text = Object.assign(el(own ? 'button' : 'span', {}, title), own && { onclick });
    return el('div', { role: 'columnheader', class: kind, 'aria-sort': isChosen && order }, text);
  }

  const body = el('div', { role: 'rowgroup' });
  const head = el('div', { role: 'row', class: 'head', 'aria-rowindex': 1 }, columns.map(headOf));
  const about = { 'aria-label': name, 'aria-rowcount': rows.length + 1, '--columns': sizes.join(' ') };
  const heads = el('div', { role: 'rowgroup', class: 'heads' }, head);
  const table = el('div', { role, class: 'grid', ...about }, heads, body);
  show(table);

  function make(row, at) {
    const cells = columns.map(({ kind, short, cell, bar }) => {
      const share = bar && { '--share': `${Math.max(0, Math.min(100, bar(row) || 0))}%` };
      const unitOf = typeof short === 'function' ? short(row) : short;
      return el('div', { role: 'gridcell', class: kind, 'data-short': unitOf, ...share }, cell(row));
    });
    const place = { class: enter ? 'row' : 'row plain', 'aria-rowindex': at + 2, tabindex: at === 0 ? 0 : NONE };
    return Object.assign(el('div', { role: 'row', ...place, ...attributes?.(row) }, cells), { row, at });
  }
  for (let from = 0; from < rows.length; from += BLOCK) {
    const some = rows.slice(from, from + BLOCK);
    const block = el('div', { role: 'presentation', class: 'block', '--rows': some.length });
    block.fill = () => {
      if (!block.firstChild) block.append(...some.map((row, at) => make(row, from + at)));
    };
    body.append(block);
    seen.observe(block);
  }
  body.firstChild.fill();

  /** The element of a row, which is made for that if need be. */
  table.rowOf = (row) => {
    const at = rows.indexOf(row);
    const block = body.children[Math.floor(at / BLOCK)];
    block?.fill();
    return block?.children[at % BLOCK];
  };
  table.focusOn = (row, scrolls) => {
    const element = table.rowOf(row);
    if (element) moveFocus(element, scrolls);
    return element !== undefined;
  };
  body.addEventListener('click', (event) => {
    const row = event.target.closest('.row');
    if (row && enter && !event.target.closest('a')) enter(row.row, event);
  });
  body.addEventListener('keydown', (event) => {
    const { row, at, offsetHeight: height } = event.target.closest('.row');
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest('a')) return;
    const page = Math.max(1, Math.floor(innerHeight / height) - 4);
    const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -at, End: 1e9 };
    const next = Math.max(0, Math.min(rows.length - 1, at + moves[event.key]));
    if (event.key in moves) table.focusOn(rows[next]);
    else if (event.key === 'Enter' && enter) enter(row, event);
    else if (!key?.(event, row, table.focusOn)) return;
    event.preventDefault();
  });
  return table;
}

/**
 * Moves the focus to a row or frame, which is the one that the Tab key leads to then. One that was
 * only made anew must not scroll: the pointer may be at it.
 */
function moveFocus(element, scrolls = true) {
  const last = element.closest('.grid, .flame').querySelector('[tabindex="0"]');
  if (last) last.tabIndex = NONE;
  element.tabIndex = 0;
  element.focus({ preventScroll: true });
  if (scrolls) element.scrollIntoView({ block: 'nearest' });
}

/** A small table, with the titles of its columns; the first cell of a row is its title. */
function figureTable(titles, rows, chosen) {
  const cellsOf = (cells) => cells.map((cell) => el('td', {}, cell));
  const row = ([title, ...cells], at) =>
    el('tr', { class: at === chosen && 'chosen' }, el('th', { scope: 'row' }, title), cellsOf(cells));
  const head = el(
    'tr',
    {},
    titles.map((title) => el('th', { scope: 'col' }, title)),
  );
  const table = el('table', { class: 'figures' }, el('thead', {}, head), el('tbody', {}, rows.map(row)));
  return el('div', { class: 'scrolled' }, table);
}
