'use strict';

// Shows the profile that stands in #data. What is shown follows from `state`, all of which is in
// the address: whenever it changes, the view makes its elements anew. Names come from inputs: they
// reach the page as text only, through `append` and `textContent`, and are never a part of a
// selector or of an attribute that runs.

performance.mark('begin');
const byId = (id) => document.getElementById(id);
const data = JSON.parse(byId('data').textContent);
const { events, calls, stacks, comparison } = data;

/** The number of a function where there is none. */
const NONE = -1;

/** An element with attributes and children; text among the children stays text. */
function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('--')) element.style.setProperty(name, value);
    else if (value !== undefined && value !== false) element.setAttribute(name, value);
  }
  element.append(...children.flat());
  return element;
}

// ---- Figures, with the digits, units and rounding of the text report ---------------------------

const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ',');

/** A quotient with so many decimals, rounded to nearest, halves away from 0. */
function rounded(number, divisor, decimals) {
  const steps = 10n ** BigInt(decimals);
  const size = ((number < 0n ? -number : number) * steps * 2n + divisor) / (divisor * 2n);
  const fraction = decimals > 0 ? `.${String(size % steps).padStart(decimals, '0')}` : '';
  return (number < 0n && size > 0n ? '-' : '') + grouped(size / steps) + fraction;
}

/** A number as one of any size. Those of the data that are too large for a `Number` are strings. */
const exact = (number) => BigInt(typeof number === 'number' ? Math.round(number) : number);
const sum = (numbers) => numbers.reduce((all, number) => all + exact(number), 0n);
const total = () => data.total[state.event];

/** A share of a total in percent; `-` if the total is 0 or negative. */
const percent = (part, whole = total()) => (
  whole <= 0 ? '-' : rounded(exact(part) * 100n, exact(whole), 2));

/** A cost in the unit of its event's column. */
function cost(value, event = state.event) {
  const { count, size, decimals } = events[event].notation;
  return rounded(exact(value) * BigInt(count), BigInt(size), decimals);
}

const unit = (event = state.event) => events[event].notation.unit;
const withUnit = (value) => cost(value) + (unit() && ` ${unit()}`);
const heading = (text) => (unit() ? `${text} ${unit()}` : text);
const signed = (value, text) => (value > 0 ? `+${text}` : text);
const counted = (count, noun) => `${grouped(count)} ${noun}${Number(count) === 1 ? '' : 's'}`;

