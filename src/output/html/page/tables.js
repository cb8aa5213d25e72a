// ---- Tables: rows are made in blocks, as these come into sight ---------------------------------------

const BLOCK = 50;
/** So many blocks are printed. */
const PRINTED = 4;

/** The width of the widest of some costs or counts. */
function widest(values, text) {
  const size = (value) => Math.abs(Number(value));
  const largest = values.reduce((one, another) => (size(another) > size(one) ? another : one), 0);
  return Math.max(text(largest).length + 1, 7);
}

/** A column of numbers: `value(row)` of each row as a text. */
const numbers = (title, value, text, more) => ({
  ...{ title, kind: 'figure', short: title.toLowerCase(), value, text },
  ...{ cell: (row) => text(value(row)), order: (row) => Number(value(row)), ...more },
});

/** A column of numbers of calls, if these are known. */
const callColumn = (value, more) =>
  data.has_invocations &&
  numbers('Calls', value, callCount, { short: (row) => (callCount(value(row)) === '1' ? 'call' : 'calls'), ...more });

/** A column of costs in the unit of the event. */
const costColumn = (title, value, more) => numbers(heading(title), value, columnCost, { short: unitOf(), ...more });

/** A column of shares; with bars. */
const shareColumn = (title, value, more) => numbers(title, value, (part) => share(part), more);
function barColumn(title, value, more, whole = totalOf()) {
  const bar = (row) => (100 * Number(value(row))) / Number(whole);
  return numbers(title, value, (part) => percent(part, whole), { kind: 'figure share', size: '13ch', bar, ...more });
}

/** Columns of names and of locations, which share the width that is left. */
const textColumn = (kind, parts) => (title, cell, more) => ({
  title,
  kind,
  size: `minmax(0, ${parts}fr)`,
  cell,
  ...more,
});
const [nameColumn, placeColumn] = [textColumn('name', 3), textColumn('place', 2)];

/** Sorts rows: the highest numbers or the first texts come first, unless the order is turned. */
function sorted(rows, order, isTurned) {
  const keys = new Map(rows.map((row) => [row, order(row)]));
  const compare = (one, another) =>
    typeof one === 'number' ? another - one : one < another ? -1 : Number(one > another);
  return [...rows].sort((one, another) => (isTurned ? -1 : 1) * compare(keys.get(one), keys.get(another)));
}

/** The rows and nodes that elements stand for. */
const shownBy = new WeakMap();

/**
 * Moves the focus to a row or frame, which is the one that the Tab key leads to then. One that was only made anew must
 * not scroll: the pointer may be at it.
 */
function moveFocus(element, scrolls = true) {
  const last = element.closest('.grid, .flame').querySelector('[tabindex="0"]');
  if (last) last.tabIndex = NONE;
  element.tabIndex = 0;
  element.focus({ preventScroll: true });
  if (scrolls) element.scrollIntoView({ block: 'nearest' });
}

const nothingFound = () =>
  el('p', { class: 'empty' }, [
    `Nothing found: no name, file or object contains “${state.search}”. `,
    el('a', { href: to({ search: '', hide: '' }) }, 'Show all'),
  ]);

/** The rows of a table in the order of the state’s `sort`, below each its `below` rows. */
function inTableOrder({ rows, sort, below }, columns) {
  const [wanted, isTurned] = [state[sort].replace('-', ''), state[sort].startsWith('-')];
  const by = columns.find((column) => column.sort && column.sort === wanted) || columns.find((column) => column.sort);
  if (!by) return { rows, by, isUp: false };
  const isUp = by.sort === wanted && isTurned;
  const order = sorted(rows, by.order, isUp);
  return { rows: below ? order.flatMap((row) => [row, ...sorted(below(row), by.order, isUp)]) : order, by, isUp };
}

/** What makes rows open to those `below` them: the address says which are open, by numbers of a `keyOf` row. */
function opening(below, keyOf = ({ index }) => index) {
  const opened = readOpen(state.open);
  const isOpen = (row) => opened.get(keyOf(row)) === true;
  const turn = (row) => adjust({ open: writeOpen(opened.set(keyOf(row), !isOpen(row))) });
  function key({ key: pressed }, row) {
    const turns = below(row).length > 0 && pressed === (isOpen(row) ? 'ArrowLeft' : 'ArrowRight');
    if (turns) turn(row);
    return turns;
  }
  return { isOpen, turn, key, below: (row) => (isOpen(row) ? below(row) : []) };
}

