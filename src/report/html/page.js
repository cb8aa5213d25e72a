'use strict';

// Shows the profile that stands in #data. Names come from inputs: they reach the page as text only,
// through `append` and `textContent`, and are never a part of a selector or an attribute that runs.

performance.mark('begin');
const data = JSON.parse(document.getElementById('data').textContent);
const { events, functions, calls, stacks, comparison } = data;

/** The number of a function, or of the one above a root, where there is none. */
const NONE = -1;

const NARROW = matchMedia('(max-width: 700px)');

// ---- Elements --------------------------------------------------------------------------------

/** An element with attributes and children; text among the children stays text. */
function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name.startsWith('--')) element.style.setProperty(name, value);
    else if (value !== undefined && value !== false) element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat());
  return element;
}

const main = document.getElementById('main');

// ---- Figures, with the digits, units and rounding of the text report ---------------------------

/** Divides, rounding to nearest, halves away from 0. */
function divided(number, divisor) {
  const half = divisor / 2n;
  return (number < 0n ? number - half : number + half) / divisor;
}

function grouped(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ',');
}

function rounded(number, divisor, decimals) {
  const steps = 10n ** BigInt(decimals);
  const quotient = divided(number * steps, divisor);
  const size = quotient < 0n ? -quotient : quotient;
  const whole = (quotient < 0n ? '-' : '') + grouped(size / steps);
  return decimals === 0 ? whole : `${whole}.${String(size % steps).padStart(decimals, '0')}`;
}

/** A share of a total in percent; `-` if the total is 0 or negative. */
function percent(part, total) {
  const whole = BigInt(total);
  return whole <= 0n ? '-' : rounded(BigInt(part) * 100n, whole, 2);
}

/** A cost in the unit of its event's column. */
function cost(value, event = state.event) {
  const { count, size, decimals } = events[event].notation;
  return rounded(BigInt(value) * BigInt(count), BigInt(size), decimals);
}

const unit = (event = state.event) => events[event].notation.unit;
const withUnit = (value, event = state.event) => cost(value, event) + (unit(event) && ` ${unit(event)}`);
const signed = (value, text) => (value > 0 ? `+${text}` : text);
const counted = (count, noun) => `${grouped(count)} ${noun}${Number(count) === 1 ? '' : 's'}`;
const heading = (text) => (unit() ? `${text} ${unit()}` : text);
const total = () => data.total[state.event];

/** What an event is called where its unit stands beside it. */
function label(event) {
  const { name } = events[event];
  return unit(event) ? name.split('(')[0].replace(/_+$/, '') : name;
}

/** The sum of numbers of which some are too large for a `Number`, and therefore strings. */
function sum(values) {
  let exact = 0n;
  for (const value of values) exact += BigInt(value);
  return exact;
}

// ---- Functions and places ----------------------------------------------------------------------

const fileOf = (index) => data.files[functions.file[index]];
const isFile = (file) => file !== '' && file !== '???' && !file.startsWith('php:');
const shortName = (index) => functions.short[index] || functions.name[index];

function placeText(file, line, object = '') {
  if ((file === '' || file === '???') && object !== '') return `[${object}]`;
  return line > 0 && file !== '' ? `${file}:${line}` : file;
}

/** A place; a link, if the program was told where sources are found. */
function place(file, line, object = '') {
  const whole = placeText(file, line, object);
  const text = whole.replace(/^.+(?=(\/[^/]+){3}$)/, '…');
  if (!data.source_url || !isFile(file)) return el('span', { class: 'path', title: whole }, text);
  const path = file.split('/').map(encodeURIComponent).join('/');
  const href = data.source_url.split('{file}').join(path).split('{line}').join(Math.max(line, 1));
  return el('a', { class: 'path', href, title: whole, rel: 'noopener noreferrer', tabindex: NONE }, text);
}

const functionPlace = (index) => place(fileOf(index), functions.line[index], data.files[functions.object[index]]);

/** What functions are coloured by: their file, or the package or folder that it is in. */
function group(index, by) {
  const file = fileOf(index);
  const object = data.files[functions.object[index]];
  if (file.startsWith('php:')) return 'PHP itself';
  if (by === 'file') return isFile(file) ? file : object || 'unknown';
  const found = /(?:^|\/)(?:vendor|node_modules|site-packages)\/((?:@?[^/]+\/)?[^/]+)(?=\/)/.exec(file);
  if (found) return found[1];
  if (isFile(file)) return file.slice(0, file.lastIndexOf('/')) || '/';
  return object.slice(object.lastIndexOf('/') + 1) || 'unknown';
}

/** A hue that follows from a name alone, so that it is the same in every profile. */
function hue(name) {
  let hash = 2166136261;
  for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), 16777619);
  return ((hash >>> 0) % 45) * 8;
}

const shades = new Map();

/** Colours of a function's frames, as CSS variables. */
function shade(index, by) {
  const key = `${by} ${index}`;
  if (!shades.has(key)) {
    const name = group(index, by);
    const grey = name === 'PHP itself' || name === 'unknown';
    shades.set(key, { name, '--hue': hue(name), '--strength': grey ? '8%' : undefined });
  }
  return shades.get(key);
}

// ---- State, all of which is in the address -----------------------------------------------------

const views = {
  functions: { title: 'Functions', show: showFunctions },
  function: { show: showFunction },
  flame: { title: 'Flame graph', show: showFlame },
  tree: { title: 'Tree', show: showTree },
  ...(comparison && { changes: { title: 'Changes', show: showChanges } }),
};
const start = {
  view: comparison ? 'changes' : 'functions',
  event: 0,
  function: NONE,
  zoom: NONE,
  of: '',
  sort: 'self',
  turned: false,
  search: '',
  hide: '',
  charge: false,
  colours: comparison ? 'change' : 'package',
};
let state = { ...start };
/** What of the view that is shown has to be drawn again after scrolling. */
let redraw = () => {};