/** What an event is called where its unit stands beside it. */
const label = (event) => (
  unit(event) ? events[event].name.replace(/_*\(.*/, '') : events[event].name);

// ---- Functions, places and colours -------------------------------------------------------------

/** What a function or another frame is found by. */
const searched = (name, file) => `${name}\n${file}`.toLowerCase();

/** The functions, or changes of functions, of a table of columns. */
const named = (columns) => columns.name.map((name, index) => {
  const [file, object] = [columns.file, columns.object].map((of) => data.files[of[index]]);
  const [short, line] = [columns.short[index] || name, columns.line?.[index] || 0];
  return { index, key: index, name, short, file, object, line, text: searched(name, file) };
});
const functions = named(data.functions);
const changed = comparison && named(comparison.functions).map((of, at) => (
  { ...of, index: comparison.functions.function[at], is: comparison.functions.is[at] }));

/** What stands for functions that have no room on the page, as callers or callees of others. */
const OTHERS = { index: NONE, name: 'others', short: 'others, of too little cost' };

const isFile = (file) => file !== '' && file !== '???' && !file.startsWith('php:');

/** A place; a link, if the program was told where sources are found. */
function place({ file, object, line }) {
  const isUnknown = file === '' || file === '???';
  const whole = isUnknown && object ? `[${object}]` : line > 0 && file ? `${file}:${line}` : file;
  const text = whole.replace(/^.+(?=(\/[^/]+){3}$)/, '…');
  if (!data.source_url || !isFile(file)) return el('span', { class: 'path', title: whole }, text);
  const path = file.split('/').map(encodeURIComponent).join('/');
  const href = data.source_url.split('{file}').join(path).split('{line}').join(line || 1);
  const rel = 'noopener noreferrer';
  return el('a', { class: 'path', href, title: whole, rel, tabindex: NONE }, text);
}

/** The position from which on a name is a function's own: its namespaces stand before it. */
const ownName = (name) => (
  name.startsWith('{') ? 0 : name.split('(')[0].lastIndexOf('\\') + 1);

/** A name. Where there is too little room, it is the namespace that is cut. */
const nameOf = ({ name, short }) => el('span', { class: 'parts', title: name },
  el('span', {}, short.slice(0, ownName(short))),
  el('span', { class: 'own' }, short.slice(ownName(short))));

/** A name that leads to its function, if that is on the page. */
const linked = (frame) => (frame.index === NONE ? nameOf(frame)
  : el('a', { href: toFunction(frame), tabindex: NONE }, nameOf(frame)));

const GREW = { '--hue': 4, '--strength': '90%' };
const SHRANK = { '--hue': 215, '--strength': '90%' };
const GREY = { '--hue': 0, '--strength': '0%' };

/** What a function is coloured by: its file, or the package or folder that it is in. */
function group({ file, object }) {
  if (file.startsWith('php:')) return 'PHP itself';
  if (state.colours === 'file') return isFile(file) ? file : object || 'unknown';
  const vendor = /(?:^|\/)(?:vendor|node_modules|site-packages)\/((?:@?[^/]+\/)?[^/]+)(?=\/)/;
  const found = vendor.exec(file);
  if (found) return found[1];
  if (isFile(file)) return file.slice(0, file.lastIndexOf('/')) || '/';
  return object.slice(object.lastIndexOf('/') + 1) || 'unknown';
}

/** The colour of a group. It follows from the name alone, so that it is the same in every page. */
function shade(name) {
  if (name === 'PHP itself' || name === 'unknown') return GREY;
  let hash = 2166136261;
  for (const character of name) hash = Math.imul(hash ^ character.codePointAt(0), 16777619);
  return { '--hue': ((hash >>> 0) % 45) * 8 };
}

// ---- State -------------------------------------------------------------------------------------

/** The views: how they are made, and what leads to them. */
const views = {
  ...(comparison && { changes: [showChanges, 'Changes'] }),
  functions: [showFunctions, 'Functions'],
  function: [showFunction, 'Functions'],
  flame: [showFlame, 'Flame graph'],
  tree: [showTree, 'Tree'],
};
/** What belongs to one view, and is left behind with it. */
const passing = { function: NONE, of: '', zoom: 0, open: '', search: '' };
const start = {
  view: comparison ? 'changes' : 'functions', event: 0, ...passing,
  sort: '', hide: '', charge: '', colours: comparison ? 'change' : 'package',
};
let state = { ...start };

const address = (of) => (
  `#${new URLSearchParams(Object.entries(of).filter(([name, value]) => value !== start[name]))}`);

/** The state of an address; what is not on this page is not taken over. */
function stateOf(hash) {
  const given = new URLSearchParams(hash.slice(1));
  const found = Object.fromEntries(Object.entries(start).map(([name, value]) => (
    [name, given.has(name) ? value.constructor(given.get(name)) : value])));
  if (!events[found.event]) found.event = 0;
  if (!functions[found.function]) Object.assign(found, { function: NONE, of: '' });
  if (!Object.keys(views).includes(found.view)) found.view = start.view;
  if (found.view === 'function' && found.function === NONE) found.view = 'functions';
  if (!comparison && found.colours === 'change') found.colours = start.colours;
  return found;
}

/** The address of a change of what is shown, of another view, and of a function. */
const to = (change) => address({ ...state, ...change });
const toView = (view, change) => to({ ...passing, view, ...change });
const toFunction = ({ index }) => toView('function', { function: index });

let pending = 0;

/** Goes to an address, from which there is a way back to what is shown now. */
function go(target) {
  clearTimeout(pending);
  history.replaceState(null, '', address(state));
  location.hash = target;
}

/** Changes what is shown, as one types for example, without a way back to each step. */
function adjust(change) {
  Object.assign(state, change);
  render();
  clearTimeout(pending);
  pending = setTimeout(() => history.replaceState(null, '', address(state)), 250);
}

addEventListener('hashchange', () => {
  const next = stateOf(location.hash);
  if (address(next) === address(state)) return;
  clearTimeout(pending);
  const isOther = next.view !== state.view || next.function !== state.function;
  state = next;
  render();
  if (!isOther) return;
  byId('main').focus({ preventScroll: true });
  scrollTo(0, 0);
});

const fields = ['search', 'hide', 'charge', 'colours'].map(byId);

/** Fills what stands on the page once, whatever is shown. */
function begin() {
  const kinds = { trace: 'trace of every call', aggregate: 'sums', mixed: 'traces and sums' };
  const facts = [
    data.creator,
    kinds[data.kind],
    data.runs > 1 && counted(data.runs, 'run'),
    counted(data.function_count, 'function'),
    `${grouped(data.call_count)} calls on ${counted(data.edge_count, 'call edge')}`,
  ];
  document.title = `${data.command} – profile`;
  byId('command').append(data.command);
  byId('facts').append(facts.filter(Boolean).join(' · '));
  byId('program').append(data.program);
  const banner = (text, kind) => el('p', { class: `banner ${kind}` }, text);
  byId('banners').append(
    ...[comparison?.per_run].filter(Boolean).map((text) => banner(`Per run: ${text}`, '')),
    ...(comparison?.limits || []).map(({ kept, text }) => (
      banner(`${kept ? '✓ Limit' : '✗ Limit not'} kept: ${text}`, kept ? 'kept' : 'broken'))),
    ...data.warnings.map((text) => banner(`⚠ ${text}`, 'warning')),
  );
  byId('events').append(...events.map(({ name, long_name: long, shown }, event) => {
    const choose = el('input', { type: 'radio', name: 'event' });
    choose.onchange = () => go(to({ event }));
    const amount = /\(([^()]*)\)$/.exec(shown)?.[1] || shown;
    const text = el('span', {}, label(event), el('b', {}, amount));
    return el('label', { title: `${long || name}: ${shown}` }, choose, text);
  }));
  const few = counted(stacks?.left_out || 0, 'stack');
  if (stacks?.left_out > 0) byId('left-out').append(`Summed up as …: ${few} of little cost`);
  byId('charge').hidden = !stacks;
  const showNone = () => { document.body.dataset.view = 'none'; };
  if (!stacks) [views.flame[0], views.tree[0]] = [showNone, showNone];
  if (!comparison) byId('colours').options[0].remove();
  for (const field of fields) field.oninput = () => adjust({ [field.id]: field.value });
}

function render() {
  const focused = document.activeElement;
  document.body.dataset.view = state.view;
  for (const field of fields) if (field.value !== state[field.id]) field.value = state[field.id];
  byId('events').elements[state.event].checked = true;
  const current = views[state.view][1];
  byId('views').replaceChildren(...Object.entries(views).filter(([view]) => view !== 'function')
    .map(([view, [, title]]) => el('a',
      { href: toView(view), 'aria-current': title === current && 'page' }, title)));
  for (const id of ['status', 'intro', 'view']) byId(id).replaceChildren();
  seen.disconnect();
  views[state.view][0]();
  const targets = [...byId('view').querySelectorAll('.grid, .flame')];
  if (focused?.row !== undefined) targets.some((target) => target.focusOn(focused.row));
  else if (focused?.closest('.head')) byId('view').querySelector('[aria-sort] button')?.focus();
}

/** Fills what stands above the fields for searching, and what stands below them. */
const intro = (...nodes) => byId('intro').append(...nodes);
const show = (...nodes) => byId('view').append(...nodes);
const soft = (...nodes) => el('p', { class: 'soft' }, ...nodes);

// ---- Tables: rows are made in blocks, as these come into sight ---------------------------------

const BLOCK = 50;
const seen = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) if (isIntersecting) target.fill();
}, { rootMargin: '400px' });