/**
 * Makes a table. A column has what stands in the `cell` of a row. `enter(row)` is what a click and Enter do;
 * `key(event, row)` says whether it has taken a key. Below a row stand those of `below`.
 */
function tableOf({
  label: name,
  columns: all,
  rows: given,
  enter,
  key,
  role = 'grid',
  attributes,
  sort = 'sort',
  below,
}) {
  const columns = all.filter(Boolean);
  const { rows, by, isUp } = inTableOrder({ rows: given, sort, below }, columns);
  const sizes = columns.map(
    ({ title, size, value, text }) => size || `${Math.max(widest(rows.map(value), text), title.length + 2)}ch`,
  );

  /** The title of a column; it sorts the rows. */
  function headOf({ title, sort: own, kind }) {
    const isChosen = own && own === by.sort;
    const order = kind.startsWith('figure') === isUp ? 'ascending' : 'descending';
    const sortBy = () => go(to({ [sort]: isChosen && !isUp ? `-${own}` : own }));
    const text = own ? button(title, sortBy) : el('span', {}, title);
    return el('div', { role: 'columnheader', class: kind, 'aria-sort': isChosen && order }, text);
  }

  function rowOf(row, at) {
    const cells = columns.map(({ kind, short, cell, bar }) => {
      const size = bar && { '--share': `${Math.max(0, Math.min(100, bar(row) || 0))}%` };
      const unit = typeof short === 'function' ? short(row) : short;
      return el('div', { role: 'gridcell', class: kind, 'data-short': unit, ...size }, cell(row));
    });
    const kind = enter ? 'row' : 'row plain';
    const place = { class: kind, 'aria-rowindex': at + 2, tabindex: at === 0 ? 0 : NONE };
    const element = el('div', { role: 'row', ...place, ...attributes?.(row) }, cells);
    shownBy.set(element, row);
    return element;
  }

  const body = el('div', { role: 'rowgroup' });
  const head = el('div', { role: 'row', class: 'head', 'aria-rowindex': 1 }, columns.map(headOf));
  const about = { 'aria-label': name, 'aria-rowcount': rows.length + 1, '--columns': sizes.join(' ') };
  const element = el(
    'div',
    { role, class: 'grid', ...about },
    el('div', { role: 'rowgroup', class: 'heads' }, head),
    body,
  );
  for (let from = 0; from < rows.length; from += BLOCK) {
    const some = rows.slice(from, from + BLOCK);
    const block = el('div', { role: 'presentation', class: 'block', '--rows': some.length });
    body.append(block);
    makeInSight(block, () => block.append(...some.map((row, at) => rowOf(row, from + at))));
  }
  if (rows.length > PRINTED * BLOCK) {
    element.append(
      el('p', { class: 'printed' }, `Printed: the first ${PRINTED * BLOCK} of ${grouped(rows.length)} rows.`),
    );
  }
  if (body.firstChild) make(body.firstChild);

  /** The element of a row, which is made for that if need be. */
  function elementOf(row) {
    const at = rows.indexOf(row);
    const block = at < 0 ? undefined : body.children[Math.floor(at / BLOCK)];
    if (block) make(block);
    return block?.children[at % BLOCK];
  }
  function focusOn(row, scrolls) {
    const found = elementOf(row);
    if (found) moveFocus(found, scrolls);
    return found !== undefined;
  }
  body.addEventListener('click', (event) => {
    const row = event.target.closest('.row');
    if (row && enter && !event.target.closest('a, button')) enter(shownBy.get(row), event);
  });
  body.addEventListener('keydown', (event) => {
    const target = event.target.closest('.row');
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest('a, button')) return;
    const [row, at] = [shownBy.get(target), target.ariaRowIndex - 2];
    const page = Math.max(1, Math.floor(innerHeight / target.offsetHeight) - 4);
    const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -at, End: 1e9 };
    const next = Math.max(0, Math.min(rows.length - 1, at + moves[event.key]));
    if (event.key in moves) focusOn(rows[next]);
    else if (event.key === 'Enter' && enter) enter(row, event);
    else if (!key?.(event, row, focusOn)) return;
    event.preventDefault();
  });
  return { element, elementOf, focusOn };
}
