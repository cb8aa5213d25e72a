// ---- Tables: rows are made in blocks when these come into sight --------------------------------------

/** The number of rows in a block, and of blocks that are printed. */
const BLOCK = 50;
const PRINTED = 4;

const size = (value) => Math.abs(Number(value));

/** The width of the widest of some costs or counts: in units of their own, others than the largest can be wider. */
function widest(values, text) {
  const largest = values.reduce((one, another) => (size(another) > size(one) ? another : one), 0);
  return Math.max(text(largest).length, text === ownCost ? 8 : 1);
}

/** A column of figures: `text(value(row))`, empty without a value. In narrow windows, `short` is shown beside them. */
const figures = (title, value, text, more) => ({
  title,
  kind: 'figure',
  short: title[0].toLowerCase() + title.slice(1),
  widthOf: (rows) => Math.max(widest(rows.map(value), text) + 1, 9),
  cell: (row) => (value(row) === undefined ? '' : text(value(row))),
  order: (row) => Number(value(row)),
  ...more,
});

/** A column of numbers of calls, if these are known. `make` is `figures` or `sidesColumn`. */
const callColumn = (value, more, make = figures) =>
  data.has_invocations &&
  make('Calls', value, callCount, { short: (text) => (text === '1' ? 'call' : 'calls'), ...more });

/** A column of costs in the unit of the event. */
const costColumn = (title, value, more) => figures(heading(title), value, columnCost, more);

/** A column of shares with bars. */
function barColumn(title, value, more, whole = totalOf()) {
  const bar = (row) => (100 * Number(value(row))) / Number(whole);
  return figures(title, value, (part) => percent(part, whole), { kind: 'figure share', size: '13ch', bar, ...more });
}

/** A column of shares, of inclusive costs if nothing else is said, with a mark where `isEstimated`. */
const inclusiveColumn = (value, isEstimated, more, title = 'Incl. %') =>
  barColumn(title, value, { cell: (row) => withMark(isEstimated(row), share(value(row))), ...more });

/** Explains that mark if one of the rows has it. */
const markHint = (rows, isEstimated) =>
  rows.some((row) => isEstimated(row)) ? ' ~ marks inclusive costs that contain estimates.' : '';

/** A column of the values of both sides, or of one if nothing is compared. It is sorted by their difference. */
function sidesColumn(title, sidesOfRow, text, more) {
  const [before, now] = ['before', 'now'].map((side) => (row) => sidesOfRow(row)[side]);
  const widthOf = (rows) => widest(rows.map(before), (value) => text(value, oldRuns)) + widest(rows.map(now), text) + 4;
  return figures(title, now, text, {
    ...(comparison && { widthOf }),
    order: (row) => size(growthOf(sidesOfRow(row))),
    cell: (row) => sidesText(sidesOfRow(row), text),
    ...more,
  });
}

/** A column of differences, coloured by their sign. */
function changeColumn(title, sidesOfRow, text, more) {
  const growth = (row) => growthOf(sidesOfRow(row));
  const kind = (change) => (change > 0n ? 'grow' : change < 0n && 'shrink');
  return figures(title, growth, text, {
    order: (row) => size(growth(row)) + (growth(row) > 0n ? 0.5 : 0),
    cell: (row) => span(kind(growth(row)), signed(growth(row), text(growth(row)))),
    ...more,
  });
}

/** The change of a cost, and that as a share of the base’s total. */
const changeColumns = (sidesOfRow, sort = 'change') => [
  changeColumn(heading('Change'), sidesOfRow, columnCost, { sort }),
  changeColumn('Base %', sidesOfRow, (value) => share(value, comparison.total[state.event])),
];

/** Columns of names, locations and source; they share the rest of the width. */
const textColumn = (kind, title, cell, more) => ({ title, kind, size: 'minmax(0, 2fr)', cell, ...more });
const placeColumn = (title, cell, more) => textColumn('place', title, cell, more);
/** Names, and what stands beside them, follow the sign of rows that unfold. */
function nameColumn(title, partsOf, more) {
  const cell = (row) => el('span', { class: 'parts' }, span('fold'), partsOf(row));
  return textColumn('name', title, cell, { size: 'minmax(22ch, 3fr)', ...more });
}

/** Sorts rows: the highest numbers or the first texts come first, unless the order is turned. */
function sorted(rows, order, isTurned) {
  const keys = new Map(rows.map((row) => [row, order(row)]));
  const compare = (one, another) =>
    typeof one === 'number' ? another - one : one < another ? -1 : Number(one > another);
  return [...rows].sort((one, another) => (isTurned ? -1 : 1) * compare(keys.get(one), keys.get(another)));
}

/** The row or node that an element shows. */
const shownBy = new WeakMap();

/**
 * Moves the focus to a row or frame, which the Tab key reaches from then on. It must not scroll to an element that was
 * only made again, because the pointer may be on it.
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

/** The order of rows: by the column that the state names in `sort`, else by the first one that can sort. */
function orderOf(sort, columns) {
  const [wanted, isTurned] = [state[sort].replace('-', ''), state[sort].startsWith('-')];
  const by = columns.find((column) => column.sort && column.sort === wanted) || columns.find((column) => column.sort);
  const isUp = isTurned && by?.sort === wanted;
  return { by, isUp, inOrder: (rows) => (by ? sorted(rows, by.order, isUp) : rows) };
}