/** The width of the widest of some figures. */
function widest(values, text) {
  const size = (value) => Math.abs(Number(value));
  const largest = values.reduce((one, other) => (size(other) > size(one) ? other : one), 0);
  return text(largest).length + 1;
}

/** A column of figures: `of(row)` of each row as a text. */
const figures = (title, of, text, more) => ({
  title, kind: 'figure', short: title.toLowerCase(), of, text, cell: (row) => text(of(row)),
  order: (row) => Number(of(row)), ...more,
});

/** A column of costs in the unit of the event. */
const costs = (title, of, more) => figures(heading(title), of, cost, { short: unit(), ...more });

/** A column of shares of the total; with bars, which can be shares of something else. */
const shares = (title, of, more) => figures(title, of, (value) => percent(value), more);
const bars = (title, of, more, whole = total()) => shares(title, of, {
  kind: 'figure share', size: '13ch', bar: (row) => 100 * Number(of(row)) / Number(whole), ...more,
});

/** Columns of names and of places, which share the width that is left. */
const texts = (kind, parts) => (title, cell, more) => (
  { title, kind, size: `minmax(0, ${parts}fr)`, cell, ...more });
const [names, places] = [texts('name', 3), texts('place', 2)];

/** Sorts rows: the highest figures or the first texts come first, unless the order is turned. */
function sorted(rows, order) {
  const keys = new Map(rows.map((row) => [row, order(row)]));
  const turn = state.sort.startsWith('-') ? -1 : 1;
  const compare = (one, other) => (
    typeof one === 'number' ? other - one : one < other ? -1 : Number(one > other));
  return rows.sort((one, other) => turn * compare(keys.get(one), keys.get(other)));
}

/** The title of a column; it sorts the rows. */
function headOf({ title, sort, kind }, isChosen) {
  const isTurned = state.sort.startsWith('-');
  const order = kind.startsWith('figure') === isTurned ? 'ascending' : 'descending';
  const onclick = () => go(to({ sort: isChosen && !isTurned ? `-${sort}` : sort }));
  const text = Object.assign(el(sort ? 'button' : 'span', {}, title), sort && { onclick });
  return el('div', { role: 'columnheader', class: kind, 'aria-sort': isChosen && order }, text);
}

/**
 * Shows a table. A column has what stands in the `cell` of a row. `enter(row)` is what a click and
 * Enter do; `key(event, row)` says whether it has taken a key.
 */