function address(of) {
  const parts = new URLSearchParams();
  for (const [name, value] of Object.entries(of)) if (value !== start[name]) parts.set(name, value);
  return `#${parts}`;
}

function stateOf(hash) {
  const parts = new URLSearchParams(hash.replace(/^#/, ''));
  const found = { ...start };
  for (const [name, value] of parts) {
    if (typeof start[name] === 'number') found[name] = /^\d{1,9}$/.test(value) ? Number(value) : NONE;
    else if (typeof start[name] === 'boolean') found[name] = value === 'true';
    else if (Object.hasOwn(start, name)) found[name] = value;
  }
  if (!Object.hasOwn(views, found.view)) found.view = start.view;
  if (!events[found.event]) found.event = 0;
  if (functions.name[found.function] === undefined) {
    found.function = NONE;
    found.of = '';
    if (found.view === 'function') found.view = 'functions';
  }
  return found;
}

/** The address of a change of what is shown. */
const to = (change) => address({ ...state, ...change });

/** The address of one function; what belongs to other views is dropped. */
const toFunction = (index) => to({ view: 'function', function: index, zoom: NONE, of: '', search: '' });

function go(change) {
  location.hash = to(change);
}

let typing = 0;

/** Takes a change over as it is typed, and leaves what is typed into alone. */
function typed(change, update) {
  Object.assign(state, change);
  update();
  clearTimeout(typing);
  typing = setTimeout(() => location.replace(address(state)), 250);
}

addEventListener('hashchange', () => {
  const next = stateOf(location.hash);
  if (address(next) === address(state)) return;
  clearTimeout(typing);
  const isOther = next.view !== state.view || next.function !== state.function;
  state = next;
  render();
  if (isOther) {
    main.focus({ preventScroll: true });
    scrollTo(0, 0);
  }
});

function render() {
  redraw = () => {};
  renderTop();
  main.replaceChildren();
  views[state.view].show();
  redraw();
}

// ---- The top of the page -----------------------------------------------------------------------

function renderTop() {
  const kinds = { trace: 'trace of every call', aggregate: 'sums', mixed: 'traces and sums' };
  const facts = [
    data.creator,
    kinds[data.kind],
    ...(data.runs > 1 ? [counted(data.runs, 'run')] : []),
    counted(data.function_count, 'function'),
    `${grouped(data.call_count)} calls on ${counted(data.edge_count, 'call edge')}`,
  ];
  const chosen = document.activeElement?.name === 'event';
  const choice = events.map((event, index) => el('label',
    { class: index === state.event ? 'chosen' : undefined, title: `${event.long_name || event.name}: ${event.shown}` },
    el('input', { type: 'radio', name: 'event', value: index, checked: index === state.event, onchange: () => go({ event: index }) }),
    label(index),
    el('b', {}, /\(([^()]*)\)$/.exec(event.shown)?.[1] || event.shown),
  ));
  const link = (view) => el('a', { href: to({ view, of: '', zoom: NONE, search: '' }), 'aria-current': view === currentView() ? 'page' : undefined }, views[view].title);
  document.getElementById('top').replaceChildren(
    el('h1', { class: 'name' }, data.command),
    el('p', { class: 'soft' }, facts.filter(Boolean).join(' · ')),
    ...data.warnings.map((warning) => el('div', { class: 'banner', role: 'note' }, '⚠ ', warning)),
    el('fieldset', { role: 'radiogroup', 'aria-label': 'Event: which cost is shown' }, choice),
    el('nav', { 'aria-label': 'Views' }, Object.keys(views).filter((view) => views[view].title).map(link)),
  );
  if (chosen) document.querySelector('input:checked').focus();
}

const currentView = () => (state.view === 'function' ? 'functions' : state.view);

function searchField(placeholder, update) {
  const input = el('input', {
    type: 'search', id: 'search', placeholder, 'aria-label': placeholder, spellcheck: 'false', autocomplete: 'off',
    oninput: () => typed({ search: input.value }, update),
  });
  input.value = state.search;
  return input;
}

/** Tells whether a function's name or file contains a text, in upper or lower case. */
function containing(text) {
  const wanted = text.toLowerCase();
  return (index) => functions.name[index].toLowerCase().includes(wanted) || fileOf(index).toLowerCase().includes(wanted);
}

// ---- Tables of any number of rows: only those in sight exist -----------------------------------

/**
 * `columns`: {title, size, kind, sort, hint, short}; `cells(row)` gives what stands in them.
 * `enter(row)` is what a click and Enter do; `key(event, row)` says whether it took a key.
 */
function grid({ columns, rows, cells, enter, key, label: name, role = 'grid', attributes = () => ({}) }) {
  const titles = columns.map((column) => {
    const isSorted = column.sort && state.sort === column.sort;
    const isRising = (column.kind !== 'figure') !== state.turned;
    const turn = () => go({ sort: column.sort, turned: isSorted && !state.turned });
    return el('div', {
      role: 'columnheader', class: `${column.kind || ''} ${column.sort ? '' : 'fixed'}`, title: column.hint,
      'aria-sort': isSorted ? (isRising ? 'ascending' : 'descending') : undefined,
    }, column.sort ? el('button', { onclick: turn }, column.title) : column.title);
  });
  const body = el('div', { role: 'rowgroup', class: 'body' });
  const node = el('div', {
    role, class: 'grid', 'aria-label': name, 'aria-rowcount': rows.length + 1,
    '--columns': columns.map((column) => column.size).join(' '),
  }, el('div', { role: 'rowgroup', class: 'heads' }, el('div', { role: 'row', class: 'head', 'aria-rowindex': 1 }, titles)), body);
  const shown = new Map();
  let current = 0;
  const height = () => (NARROW.matches ? 58 : 28);

  function make(at) {
    const texts = cells(rows[at]);
    const row = el('div', {
      role: 'row', class: enter ? 'row' : 'row plain', 'aria-rowindex': at + 2, tabindex: at === current ? 0 : NONE, ...attributes(rows[at]),
    }, texts.map((content, column) => {
      const { kind = '', short } = columns[column];
      if (content instanceof Element && content.getAttribute('role')) return content;
      return el('div', { role: 'gridcell', class: kind, 'data-short': short }, content);
    }));
    row.style.top = `${at * height()}px`;
    row.at = at;
    return row;
  }

  function draw(everything) {
    body.style.height = `${rows.length * height()}px`;
    const top = body.getBoundingClientRect().top;
    const first = everything ? 0 : Math.max(0, Math.floor(-top / height()) - 8);
    const end = Math.min(rows.length, everything ? 200 : Math.ceil((innerHeight - top) / height()) + 8);
    for (const [at, row] of shown) {
      if ((at < first || at >= end) && !row.contains(document.activeElement)) {
        row.remove();
        shown.delete(at);
      }
    }
    let next = null;
    for (let at = end - 1; at >= first; at--) {
      if (!shown.has(at)) {
        shown.set(at, make(at));
        body.insertBefore(shown.get(at), next);
      }
      next = shown.get(at);
    }
  }

  function focus(at) {
    if (rows.length === 0) return;
    shown.get(current)?.setAttribute('tabindex', NONE);
    current = Math.max(0, Math.min(at, rows.length - 1));
    const top = body.getBoundingClientRect().top + current * height();
    if (top < 2 * height()) scrollBy(0, top - 2 * height());
    else if (top + 2 * height() > innerHeight) scrollBy(0, top + 2 * height() - innerHeight);
    draw();
    const row = shown.get(current);
    row?.setAttribute('tabindex', 0);
    row?.focus({ preventScroll: true });
  }

  const rowOf = (event) => event.target.closest('.row');
  body.addEventListener('click', (event) => {
    const row = rowOf(event);
    if (row && enter && !event.target.closest('a')) enter(rows[row.at], event);
  });
  body.addEventListener('keydown', (event) => {
    const row = rowOf(event);
    if (!row || event.ctrlKey || event.altKey || event.metaKey) return;
    const page = Math.max(1, Math.floor(innerHeight / height()) - 4);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -rows.length, End: rows.length };
    if (event.key in steps) focus(row.at + steps[event.key]);
    else if (event.key === 'Enter' && enter) enter(rows[row.at], event);
    else if (!key?.(event, rows[row.at], row.at)) return;
    event.preventDefault();
  });
  return { node, draw, focus };
}

/** The width of a column of figures: that of its longest one or of its title. */
function room(title, texts) {
  const longest = texts.reduce((most, text) => Math.max(most, text.length), title.length + 1);
  return `${longest + 1}ch`;
}

/** The texts of the largest and the smallest of many numbers, which take the most room. */
function extremes(values, text) {
  let [most, least] = [0, 0];
  for (const value of values) {
    if (Number(value) > Number(most)) most = value;
    if (Number(value) < Number(least)) least = value;
  }
  return [text(most), text(least)];
}

function share(text) {
  const width = Math.max(0, Math.min(100, parseFloat(text.replace(/,/g, '')) || 0));
  return el('div', { role: 'gridcell', class: 'figure share', '--share': `${width}%`, 'data-short': 'self %' }, text);
}

function named(index, text = shortName(index)) {
  return el('a', { href: toFunction(index), title: functions.name[index], tabindex: NONE }, text);
}

// ---- Functions ---------------------------------------------------------------------------------

/**
 * What functions cost by themselves when hidden ones are left out: hand their self costs to the
 * nearest callers that are shown, as far as the stacks tell these.
 */
function charged(isHidden) {
  const own = functions.self[state.event].map(BigInt);
  const payer = new Int32Array(stacks.parent.length);
  stacks.parent.forEach((parent, node) => {
    const index = stacks.function[node];
    const above = parent === NONE ? NONE : payer[parent];
    const isShown = index >= 0 && !isHidden(index);
    payer[node] = isShown ? index : above;
    if (!isShown && index >= 0 && above !== NONE) own[above] += BigInt(stacks.self[state.event][node]);
  });
  return own;
}

function showFunctions() {
  const status = el('p', { class: 'soft', role: 'status' });
  const place = el('div');
  let table;
  const update = () => {
    const hides = state.hide.split(/\s+/).filter(Boolean).map(containing);
    const hidden = functions.name.map((_, index) => hides.some((matches) => matches(index)));
    const isCharged = state.charge && hides.length > 0 && stacks !== null;
    const own = isCharged ? charged((index) => hidden[index]) : functions.self[state.event];
    const inclusive = functions.inclusive[state.event];
    const matches = containing(state.search);
    const rows = [];
    for (let index = 0; index < hidden.length; index++) if (!hidden[index] && matches(index)) rows.push(index);
    const parts = [];
    if (state.search || hides.length > 0) {
      const cost = sum(rows.map((index) => own[index]));
      parts.push(`${counted(rows.length, 'function')} with a self cost of ${withUnit(cost)} (${percent(cost, total())} %)`);
    }
    if (isCharged) {
      const is = sum(own.filter((_, index) => !hidden[index])) - sum(functions.self[state.event].filter((_, index) => !hidden[index]));
      const all = sum(functions.self[state.event].filter((_, index) => hidden[index]));
      parts.push(`of the ${withUnit(all)} that hidden functions cost, ${withUnit(is)} are charged to their callers here`);
    }
    status.textContent = parts.join('; ');
    sortFunctions(rows, own);
    if (data.rest.functions > 0 && !state.search && hides.length === 0) rows.push(NONE);
    const costs = extremes(own, cost);
    const sums = extremes(inclusive, cost);
    table = grid({
      label: 'Functions',
      columns: [
        { title: 'Self %', sort: 'self', kind: 'figure', size: '13ch', hint: 'Its share of the total' },
        { title: heading('Self'), kind: 'figure', sort: 'self', size: room(heading('Self'), costs), hint: 'What the function costs by itself, without what it calls' },
        { title: 'Incl. %', sort: 'inclusive', kind: 'figure', size: '9ch', short: 'incl. %' },
        { title: heading('Inclusive'), sort: 'inclusive', kind: 'figure', size: room(heading('Inclusive'), sums), hint: 'With everything that it calls' },
        { title: 'Calls', sort: 'calls', kind: 'figure', size: room('Calls', extremes(functions.invocations, grouped)), short: 'calls' },
        { title: 'Function', sort: 'name', kind: 'name', size: 'minmax(0, 3fr)' },
        { title: 'File:line', sort: 'place', kind: 'place', size: 'minmax(0, 2fr)' },
      ],
      rows,
      cells: (index) => (index === NONE ? restCells() : [
        share(percent(own[index], total())), cost(own[index]),
        percent(inclusive[index], total()), cost(inclusive[index]),
        grouped(functions.invocations[index]), named(index), functionPlace(index),
      ]),
      enter: (index) => index !== NONE && go({ view: 'function', function: index, search: '', zoom: NONE }),
    });
    place.replaceChildren(table.node);
    redraw = table.draw;
    table.draw();
  };
  const hide = el('input', {
    type: 'search', id: 'hide', placeholder: 'hide, as in: vendor/ php::', 'aria-label': 'Hide functions whose names or files contain one of these', spellcheck: 'false',
    oninput: () => typed({ hide: hide.value }, update),
  });
  hide.value = state.hide;
  const charge = el('input', { type: 'checkbox', id: 'charge', checked: state.charge, onchange: () => typed({ charge: charge.checked }, update) });
  main.append(
    el('div', { class: 'bar' },
      searchField('Find a function or file  ( / )', update), hide,
      stacks ? el('label', {}, charge, ' charge what is hidden to its callers') : ''),
    status, place,
  );
  update();
}

function restCells() {
  const { functions: count, self, invocations } = data.rest;
  return [
    share(percent(self[state.event], total())), cost(self[state.event]), '', '',
    grouped(invocations), `${counted(count, 'more function')} that cost too little for this page`, '',
  ];
}

function sortFunctions(rows, own) {
  const texts = { name: (index) => functions.name[index], place: (index) => placeText(fileOf(index), 0) };
  const numbers = {
    self: own,
    inclusive: functions.inclusive[state.event],
    calls: functions.invocations,
  };
  const turn = state.turned ? -1 : 1;
  const text = texts[state.sort];
  if (text) {
    rows.sort((one, other) => turn * (text(one) < text(other) ? -1 : text(one) > text(other) ? 1 : functions.line[one] - functions.line[other]));
    return;
  }
  const values = (numbers[state.sort] || own).map(Number);
  rows.sort((one, other) => turn * (values[other] - values[one]));
}

// ---- One function ------------------------------------------------------------------------------

/** The calls into each function and out of it, as positions in the columns of `calls`. */
const edges = { callee: new Map(), caller: new Map() };
for (const end of ['callee', 'caller']) {
  calls[end].forEach((index, at) => {
    if (index === NONE) return;
    if (!edges[end].has(index)) edges[end].set(index, []);
    edges[end].get(index).push(at);
  });
}

function showFunction() {
  const index = state.function;
  const figures = events.map((event, number) => el('tr', { class: number === state.event ? 'chosen' : '' },
    el('th', { scope: 'row' }, unit(number) ? `${label(number)}, ${unit(number)}` : label(number)),
    ...['self', 'inclusive'].flatMap((which) => {
      const value = functions[which][number][index];
      return [el('td', {}, cost(value, number)), el('td', {}, percent(value, data.total[number]))];
    }),
  ));
  const titles = ['', 'self', '%', 'inclusive', '%'].map((title) => el('th', { scope: 'col' }, title));
  main.append(
    el('p', {}, el('a', { href: to({ view: 'functions' }) }, '← all functions')),
    el('h2', { class: 'name' }, functions.name[index]),
    el('p', {}, functionPlace(index), ` · called ${counted(functions.invocations[index], 'time')}`),
    el('table', { class: 'figures' }, el('thead', {}, el('tr', {}, titles)), el('tbody', {}, figures)),
  );
  if (stacks) {
    const link = (text, change) => el('a', { class: 'button', href: to({ view: 'flame', zoom: NONE, search: '', of: '', ...change }) }, text);
    main.append(el('div', { class: 'bar' },
      link('Show in the flame graph', { search: functions.name[index], function: NONE }),
      link('Graph of its callers', { of: 'callers' }),
      link('Graph of its callees', { of: 'callees' })));
  }
  const tables = [
    callTable('Callers', 'caller', edges.callee.get(index) || [], index),
    callTable('Callees', 'callee', edges.caller.get(index) || [], index),
  ].filter(Boolean);
  redraw = (everything) => tables.forEach((table) => table.draw(everything));
}

function callTable(title, other, list, index) {
  const costs = calls.cost[state.event];
  const inclusive = functions.inclusive[state.event][index];
  const what = other === 'caller' ? 'who calls it, and what these calls cost' : 'what it calls, and what these calls cost';
  main.append(el('h3', {}, `${title} `, el('span', { class: 'soft' }, `${what} (${grouped(list.length)})`)));
  if (list.length === 0) {
    main.append(el('p', { class: 'soft' }, `no ${other}`));
    return null;
  }
  const rows = [...list].sort((one, otherOne) => Number(costs[otherOne]) - Number(costs[one]));
  const functionOf = (at) => calls[other][at];
  const table = grid({
    label: title,
    columns: [
      { title: 'Cost %', kind: 'figure', size: '13ch', hint: 'Of the total; the bar: of what this function costs with all it calls' },
      { title: heading('Cost'), kind: 'figure', size: room(heading('Cost'), extremes(rows.map((at) => costs[at]), cost)) },
      { title: 'Calls', kind: 'figure', size: room('Calls', extremes(rows.map((at) => calls.calls[at]), grouped)), short: 'calls' },
      { title: title.slice(0, -1), kind: 'name', size: 'minmax(0, 3fr)' },
      { title: 'Called at', kind: 'place', size: 'minmax(0, 2fr)' },
    ],
    rows,
    cells: (at) => {
      const bar = share(percent(costs[at], total()));
      bar.style.setProperty('--share', `${Math.max(0, Math.min(100, 100 * Number(costs[at]) / Number(inclusive) || 0))}%`);
      bar.dataset.short = '%';
      return [
        bar, cost(costs[at]), grouped(calls.calls[at]),
        functionOf(at) === NONE ? 'others, which cost too little for this page' : named(functionOf(at)),
        calls.caller[at] === NONE || calls.file[at] === NONE ? '' : place(data.files[calls.file[at]], calls.line[at]),
      ];
    },
    enter: (at) => functionOf(at) !== NONE && go({ view: 'function', function: functionOf(at) }),
  });
  main.append(table.node);
  return table;
}

// ---- Stacks ------------------------------------------------------------------------------------

/** The name of a node, which is that of its function unless it has one of its own. */
function nodeName(tree, node, ofFunction = (index) => functions.name[index]) {
  return tree.frame[node] === NONE ? ofFunction(tree.function[node]) : stacks.frames[tree.frame[node]];
}
const nodeShort = (tree, node) => nodeName(tree, node, shortName);
/** What stands for the stacks that cost too little for the page. */
const isRest = (tree, node) => tree.function[node] === NONE && nodeName(tree, node) === '…';

/** A tree with sums for the event that is shown; what has no parent is below a node of its own. */
function shaped(tree) {
  const { event } = state;
  const length = tree.parent.length;
  const own = Float64Array.from(tree.self[event], Number);
  const old = tree.base && Float64Array.from(tree.base[event], Number);
  const inclusive = new Float64Array(length + 1);
  const before = new Float64Array(length + 1);
  // Freed memory has no width.
  const width = new Float64Array(length + 1);
  const below = Array.from({ length: length + 1 }, () => []);
  for (let node = length - 1; node >= 0; node--) {
    const above = tree.parent[node] === NONE ? length : tree.parent[node];
    inclusive[node] += own[node];
    before[node] += old ? old[node] : 0;
    width[node] += Math.max(own[node], old ? old[node] : 0, 0);
    inclusive[above] += inclusive[node];
    before[above] += before[node];
    width[above] += width[node];
    below[above].push(node);
  }
  const heavy = (one, other) => width[other] - width[one] || one - other;
  for (const nodes of below) if (nodes.length > 1) nodes.sort(heavy);
  return { tree, own, old, inclusive, before, width, below, all: length };
}

let lastShape;

function shapeOf() {
  const key = [state.event, state.of, state.of && state.function].join();
  if (lastShape?.key !== key) {
    const tree = { callers: callersOf, callees: calleesOf }[state.of]?.(state.function) || stacks;
    lastShape = { key, ...shaped(tree) };
  }
  return lastShape;
}

/** A tree that is filled by paths of functions. */
function emptyTree() {
  const tree = { parent: [], function: [], frame: [], calls: [], estimated: [], self: events.map(() => []), base: stacks.base && events.map(() => []) };
  const found = new Map();
  const step = (parent, of) => {
    const key = `${parent} ${stacks.function[of]} ${stacks.frame[of]}`;
    if (!found.has(key)) {
      found.set(key, tree.parent.length);
      tree.parent.push(parent);
      tree.function.push(stacks.function[of]);
      tree.frame.push(stacks.frame[of]);
      tree.calls.push(0);
      tree.estimated.push(0);
      for (const costs of [...tree.self, ...(tree.base || [])]) costs.push(0);
    }
    const node = found.get(key);
    if (stacks.estimated[of]) tree.estimated[node] = 1;
    return node;
  };
  return { tree, step };
}

/** What a function calls, wherever it is called: all that stands below it in the stacks. */
function calleesOf(index) {
  const { tree, step } = emptyTree();
  const place = new Int32Array(stacks.parent.length).fill(NONE);
  stacks.parent.forEach((parent, node) => {
    const above = parent === NONE ? NONE : place[parent];
    if (above === NONE && stacks.function[node] !== index) return;
    const own = step(above, node);
    place[node] = own;
    tree.calls[own] += Number(stacks.calls[node]);
    tree.self.forEach((costs, event) => { costs[own] += Number(stacks.self[event][node]); });
    tree.base?.forEach((costs, event) => { costs[own] += Number(stacks.base[event][node]); });
  });
  return tree;
}

/** Who calls a function, and who calls these: the costs are those of the function. */
function callersOf(index) {
  const { tree, step } = emptyTree();
  const within = new Uint8Array(stacks.parent.length);
  const sums = [...stacks.self, ...(stacks.base || [])].map((costs) => Float64Array.from(costs, Number));
  for (let node = stacks.parent.length - 1; node >= 0; node--) {
    const parent = stacks.parent[node];
    if (parent !== NONE) for (const costs of sums) costs[parent] += costs[node];
  }
  stacks.parent.forEach((parent, node) => {
    const isBelow = parent !== NONE && within[parent];
    const isIt = stacks.function[node] === index;
    within[node] = isBelow || isIt ? 1 : 0;
    if (isBelow || !isIt) return;
    let [at, end] = [node, NONE];
    for (; at !== NONE; at = stacks.parent[at]) {
      end = step(end, at);
      tree.calls[end] += Number(stacks.calls[node]);
    }
    [...tree.self, ...(tree.base || [])].forEach((costs, which) => { costs[end] += sums[which][node]; });
  });
  return tree;
}

function noStacks() {
  main.append(
    el('h2', {}, 'There are no stacks in this profile'),
    el('p', {}, 'It says what functions cost, and not who called them: Cachegrind, for example, does not record calls.'),
    el('p', {}, 'Record with “valgrind --tool=callgrind --separate-callers=10” (C, C++, Rust) or with Xdebug’s profiler (PHP) to see this view.'),
  );
}

/** What stands over a graph of the callers or callees of one function. */
function ofFunction() {
  if (!state.of) return [];
  return [el('p', {},
    state.of === 'callers' ? 'Who calls ' : 'What is called by ', named(state.function),
    state.of === 'callers' ? ': below a frame stand those that call it. The costs are those of that function. ' : '. ',
    el('a', { href: to({ of: '', zoom: NONE, function: NONE }) }, 'Show all stacks'))];
}

/** The share of the cost that frames with a text have; none counts twice. */
function markedShare(shape, matches) {
  const { tree } = shape;
  const within = new Uint8Array(shape.all);
  let cost = 0;
  for (let node = 0; node < shape.all; node++) {
    const parent = tree.parent[node];
    const isBelow = parent !== NONE && within[parent] === 1;
    within[node] = isBelow || matches(node) ? 1 : 0;
    if (within[node] && !isBelow) cost += shape.inclusive[node];
  }
  return cost;
}

function nodeMatcher(tree) {
  if (!state.search) return () => false;
  const matches = containing(state.search);
  const wanted = state.search.toLowerCase();
  const found = functions.name.map((_, index) => matches(index));
  return (node) => found[tree.function[node]] || (tree.frame[node] !== NONE && nodeName(tree, node).toLowerCase().includes(wanted));
}

const exact = (number) => BigInt(Math.round(number));

// ---- Flame graph -------------------------------------------------------------------------------

function showFlame() {
  if (!stacks) return noStacks();
  const shape = shapeOf();
  const { tree, all } = shape;
  const zoom = state.zoom >= 0 && state.zoom < all ? state.zoom : all;
  const about = el('div', { class: 'about', 'aria-live': 'off' });
  const status = el('span', { class: 'soft', role: 'status' });
  const flame = el('div', { class: 'flame', role: 'group', 'aria-label': 'Flame graph; the tree view shows the same as rows' });
  const legend = el('ul', { class: 'legend', 'aria-label': 'Colours' });
  const frames = new Map();
  let current;

  const name = (node) => (node === all ? 'all' : nodeName(tree, node));
  const zoomTo = (node) => go({ zoom: node === all ? NONE : node });

  function describe(node) {
    const inclusive = exact(shape.inclusive[node]);
    const of = (whole, text) => `${percent(inclusive, exact(shape.inclusive[whole]))} % of ${text}`;
    const index = node === all ? NONE : tree.function[node];
    const parts = [`${state.of === 'callers' ? 'cost' : 'inclusive'} ${withUnit(inclusive)}`, `${percent(inclusive, total())} % of the total`];
    if (zoom !== all) parts.push(of(zoom, 'what is zoomed'));
    if (node !== all && state.of !== 'callers') parts.push(`self ${withUnit(exact(shape.own[node]))} (${percent(exact(shape.own[node]), total())} %)`);
    if (node !== all && data.kind !== 'aggregate' && Number(tree.calls[node])) parts.push(counted(tree.calls[node], 'call'));
    if (shape.old) {
      const change = inclusive - exact(shape.before[node]);
      parts.push(`before ${withUnit(exact(shape.before[node]))}, change ${signed(change, withUnit(change))}`);
    }
    if (node !== all && tree.estimated[node]) parts.push('estimated');
    return { index, line: parts.join(' · ') };
  }

  function tell(node) {
    const { index, line } = describe(node);
    about.replaceChildren(
      el('div', { class: 'name' }, name(node)),
      el('div', { class: 'line' }, line, ...(index >= 0 ? [' · ', functionPlace(index), ' · ', el('a', { href: toFunction(index) }, 'callers and callees')] : [])),
    );
  }

  function fit(node, width) {
    const text = node === all ? 'all' : nodeShort(tree, node);
    if (text.length * 7.3 <= width) return text;
    const end = text.split('(')[0].lastIndexOf('\\');
    return end > 0 && !text.startsWith('{') ? text.slice(end + 1) : text;
  }

  function colours(node) {
    if (node === all || isRest(tree, node)) return { class: 'frame rest' };
    const estimated = tree.estimated[node] ? ' estimated' : '';
    if (state.colours === 'change' && shape.old) {
      const change = shape.own[node] - shape.old[node];
      const most = Math.max(Math.abs(shape.own[node]), Math.abs(shape.old[node]));
      const strength = most === 0 ? 0 : Math.min(1, Math.abs(change) / most + 0.1);
      const isNoise = Math.abs(change) * 10000 < shape.width[all];
      return { class: `frame${estimated}`, '--hue': change > 0 ? 4 : 215, '--strength': isNoise ? '0%' : `${Math.round(20 + 60 * strength)}%` };
    }
    const index = tree.function[node];
    const { '--hue': hues, '--strength': strength } = index >= 0 ? shade(index, state.colours) : { '--hue': 0, '--strength': '0%' };
    return { class: `frame${estimated}`, '--hue': hues, ...(strength && { '--strength': strength }) };
  }

  function draw() {
    const focused = document.activeElement?.node;
    const scale = flame.clientWidth / (shape.width[zoom] || 1);
    const matches = nodeMatcher(tree);
    flame.replaceChildren();
    frames.clear();
    let deepest = 0;
    const pending = [[zoom, 0, 0]];
    const made = document.createDocumentFragment();
    while (pending.length > 0) {
      const [node, left, level] = pending.pop();
      const width = shape.width[node] * scale;
      deepest = Math.max(deepest, level);
      const frame = el('div', { role: 'button', tabindex: NONE, ...colours(node) });
      if (width < 12) frame.classList.add('thin');
      else frame.textContent = fit(node, width);
      if (node !== all && matches(node)) frame.classList.add('match');
      frame.style.cssText += `;left:${left.toFixed(2)}px;top:${level * 20}px;width:${width.toFixed(2)}px`;
      frame.node = node;
      frame.level = level;
      frames.set(node, frame);
      made.append(frame);
      let start = left;
      const next = [];
      for (const child of shape.below[node]) {
        const room = shape.width[child] * scale;
        if (room < 0.5) break;
        next.push([child, start, level + 1]);
        start += room;
      }
      pending.push(...next.reverse());
    }
    flame.append(made);
    flame.style.height = `${(deepest + 1) * 20}px`;
    flame.classList.toggle('searched', state.search !== '');
    current = frames.get(focused) || frames.get(zoom);
    current.tabIndex = 0;
    if (focused !== undefined) current.focus({ preventScroll: true });
    const cost = state.search ? exact(markedShare(shape, matches)) : 0n;
    status.textContent = state.search ? `marked: ${withUnit(cost)}, ${percent(cost, total())} % of the total` : '';
  }

  const visit = (frame) => {
    if (!frame) return;
    current.tabIndex = NONE;
    current = frame;
    frame.tabIndex = 0;
    frame.setAttribute('aria-label', `${name(frame.node)}, ${describe(frame.node).line}`);
    tell(frame.node);
    frame.focus();
  };
  const beside = (frame, step) => {
    const level = [...flame.children].filter((other) => other.level === frame.level);
    level.sort((one, other) => parseFloat(one.style.left) - parseFloat(other.style.left));
    return level[level.indexOf(frame) + step];
  };
  flame.addEventListener('mouseover', (event) => { if (event.target.node !== undefined) tell(event.target.node); });
  flame.addEventListener('mouseleave', () => tell(zoom));
  flame.addEventListener('click', (event) => { if (event.target.node !== undefined) zoomTo(event.target.node); });
  flame.addEventListener('keydown', (event) => {
    const frame = event.target;
    const moves = {
      ArrowDown: () => visit(frames.get(shape.below[frame.node][0])),
      ArrowUp: () => frame.node !== zoom && visit(frames.get(tree.parent[frame.node] === NONE ? all : tree.parent[frame.node])),
      ArrowRight: () => visit(beside(frame, 1)),
      ArrowLeft: () => visit(beside(frame, -1)),
      Enter: () => zoomTo(frame.node),
    };
    if (!Object.hasOwn(moves, event.key)) return;
    event.preventDefault();
    moves[event.key]();
  });

  const crumbs = [];
  for (let node = zoom; node !== all && node !== NONE; node = tree.parent[node]) crumbs.unshift(node);
  const path = el('nav', { class: 'crumbs', 'aria-label': 'Callers of what is zoomed' }, [all, ...crumbs].flatMap((node, at) => [
    at > 0 ? ' › ' : '',
    node === zoom ? el('b', {}, node === all ? 'all' : nodeShort(tree, node)) : el('button', { onclick: () => zoomTo(node), title: name(node) }, node === all ? 'all' : nodeShort(tree, node)),
  ]));
  const choices = { ...(shape.old && { change: 'change' }), package: 'package or folder', file: 'file' };
  const select = el('select', { 'aria-label': 'Colours by', onchange: () => go({ colours: select.value }) },
    Object.entries(choices).map(([value, text]) => el('option', { value, selected: value === state.colours }, `colours: ${text}`)));
  main.append(
    ...ofFunction(),
    el('div', { class: 'bar' }, searchField('Mark functions or files  ( / )', draw), select, status),
    about,
    ...(zoom === all ? [] : [path]),
    flame,
    legend,
    el('p', { class: 'soft' }, 'The width of a frame is its cost with all it calls; callers stand above. Click to zoom, Esc to see all again. Arrow keys move, Enter zooms. ', ...leftOut()),
  );
  tell(zoom);
  legend.append(...legendItems(shape, zoom));
  draw();
  redraw = (everything, isResized) => { if (isResized) draw(); };
}

function leftOut() {
  const { left_out: count } = stacks;
  return count > 0 ? [`${counted(count, 'stack')} that cost too little for this page ${count === 1 ? 'is' : 'are'} summed up as …`] : [];
}

/** What the colours stand for, the costliest first. */
function legendItems(shape, zoom) {
  const { tree, all } = shape;
  const items = [];
  const item = (style, text, kind) => el('li', {}, el('i', { class: kind, ...style }), text);
  if (state.colours === 'change' && shape.old) {
    items.push(item({ '--hue': 4, '--strength': '80%' }, 'self cost grew'), item({ '--hue': 215, '--strength': '80%' }, 'self cost shrank'), item({ '--hue': 0, '--strength': '0%' }, 'did not change'));
  } else {
    const groups = new Map();
    const within = new Uint8Array(all);
    for (let node = 0; node < all; node++) {
      const parent = tree.parent[node];
      within[node] = zoom === all || node === zoom || (parent !== NONE && within[parent]) ? 1 : 0;
      if (!within[node] || tree.function[node] < 0) continue;
      const colour = shade(tree.function[node], state.colours);
      const entry = groups.get(colour.name) || { colour, cost: 0 };
      entry.cost += shape.own[node];
      groups.set(colour.name, entry);
    }
    const costly = [...groups.values()].sort((one, other) => other.cost - one.cost);
    for (const { colour: { name, ...style }, cost } of costly.slice(0, 8)) {
      if (cost > 0) items.push(item(style['--strength'] ? style : { '--hue': style['--hue'] }, `${name} ${percent(exact(cost), exact(shape.inclusive[zoom]))} %`));
    }
  }
  if (tree.estimated.some(Boolean)) items.push(item({}, 'estimated: divided among callers by what their calls cost', 'estimated'));
  return items;
}

// ---- Tree --------------------------------------------------------------------------------------

function showTree() {
  if (!stacks) return noStacks();
  const shape = shapeOf();
  const { tree, all, below, inclusive, own } = shape;
  const order = (one, other) => inclusive[other] - inclusive[one] || one - other;
  const open = new Set();
  const place = el('div');
  const status = el('span', { class: 'soft', role: 'status' });
  let rows;
  let table;
  let matches;

  const children = (node) => [...below[node]].sort(order);
  function openPath(node) {
    for (let at = children(node)[0]; at !== undefined && inclusive[at] * 20 > inclusive[all]; at = children(at)[0]) open.add(at);
  }
  function list() {
    rows = [];
    const pending = children(all).reverse().map((node) => [node, 1]);
    while (pending.length > 0) {
      const [node, level] = pending.pop();
      rows.push([node, level]);
      if (open.has(node)) pending.push(...children(node).reverse().map((child) => [child, level + 1]));
    }
  }
  function update(focused) {
    list();
    table = grid({
      role: 'treegrid',
      label: 'Tree of calls',
      columns: [
        { title: 'Incl. %', kind: 'figure', size: '13ch' },
        { title: heading('Inclusive'), kind: 'figure', size: room(heading('Inclusive'), extremes(inclusive, (value) => cost(exact(value)))) },
        { title: heading('Self'), kind: 'figure', size: room(heading('Self'), extremes(own, (value) => cost(exact(value)))), short: 'self' },
        { title: 'Calls', kind: 'figure', size: room('Calls', extremes(tree.calls, grouped)), short: 'calls' },
        { title: 'Function', kind: 'name', size: 'minmax(0, 1fr)' },
      ],
      rows,
      cells: ([node, level]) => {
        const bar = share(percent(exact(inclusive[node]), total()));
        bar.dataset.short = 'incl. %';
        const index = tree.function[node];
        const fold = below[node].length > 0 ? (open.has(node) ? '▾' : '▸') : '';
        const text = el('span', {}, el('span', { class: 'fold', 'aria-hidden': 'true' }, fold), index >= 0 ? named(index) : nodeName(tree, node), tree.estimated[node] ? ' (estimated)' : '');
        text.style.paddingLeft = `min(${(level - 1) * 14}px, 45vw)`;
        return [bar, cost(exact(inclusive[node])), cost(exact(own[node])), isRest(tree, node) ? '' : grouped(tree.calls[node]), text];
      },
      attributes: ([node, level]) => ({
        'aria-level': level,
        'aria-expanded': below[node].length > 0 ? String(open.has(node)) : undefined,
        class: matches(node) ? 'row match' : 'row',
      }),
      enter: ([node], event) => (event.type === 'keydown' ? tree.function[node] >= 0 && go({ view: 'function', function: tree.function[node], search: '' }) : turn(node)),
      key: (event, [node], at) => {
        const parent = tree.parent[node];
        if (event.key === ' ') turn(node);
        else if (event.key === 'ArrowRight' && below[node].length > 0) open.has(node) ? table.focus(at + 1) : turn(node);
        else if (event.key === 'ArrowLeft' && open.has(node)) turn(node);
        else if (event.key === 'ArrowLeft' && parent !== NONE) table.focus(rows.findIndex(([other]) => other === parent));
        else return false;
        return true;
      },
    });
    place.replaceChildren(table.node);
    redraw = table.draw;
    table.draw();
    if (focused !== undefined) table.focus(rows.findIndex(([node]) => node === focused));
  }
  function turn(node) {
    if (below[node].length === 0) return;
    if (open.delete(node)) return update(node);
    open.add(node);
    openPath(node);
    update(node);
  }
  /** Opens the way to what is searched for, the costliest first. */
  function search() {
    matches = nodeMatcher(tree);
    if (state.search) {
      const found = [];
      for (let node = 0; node < all; node++) if (matches(node)) found.push(node);
      found.sort(order);
      for (const node of found.slice(0, 300)) {
        for (let at = tree.parent[node]; at !== NONE && !open.has(at); at = tree.parent[at]) open.add(at);
      }
      const marked = exact(markedShare(shape, matches));
      status.textContent = `marked: ${withUnit(marked)}, ${percent(marked, total())} % of the total`;
    } else status.textContent = '';
    update();
  }
  openPath(all);
  main.append(
    ...ofFunction(),
    el('div', { class: 'bar' }, searchField('Mark functions or files  ( / )', search), status),
    place,
    el('p', { class: 'soft' }, 'A click or the arrow keys → and ← open and close a row, Enter shows its function. ', ...leftOut()),
  );
  search();
}

// ---- Changes -----------------------------------------------------------------------------------

function showChanges() {}

// ---- Keys, and the first look ------------------------------------------------------------------

addEventListener('keydown', (event) => {
  const isField = event.target.matches?.('input[type="search"], select');
  if (event.key === '/' && !isField && !event.ctrlKey && !event.metaKey) {
    const field = document.getElementById('search');
    if (!field) return;
    event.preventDefault();
    field.focus();
    field.select();
  } else if (event.key === 'Escape') {
    if (isField && event.target.value) return;
    if (isField) event.target.blur();
    else if (state.zoom !== NONE) go({ zoom: NONE });
  } else if (isField && (event.key === 'ArrowDown' || event.key === 'Enter') && event.target.type === 'search') {
    const first = main.querySelector('.row[tabindex="0"], .frame[tabindex="0"]');
    if (!first) return;
    event.preventDefault();
    first.focus();
  }
});
addEventListener('scroll', () => requestAnimationFrame(() => redraw()), { passive: true });
addEventListener('resize', () => requestAnimationFrame(() => redraw(false, true)));
NARROW.addEventListener('change', render);
addEventListener('beforeprint', () => redraw(true));

document.title = `${data.command} – profile`;
document.getElementById('bottom').append(
  `Made by ${data.program}. `,
  el('span', { class: 'keys' }, 'Keys: / search · arrows in rows and frames · Enter opens · Esc goes back'),
);
state = stateOf(location.hash);
render();
requestAnimationFrame(() => setTimeout(() => {
  performance.mark('shown');
  performance.measure('cg-preprocess', 'begin', 'shown');
}));