/** How rows unfold to those `below` them. The address contains the keys of rows that were opened or closed. */
function folding({ below, keyOf = ({ index }) => index, isOpenAtFirst = () => false }) {
  const byHand = readOpen(state.open);
  const canOpen = (row) => below?.(row).length > 0;
  const isOpen = (row) => canOpen(row) && (byHand.get(keyOf(row)) ?? isOpenAtFirst(row));
  const turn = (row) => canOpen(row) && adjust({ open: writeOpen(byHand.set(keyOf(row), !isOpen(row))) });
  return { canOpen, isOpen, turn };
}

/**
 * Makes a table. The `cell` of a column makes the content for a row, and `kindsOf` its classes. Rows can unfold to those
 * `below` them; such a table is announced as a tree. A click opens or closes a row. If there is nothing below it, or with
 * Enter, it leads to its function.
 */
function tableOf({
  label: name,
  columns: all,
  rows: top,
  functionOf = (row) => row,
  kindsOf,
  sort = 'sort',
  ...unfolds
}) {
  const columns = all.filter(Boolean);
  const { by, isUp, inOrder } = orderOf(sort, columns);
  const { below } = unfolds;
  const { canOpen, isOpen, turn } = folding(unfolds);
  const isTree = top.some(canOpen);
  const levels = new Map(top.map((row) => [row, 1]));
  const rows = unfolded(inOrder(top), (row) => {
    const rest = isOpen(row) ? inOrder(below(row)) : [];
    rest.forEach((one) => levels.set(one, levels.get(row) + 1));
    return rest;
  });
  const sizes = columns.map(({ title, size: own, widthOf }) => own || `${Math.max(widthOf(rows), title.length + 2)}ch`);

  /** The title of a column, a button that sorts the rows. */
  function headOf(column) {
    const { title, sort: own, kind } = column;
    const isChosen = own && own === by.sort;
    const order = kind.startsWith('figure') === isUp ? 'ascending' : 'descending';
    const sortBy = () => go(to({ [sort]: isChosen && !isUp ? `-${own}` : own }));
    const text = own ? button(title, sortBy, { id: `${name}: ${title}` }) : el('span', {}, title);
    return el('div', { role: 'columnheader', class: kind, 'aria-sort': column === by && order }, text);
  }

  function cellOf(row, { kind, short, cell, bar }) {
    const shown = cell(row);
    const size = bar && { '--share': `${Math.max(0, Math.min(100, bar(row) || 0))}%` };
    const beside = typeof short === 'function' ? short(shown) : short;
    return el('div', { role: 'gridcell', class: kind, 'data-short': beside, ...size }, shown);
  }

  function rowOf(row, at) {
    const level = levels.get(row);
    const kinds = classes({ row: true, ...kindsOf?.(row) });
    const place = { class: kinds, 'aria-rowindex': at + 2, tabindex: at === 0 ? 0 : NONE };
    const inTree = isTree && {
      'aria-level': level,
      '--level': level,
      'aria-expanded': canOpen(row) && `${isOpen(row)}`,
    };
    const cells = columns.map((column) => cellOf(row, column));
    const element = el('div', { role: 'row', ...place, ...inTree }, cells);
    shownBy.set(element, row);
    return element;
  }

  const body = el('div', { role: 'rowgroup' });
  const head = el('div', { role: 'row', class: 'head', 'aria-rowindex': 1 }, columns.map(headOf));
  const about = { 'aria-label': name, 'aria-rowcount': rows.length + 1, '--columns': sizes.join(' ') };
  const heads = el('div', { role: 'rowgroup', class: 'heads' }, head);
  const element = el('div', { role: isTree ? 'treegrid' : 'grid', class: 'grid', ...about }, heads, body);
  const blockOf = inBlocks(body, rows, BLOCK, (count) => ({ class: 'block', '--rows': count }), rowOf);
  const most = PRINTED * BLOCK;
  if (rows.length > most) {
    element.append(el('p', { class: 'printed' }, `Printed: the first ${most} of ${grouped(rows.length)} rows.`));
  }
  if (rows.length > 0) blockOf(0);

  const elementAt = (at) => blockOf(at)?.children[at % BLOCK];
  function focusOn(row, scrolls) {
    const found = elementAt(rows.indexOf(row));
    if (found) moveFocus(found, scrolls);
    return found !== undefined;
  }
  function enter(row, isClick) {
    const target = toFunction(functionOf(row));
    if (target && !(isClick && canOpen(row))) go(target);
    else turn(row);
  }
  /** What → and ← do: they open and close a row, or lead to the next one and to the one above. */
  function unfold(key, row, at) {
    if (key === ' ' || key === (isOpen(row) ? 'ArrowLeft' : 'ArrowRight')) turn(row);
    else if (key === 'ArrowRight') focusOn(rows[at + 1]);
    else focusOn(rows.findLast((one, before) => before < at && levels.get(one) < levels.get(row)));
  }
  body.addEventListener('click', ({ target }) => {
    const row = target.closest('.row');
    if (row && !target.closest(':any-link, button')) enter(shownBy.get(row), true);
  });
  body.addEventListener('keydown', (event) => {
    const { key } = event;
    const target = event.target.closest('.row');
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest(':any-link, button')) return;
    const [row, at] = [shownBy.get(target), target.ariaRowIndex - 2];
    const page = Math.max(1, Math.floor(innerHeight / target.offsetHeight) - 4);
    const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -at, End: 1e9 };
    if (key in moves) focusOn(rows[Math.max(0, Math.min(rows.length - 1, at + moves[key]))]);
    else if (key === 'Enter') enter(row, false);
    else if (isTree && ['ArrowLeft', 'ArrowRight', ' '].includes(key)) unfold(key, row, at);
    else return;
    event.preventDefault();
  });
  return { element, rows, elementOf: (row) => elementAt(rows.indexOf(row)), focusOn };
}