function showTable({ label: name, columns, rows: given, enter, key, role = 'grid', attributes }) {
  const wanted = state.sort.replace('-', '');
  const by = columns.find(({ sort }) => sort === wanted) || columns.find(({ sort }) => sort);
  const rows = by ? sorted(given, by.order) : given;
  const sizes = columns.map(({ title, size, of, text }) => (
    size || `${Math.max(widest(rows.map(of), text), title.length + 2)}ch`));
  const body = el('div', { role: 'rowgroup' });
  const heads = columns.map((column) => headOf(column, column.sort && column.sort === by.sort));
  const table = el('div', {
    role, class: 'grid', 'aria-label': name, 'aria-rowcount': rows.length + 1,
    '--columns': sizes.join(' '),
  }, el('div', { role: 'rowgroup', class: 'heads' },
    el('div', { role: 'row', class: 'head', 'aria-rowindex': 1 }, heads)), body);
  show(table);

  function make(row, at) {
    const cells = columns.map(({ kind, short, cell, bar }) => el('div', {
      role: 'gridcell', class: kind, 'data-short': short,
      ...(bar && { '--share': `${Math.max(0, Math.min(100, bar(row) || 0))}%` }),
    }, cell(row)));
    return Object.assign(el('div', {
      role: 'row', class: enter ? 'row' : 'row plain', 'aria-rowindex': at + 2,
      tabindex: at === 0 ? 0 : NONE, ...attributes?.(row),
    }, cells), { row, at });
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
  body.firstChild?.fill();

  table.focusOn = (row) => {
    const at = rows.indexOf(row);
    const block = body.children[Math.floor(at / BLOCK)];
    block?.fill();
    if (block) moveFocus(block.children[at % BLOCK]);
    return block !== undefined;
  };
  body.addEventListener('click', (event) => {
    const row = event.target.closest('.row');
    if (row && enter && !event.target.closest('a')) enter(row.row, event);
  });
  body.addEventListener('keydown', (event) => {
    const { row, at, offsetHeight: height } = event.target.closest('.row');
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const page = Math.max(1, Math.floor(innerHeight / height) - 4);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -at, End: 1e9 };
    const next = Math.max(0, Math.min(rows.length - 1, at + steps[event.key]));
    if (event.key in steps) table.focusOn(rows[next]);
    else if (event.key === 'Enter' && enter) enter(row, event);
    else if (!key?.(event, row, table.focusOn)) return;
    event.preventDefault();
  });
}

/** Moves the focus to a row or frame. It is the one that the Tab key leads to. */
function moveFocus(element) {
  const last = element.closest('.grid, .flame').querySelector('[tabindex="0"]');
  if (last) last.tabIndex = NONE;
  element.tabIndex = 0;
  element.focus({ preventScroll: true });
  element.scrollIntoView({ block: 'nearest' });
}

/** A small table, with the titles of its columns; the first cell of a row is its title. */
function figureTable(titles, rows, chosen) {
  const row = ([title, ...cells], at) => el('tr', { class: at === chosen && 'chosen' },
    el('th', { scope: 'row' }, title), cells.map((cell) => el('td', {}, cell)));
  const head = titles.map((title) => el('th', { scope: 'col' }, title));
  return el('table', { class: 'figures' },
    el('thead', {}, el('tr', {}, head)), el('tbody', {}, rows.map(row)));
}

// ---- Functions ---------------------------------------------------------------------------------

/** Tells whether a text is in the name or file of a function or frame, or of a change. */
const matching = (wanted) => ({ text }) => text.includes(wanted.toLowerCase());

/**
 * What functions cost by themselves when hidden ones are left out: these hand their self costs to
 * the nearest callers that are shown, as far as the stacks tell them.
 */
function charged(hidden) {
  const own = data.functions.self[state.event].map(BigInt);
  const payers = [];
  let moved = 0n;
  stacks.parent.forEach((parent, node) => {
    const { index } = frames[stacks.frame[node]];
    const above = parent === NONE ? NONE : payers[parent];
    const hides = hidden.has(functions[index]);
    payers[node] = index === NONE || hides ? above : index;
    if (!hides || above === NONE) return;
    own[above] += exact(stacks.self[state.event][node]);
    moved += exact(stacks.self[state.event][node]);
  });
  return { own, moved };
}

function showFunctions() {
  const hides = state.hide.split(/\s+/).filter(Boolean).map(matching);
  const hidden = new Set(functions.filter((of) => hides.some((matches) => matches(of))));
  const inclusive = data.functions.inclusive[state.event];
  const selves = data.functions.self[state.event];
  const isCharged = state.charge && hidden.size > 0 && stacks;
  const { own, moved } = isCharged ? charged(hidden) : { own: selves };
  const ownOf = ({ index }) => own[index];
  const inclusiveOf = ({ index }) => inclusive[index];
  const fileAndLine = ({ file, line }) => file + String(line).padStart(9, '0');
  const columns = [
    bars('Self %', ownOf, { sort: 'self' }),
    costs('Self', ownOf, { sort: 'self' }),
    shares('Incl. %', inclusiveOf, { sort: 'inclusive' }),
    costs('Inclusive', inclusiveOf, { sort: 'inclusive', kind: 'figure wide' }),
    figures('Calls', ({ index }) => data.functions.invocations[index], grouped, { sort: 'calls' }),
    names('Function', (of) => linked(of), { sort: 'name', order: ({ name }) => name }),
    places('File:line', place, { sort: 'place', order: fileAndLine }),
  ];
  const matches = matching(state.search);
  const rows = functions.filter((of) => !hidden.has(of) && matches(of));
  const tell = (count, cost) => `${counted(count, 'function')} with a self cost of `
    + `${withUnit(cost)} (${percent(cost)} %)`;
  const tellFound = (...texts) => byId('status').append(...texts);
  if (state.search || hides.length > 0) tellFound(tell(rows.length, sum(rows.map(ownOf))));
  const all = sum([...hidden].map(({ index }) => selves[index]));
  if (isCharged) tellFound(`; of ${withUnit(all)} hidden, ${withUnit(moved)} charged to callers`);
  showTable({ label: 'Functions', columns, rows, enter: (of) => go(toFunction(of)) });
  const { functions: count, self } = data.rest;
  if (count > 0) show(soft(`Left out for want of room: ${tell(count, self[state.event])}`));
}

// ---- One function ------------------------------------------------------------------------------

function showFunction() {
  const of = functions[state.function];
  const invocations = data.functions.invocations[of.index];
  const rows = events.map((_, event) => [
    [label(event), unit(event)].filter(Boolean).join(', '),
    ...[data.functions.self, data.functions.inclusive].flatMap((columns) => {
      const value = columns[event][of.index];
      return [cost(value, event), percent(value, data.total[event])];
    }),
  ]);
  const link = (text, which) => el('a',
    { class: 'button', href: toView('flame', { function: of.index, of: which }) }, text);
  intro(
    el('p', {}, el('a', { href: toView('functions') }, '← all functions')),
    el('h2', { class: 'name' }, of.name),
    el('p', {}, place(of), ` · called ${counted(invocations, 'time')}`),
    figureTable(['', 'self', '%', 'inclusive', '%'], rows, state.event),
    stacks ? el('div', { class: 'bar' }, link('Show in the flame graph', ''),
      link('Graph of its callers', 'callers'), link('Graph of its callees', 'callees')) : '',
  );
  showCalls('Caller', 'callee', 'who calls it, and what that costs (bars: of its inclusive cost)');
  showCalls('Callee', 'caller', 'what it calls, and what that costs (bars: likewise)');
}

/** The calls that have the function at one end, as rows of what is at the other. */
function showCalls(title, end, what) {
  const costOf = (at) => calls.cost[state.event][at];
  const other = (at) => functions[calls[title.toLowerCase()][at]] || OTHERS;
  const site = (at) => (calls.file[at] === NONE ? ''
    : place({ file: data.files[calls.file[at]], line: calls.line[at] }));
  const rows = [...calls[end].keys()].filter((at) => calls[end][at] === state.function);
  rows.sort((one, two) => Number(costOf(two)) - Number(costOf(one)));
  show(el('h3', {}, `${title}s `, el('span', { class: 'soft' }, what)));
  if (rows.length === 0) return show(soft(`no ${title.toLowerCase()}`));
  const inclusive = data.functions.inclusive[state.event][state.function];
  return showTable({
    label: `${title}s`,
    columns: [
      bars('Cost %', costOf, {}, inclusive),
      costs('Cost', costOf),
      figures('Calls', (at) => calls.calls[at], grouped),
      names(title, (at) => linked(other(at))),
      places('Called at', site),
    ],
    rows,
    enter: (at) => other(at) !== OTHERS && go(toFunction(other(at))),
  });
}

// ---- Stacks ------------------------------------------------------------------------------------

/** The frames: functions, or what has a name of its own, for a function or for none. */
const frames = (stacks?.frames.name || []).map((name, key) => {
  const of = functions[stacks.frames.function[key]] || { index: NONE, file: '' };
  return { ...of, key, ...(name && { name, short: name, text: searched(name, of.file) }) };
});

/** Stacks that begin alike share their nodes. The costs are those of one event. */
class Tree {
  nodes = [];
  found = new Map();
  root = this.add(null, { index: NONE, name: 'all', short: 'all', text: '' });

  add(parent, frame) {
    const node = {
      id: this.nodes.length, parent, frame, depth: parent ? parent.depth + 1 : 0, below: [],
      calls: 0, own: 0, old: 0, isEstimated: false,
    };
    this.nodes.push(node);
    parent?.below.push(node);
    return node;
  }

  /** The node of a frame below another one, which may be there already. */
  step(parent, frame) {
    const key = `${parent.id} ${frame.key}`;
    if (!this.found.has(key)) this.found.set(key, this.add(parent, frame));
    return this.found.get(key);
  }

  /** Sums up what stands below each node. */
  finish() {
    for (const node of [...this.nodes].reverse()) {
      const below = (what) => node.below.reduce((all, child) => all + child[what], 0);
      node.inclusive = node.own + below('inclusive');
      node.before = node.old + below('before');
      // Freed memory has no width.
      node.width = Math.max(node.own, 0) + below('width');
      // In a comparison, a frame is as wide as its larger side.
      if (comparison) node.width = Math.max(node.width, node.inclusive, node.before);
      node.below.sort((one, other) => other.width - one.width || one.id - other.id);
    }
    return this;
  }
}

function allStacks() {
  const tree = new Tree();
  const [own, old] = [stacks.self, stacks.base].map((columns) => columns?.[state.event]);
  const runs = comparison?.runs || [1, 1];
  stacks.parent.forEach((parent, at) => {
    // In the data, the root is -1.
    const node = tree.add(tree.nodes[parent + 1], frames[stacks.frame[at]]);
    node.own = Number(own[at]) / runs[1];
    node.old = old ? Number(old[at]) / runs[0] : 0;
    node.calls = Math.round(Number(stacks.calls[at]) / runs[1]);
    node.isEstimated = stacks.estimated[at] === 1;
  });
  return tree.finish();
}

/**
 * What a function calls wherever it is called, or who calls it and who calls these: then the costs
 * are all those of the function.
 */
function stacksOf(index, isCallers) {
  const tree = new Tree();
  const within = new Map();
  for (const node of allStacks().nodes) {
    const above = within.get(node.parent);
    if (above && isCallers) within.set(node, above);
    if ((above && isCallers) || (!above && node.frame.index !== index)) continue;
    let place = above || tree.root;
    for (let at = node; at?.parent; at = isCallers && at.parent) {
      place = tree.step(place, at.frame);
      place.isEstimated ||= at.isEstimated;
    }
    within.set(node, place);
    place.calls += node.calls;
    place.own += isCallers ? node.inclusive : node.own;
    place.old += isCallers ? node.before : node.old;
  }
  return tree.finish();
}

let lastTree;

/** The tree that is shown; the same one as long as it is. */
function treeShown() {
  const { event, of, function: index } = state;
  const key = [event, of, of && index].join();
  const made = () => (of ? stacksOf(index, of === 'callers') : allStacks());
  if (lastTree?.key !== key) lastTree = Object.assign(made(), { key });
  return lastTree;
}

/** The nodes that are marked: those that are found, or of the function that is asked for. */
function marked(nodes) {
  const { search, function: index, of } = state;
  const isAsked = (frame) => frame.index !== NONE && frame.index === index && !of;
  const isMarked = search ? matching(search) : isAsked;
  return new Set(nodes.filter(({ frame }) => isMarked(frame)));
}

/** Says what marked nodes cost, of which no cost counts twice, and what graph this is. */
function introGraph(root, found) {
  const costIn = (node) => (found.has(node) ? node.inclusive
    : node.below.reduce((all, child) => all + costIn(child), 0));
  if (state.search || found.size > 0) {
    const told = `${withUnit(costIn(root))}, ${percent(costIn(root))} % of the total`;
    byId('status').append(`${counted(found.size, 'frame')} marked: ${told}`);
  }
  if (!state.of) return;
  const isCallers = state.of === 'callers';
  intro(el('p', {},
    isCallers ? 'Who calls ' : 'What is called by ', linked(functions[state.function]),
    isCallers ? ': callers stand below what they call, and all costs are of this function. ' : '. ',
    el('a', { href: toView(state.view) }, 'Show all stacks')));
}

// ---- Flame graph -------------------------------------------------------------------------------

/** The colour of a frame: of what it belongs to, or of its change. */
function colourOf({ frame, own, old }, all) {
  if (frame.index === NONE) return {};
  if (state.colours !== 'change') return shade(group(frame));
  const change = Math.abs(own - old);
  if (change * 10000 < all) return GREY;
  const strength = Math.round(30 + 60 * change / Math.max(own, old, 1));
  return { ...(own > old ? GREW : SHRANK), '--strength': `${strength}%` };
}

function showFlame() {
  const { nodes, root } = treeShown();
  const zoom = nodes[state.zoom] || root;
  const isCallers = state.of === 'callers';
  const found = marked(nodes);
  const shown = new Map();
  const about = el('div', { class: 'about' });
  const flame = el('div', {
    class: found.size > 0 || state.search ? 'flame searched' : 'flame',
    role: 'group', 'aria-label': 'Flame graph; the tree shows the same as rows',
  });
  const zoomTo = ({ id }) => go(to({ zoom: id }));

  /** Says what there is to say about a node. */
  function tell(node) {
    const { frame, inclusive, own, before, calls: count } = node;
    const change = inclusive - before;
    const told = [
      `${isCallers ? 'cost' : 'inclusive'} ${withUnit(inclusive)}`,
      `${percent(inclusive)} % of the total`,
      zoom !== root && `${percent(inclusive, zoom.inclusive)} % of what is zoomed`,
      node !== root && !isCallers && `self ${withUnit(own)} (${percent(own)} %)`,
      count > 0 && counted(count, 'call'),
      stacks.base && `before ${withUnit(before)}, change ${signed(change, withUnit(change))}`,
      node.isEstimated && 'estimated',
    ];
    const link = el('a', { href: toFunction(frame) }, 'callers and callees');
    const links = frame.index === NONE ? [] : [' · ', place(frame), ' · ', link];
    about.replaceChildren(el('div', { class: 'name' }, frame.name),
      el('div', { class: 'line' }, told.filter(Boolean).join(' · '), ...links));
  }

  const scale = byId('view').clientWidth / (zoom.width || 1);
  const positions = [[zoom, 0]];
  for (const [node, left] of positions) {
    const { short } = node.frame;
    const room = node.width * scale;
    const classes = ['frame', room < 12 && 'thin', node.isEstimated && 'estimated',
      found.has(node) && 'match'].filter(Boolean);
    // Of a name, its namespaces say least.
    const text = short.length * 7.3 > room ? short.slice(ownName(short)) : short;
    const frame = el('div', {
      role: 'button', tabindex: NONE, class: classes.join(' '), ...colourOf(node, root.width),
      '--left': `${left}px`, '--width': `${room}px`, '--level': node.depth - zoom.depth,
    }, room < 12 ? '' : text);
    shown.set(node, Object.assign(frame, { row: node }));
    let start = left;
    for (const child of node.below) {
      // Those that follow are no wider.
      if (child.width * scale < 0.5) break;
      positions.push([child, start]);
      start += child.width * scale;
    }
  }
  const [deepest] = positions[positions.length - 1];
  flame.style.setProperty('--levels', deepest.depth - zoom.depth + 1);
  flame.append(...shown.values());
  shown.get(zoom).tabIndex = 0;

  function focus(node) {
    const frame = shown.get(node);
    if (!frame) return false;
    tell(node);
    frame.setAttribute('aria-label', about.textContent);
    moveFocus(frame);
    return true;
  }
  flame.addEventListener('mouseover', ({ target }) => target.row && tell(target.row));
  flame.addEventListener('mouseleave', () => tell(zoom));
  flame.addEventListener('click', ({ target }) => target.row && zoomTo(target.row));
  flame.addEventListener('keydown', (event) => {
    const { row: node, nextSibling: next, previousSibling: last } = event.target;
    // Frames were made level by level, from left to right.
    const beside = (frame) => (frame?.row.depth === node.depth ? frame.row : undefined);
    const targets = {
      ArrowDown: node.below[0], ArrowUp: node.parent,
      ArrowRight: beside(next), ArrowLeft: beside(last),
    };
    if (event.key === 'Enter') zoomTo(node);
    else if (event.key in targets) focus(targets[event.key]);
    else return;
    event.preventDefault();
  });
  const crumbs = el('div', { class: 'crumbs' }, el('b', {}, zoom.frame.short));
  for (let { parent: node } = zoom; node; node = node.parent) {
    const { id, frame: { name, short } } = node;
    crumbs.prepend(el('a', { href: to({ zoom: id }), title: name }, short), ' › ');
  }
  introGraph(root, found);
  tell(zoom);
  show(about, zoom === root ? '' : crumbs, flame, legend());
  flame.focusOn = focus;
}

/** What the colours stand for, the costliest first. */
function legend() {
  const item = (text, style, kind) => el('li', {}, el('i', { class: kind, ...style }), text);
  const items = [];
  if (state.colours === 'change') {
    items.push(item('self cost grew', GREW), item('self cost shrank', SHRANK));
    items.push(item('did not change', GREY));
  } else {
    const costs = new Map();
    for (const of of functions) {
      const own = Number(data.functions.self[state.event][of.index]);
      costs.set(group(of), (costs.get(group(of)) || 0) + own);
    }
    const order = [...costs].sort(([, one], [, other]) => other - one).slice(0, 8);
    items.push(...order.map(([name, own]) => item(`${name} ${percent(own)} %`, shade(name))));
  }
  if (stacks.estimated.includes(1)) {
    items.push(item('estimated: divided among callers by what their calls cost', {}, 'estimated'));
  }
  return el('ul', { class: 'legend', 'aria-label': 'Colours' }, items);
}

// ---- Tree --------------------------------------------------------------------------------------

/** What was opened or closed by hand: numbers of nodes, those of closed ones with a `-`. */
const readOpen = (text) => new Map(text.split('.').filter(Boolean).map((part) => (
  [parseInt(part.replace('-', ''), 36), !part.startsWith('-')])));
const writeOpen = (rows) => (
  [...rows].map(([id, isOpen]) => (isOpen ? '' : '-') + id.toString(36)).join('.'));

function showTree() {
  const { nodes, root } = treeShown();
  const found = marked(nodes);
  const leads = new Set();
  for (const { parent } of found) {
    for (let at = parent; at && !leads.has(at); at = at.parent) leads.add(at);
  }
  const byHand = readOpen(state.open);
  const rows = [];
  const open = new Set();
  /** Adds what stands below a node. Open are the costliest path and what leads to marked frames. */
  function add({ below }) {
    below.forEach((node, at) => {
      rows.push(node);
      const isCostly = at === 0 && node.inclusive * 20 > root.inclusive;
      if (node.below.length === 0) return;
      if (!(byHand.get(node.id) ?? (isCostly || leads.has(node)))) return;
      open.add(node);
      add(node);
    });
  }
  add(root);

  function turn(node) {
    if (node.below.length === 0) return;
    adjust({ open: writeOpen(byHand.set(node.id, !open.has(node))) });
  }
  function nameCell(node) {
    const fold = el('span', { class: 'fold' });
    const href = toFunction(node.frame);
    const link = el('a', { class: 'more', href, tabindex: NONE }, 'details');
    return el('span', { class: 'parts', '--depth': node.depth - 1 }, fold, nameOf(node.frame),
      node.isEstimated ? ' (estimated)' : '', node.frame.index === NONE ? '' : link);
  }
  introGraph(root, found);
  showTable({
    label: 'Tree of calls',
    role: 'treegrid',
    columns: [
      bars('Incl. %', ({ inclusive }) => inclusive),
      costs('Inclusive', ({ inclusive }) => inclusive, { kind: 'figure wide' }),
      costs('Self', ({ own }) => own, { short: `${unit()} self` }),
      figures('Calls', (node) => node.calls, grouped),
      names('Function', nameCell),
    ],
    rows,
    attributes: (node) => ({
      class: found.has(node) ? 'row match' : 'row',
      'aria-level': node.depth,
      'aria-expanded': node.below.length > 0 && String(open.has(node)),
    }),
    enter: (node, { type }) => {
      if (type === 'click') turn(node);
      else if (node.frame.index !== NONE) go(toFunction(node.frame));
    },
    key: ({ key }, node, focus) => {
      if (key === ' ' || key === (open.has(node) ? 'ArrowLeft' : 'ArrowRight')) turn(node);
      else if (key === 'ArrowRight') focus(rows[rows.indexOf(node) + 1]);
      else if (key === 'ArrowLeft' && node.depth > 1) focus(node.parent);
      else return false;
      return true;
    },
  });
}

// ---- Changes -----------------------------------------------------------------------------------

function showChanges() {
  const found = comparison.events[state.event];
  const { changes, totals, shown, rest } = found;
  const rows = changes.row.map((row, at) => {
    const pair = (figure) => changes[figure].map((side) => exact(side[at]));
    const [self, inclusive, calls] = ['self', 'inclusive', 'invocations'].map(pair);
    return { ...changed[row], at, self, inclusive, calls };
  });
  const growth = ([before, now]) => now - before;
  const ofGrowth = (title, text, more) => figures(title, ({ self }) => growth(self), text, {
    cell: ({ self }) => {
      const colour = growth(self) > 0n ? 'grow' : growth(self) < 0n && 'shrink';
      return el('span', { class: colour }, signed(growth(self), text(growth(self))));
    },
    ...more,
  });
  const both = (title, figure, text, sort) => ({
    title, kind: 'figure', short: figure, sort,
    order: (row) => Math.abs(Number(growth(row[figure]))),
    size: `${Math.max(2 * widest(rows.flatMap((row) => row[figure]), text), title.length) + 2}ch`,
    cell: ({ [figure]: [before, now] }) => (
      before === now ? text(now) : `${text(before)} → ${text(now)}`),
  });
  const columns = [
    ofGrowth(heading('Change'), cost, { sort: 'change', order: ({ at }) => -at, short: unit() }),
    ofGrowth('Base %', (value) => percent(value, totals[0]), { short: 'of the base' }),
    both(heading('Self'), 'self', cost),
    both(heading('Inclusive'), 'inclusive', cost, 'inclusive'),
    both('Calls', 'calls', grouped, 'calls'),
    names('Function', (row) => [row.is ? el('b', { class: 'badge' }, row.is) : '', linked(row)]),
    places('File', place),
  ];
  intro(
    el('h2', {}, `${label(state.event)} ${found.verdict}`),
    figureTable(['', label(state.event), 'functions'], ['base', 'new'].map((title, side) => (
      [title, shown[side], grouped(comparison.sides[side].functions)]))),
    el('p', {}, stacks ? el('a', { class: 'button', href: toView('flame') },
      'Changes in the flame graph') : ''),
  );
  showTable({
    label: 'Changes', columns, rows: rows.filter(matching(state.search)),
    enter: (row) => row.index !== NONE && go(toFunction(row)),
  });
  const more = signed(rest.change, withUnit(rest.change));
  show(soft(
    rest.functions > 0 ? `${grouped(rest.functions)} more changed by ${more} together. ` : '',
    found.unchanged > 0 ? `${counted(found.unchanged, 'function')} did not change.` : '',
  ));
}

// ---- Keys, and the first look ------------------------------------------------------------------

addEventListener('keydown', (event) => {
  const { key, target } = event;
  const isField = target.matches('input[type="search"], select');
  const first = byId('view').querySelector('.row[tabindex="0"], .frame[tabindex="0"]');
  const leads = target.type === 'search' && (key === 'ArrowDown' || key === 'Enter');
  if (key === '/' && !isField && !event.ctrlKey && !event.metaKey) byId('search').focus();
  else if (key === 'Escape' && isField && !target.value) target.blur();
  else if (key === 'Escape' && !isField && state.zoom !== 0) go(to({ zoom: 0 }));
  else if (leads && first) first.focus();
  else return;
  event.preventDefault();
});
addEventListener('resize', () => state.view === 'flame' && requestAnimationFrame(render));
addEventListener('beforeprint', () => {
  byId('view').querySelectorAll('.block:nth-child(-n + 4)').forEach((block) => block.fill());
});

begin();
state = stateOf(location.hash);
render();
requestAnimationFrame(() => setTimeout(() => performance.measure('cg-preprocess', 'begin')));
