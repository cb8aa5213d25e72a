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
const GREY = { '--hue': 0, '--strength': '0%' };

/** What a function's frames are coloured by, and the colour as CSS variables. */
function shade(index, by) {
  const name = group(index, by);
  if (!shades.has(name)) {
    const isGrey = name === 'PHP itself' || name === 'unknown';
    shades.set(name, { name, style: { '--hue': hue(name), ...(isGrey && { '--strength': '8%' }) } });
  }
  return shades.get(name);
}

// ---- State, all of which is in the address -----------------------------------------------------

const views = {
  ...(comparison && { changes: { title: 'Changes', show: showChanges } }),
  functions: { title: 'Functions', show: showFunctions },
  function: { show: showFunction },
  flame: { title: 'Flame graph', show: showFlame },
  tree: { title: 'Tree', show: showTree },
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
    if (found.view === 'function') found.view = 'functions';
  }
  if (found.function === NONE || !['callers', 'callees'].includes(found.of)) found.of = '';
  if (!comparison && found.colours === 'change') found.colours = 'package';
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
  typing = setTimeout(() => history.replaceState(null, '', address(state)), 250);
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
  const link = (view) => el('a', { href: to({ view, of: '', function: NONE, zoom: NONE, search: '' }), 'aria-current': view === currentView() ? 'page' : undefined }, views[view].title);
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

/** The width of a column of figures: that of its longest one or of its title. */
function room(title, values, text) {
  let [most, least] = [0, 0];
  for (const value of values) {
    if (Number(value) > Number(most)) most = value;
    if (Number(value) < Number(least)) least = value;
  }
  return `${Math.max(text(most).length, text(least).length, title.length + 1) + 1}ch`;
}

/** A column of figures: `value(row)` of each row as a text. */
const figures = (title, rows, value, text, more) => ({
  title, kind: 'figure', short: title.toLowerCase(), size: room(title, rows.map(value), text), cell: (row) => text(value(row)), ...more,
});

/** A column of costs in the unit of the event. */
const costs = (title, rows, value, more) => figures(heading(title), rows, value, cost, { short: unit(), ...more });

/** A column of shares of the total, with bars; these can be shares of something else. */
const shares = (title, value, more, whole = total()) => ({
  title, kind: 'figure share', size: '13ch', short: title.toLowerCase(), cell: (row) => percent(value(row), total()), bar: (row) => 100 * Number(value(row)) / Number(whole), ...more,
});

/**
 * A table. A column has a `title`, a `size` and what stands in the `cell` of a row. `enter(row)` is
 * what a click and Enter do; `key(event, row)` says whether it has taken a key.
 */
function grid({ columns, rows, enter, key, label: name, role = 'grid', attributes = () => ({}) }) {
  const titles = columns.map(({ title, sort, hint, kind }) => {
    const isSorted = sort !== undefined && state.sort === sort;
    const isRising = kind.startsWith('figure') === state.turned;
    return el('div', {
      role: 'columnheader', class: `${kind} ${sort ? '' : 'fixed'}`, title: hint,
      'aria-sort': isSorted ? (isRising ? 'ascending' : 'descending') : undefined,
    }, sort ? el('button', { onclick: () => go({ sort, turned: isSorted && !state.turned }) }, title) : title);
  });
  const body = el('div', { role: 'rowgroup', class: 'body' });
  const head = el('div', { role: 'row', class: 'head', 'aria-rowindex': 1 }, titles);
  const node = el('div', {
    role, class: 'grid', 'aria-label': name, 'aria-rowcount': rows.length + 1, '--columns': columns.map(({ size }) => size).join(' '),
  }, el('div', { role: 'rowgroup', class: 'heads' }, head), body);
  const shown = new Map();
  let current = 0;
  const height = () => (NARROW.matches ? 48 : 28);

  function make(at) {
    const cells = columns.map(({ kind, short, cell, bar }) => el('div', {
      role: 'gridcell', class: kind, 'data-short': short, ...(bar && { '--share': `${Math.max(0, Math.min(100, bar(rows[at]) || 0))}%` }),
    }, cell(rows[at])));
    const row = el('div', {
      role: 'row', class: enter ? 'row' : 'row plain', 'aria-rowindex': at + 2, tabindex: at === current ? 0 : NONE, ...attributes(rows[at]),
    }, cells);
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
    shown.get(current)?.setAttribute('tabindex', NONE);
    current = Math.max(0, Math.min(at, rows.length - 1));
    const top = body.getBoundingClientRect().top + current * height();
    if (top < 2 * height()) scrollBy(0, top - 2 * height());
    else if (top + 2 * height() > innerHeight) scrollBy(0, top + 2 * height() - innerHeight);
    draw();
    shown.get(current)?.setAttribute('tabindex', 0);
    shown.get(current)?.focus({ preventScroll: true });
  }

  body.addEventListener('click', (event) => {
    const row = event.target.closest('.row');
    if (row && enter && !event.target.closest('a')) enter(rows[row.at], event);
  });
  body.addEventListener('keydown', (event) => {
    const row = event.target.closest('.row');
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

/** Shows a table in a place, in which there may be an earlier one. */
function put(place, table) {
  place.replaceChildren(table.node);
  redraw = table.draw;
  table.draw();
}

/** A link to a function. Where there is too little room, its namespace is cut and not its own name. */
function named(index, text = shortName(index)) {
  const end = text.startsWith('{') ? 0 : text.split('(')[0].lastIndexOf('\\') + 1;
  const parts = [el('span', { class: 'outer' }, text.slice(0, end)), el('span', { class: 'own' }, text.slice(end))];
  return el('a', { href: toFunction(index), title: functions.name[index], tabindex: NONE }, parts);
}
const nameColumn = (title, name, sort) => ({ title, sort, kind: 'name', size: 'minmax(0, 3fr)', cell: name });
const placeColumn = (title, place, sort) => ({ title, sort, kind: 'place', size: 'minmax(0, 2fr)', cell: place });

// ---- Functions ---------------------------------------------------------------------------------

/**
 * What functions cost by themselves when hidden ones are left out: these hand their self costs to
 * the nearest callers that are shown, as far as the stacks tell them.
 */
function charged(hidden) {
  const own = functions.self[state.event].map(BigInt);
  const payer = [];
  let moved = 0n;
  stacks.parent.forEach((parent, node) => {
    const index = stacks.function[node];
    const above = parent === NONE ? NONE : payer[parent];
    payer[node] = index === NONE || hidden[index] ? above : index;
    if (index === NONE || !hidden[index] || above === NONE) return;
    const cost = BigInt(stacks.self[state.event][node]);
    own[above] += cost;
    moved += cost;
  });
  return { own, moved };
}

function showFunctions() {
  const status = el('p', { class: 'soft', role: 'status' });
  const list = el('div');
  const update = () => {
    const hides = state.hide.split(/\s+/).filter(Boolean).map(containing);
    const hidden = functions.name.map((_, index) => hides.some((matches) => matches(index)));
    const costsOf = functions.self[state.event];
    const { own, moved } = state.charge && hides.length > 0 && stacks ? charged(hidden) : { own: costsOf };
    const matches = containing(state.search);
    const rows = [...hidden.keys()].filter((index) => !hidden[index] && matches(index));
    const texts = [];
    if (state.search || hides.length > 0) {
      const cost = sum(rows.map((index) => own[index]));
      texts.push(`${counted(rows.length, 'function')} with a self cost of ${withUnit(cost)} (${percent(cost, total())} %)`);
    }
    if (moved !== undefined) {
      const all = sum(costsOf.filter((_, index) => hidden[index]));
      texts.push(`of the ${withUnit(all)} that hidden functions cost, ${withUnit(moved)} are charged to their callers`);
    }
    status.textContent = texts.join('; ');
    sortFunctions(rows, own);
    if (data.rest.functions > 0 && !state.search && hides.length === 0) rows.push(NONE);
    const ownOf = (index) => (index === NONE ? data.rest.self[state.event] : own[index]);
    const inclusiveOf = (index) => (index === NONE ? 0 : functions.inclusive[state.event][index]);
    const callsOf = (index) => (index === NONE ? data.rest.invocations : functions.invocations[index]);
    const rest = `${counted(data.rest.functions, 'more function')} that cost too little for this page`;
    put(list, grid({
      label: 'Functions',
      columns: [
        shares('Self %', ownOf, { sort: 'self', hint: 'Its share of the total' }),
        costs('Self', rows, ownOf, { sort: 'self', hint: 'What the function costs by itself, without what it calls' }),
        shares('Incl. %', inclusiveOf, { sort: 'inclusive', kind: 'figure', bar: undefined, size: '9ch' }),
        costs('Inclusive', rows, inclusiveOf, { sort: 'inclusive', kind: 'figure wide', hint: 'With everything that it calls' }),
        figures('Calls', rows, callsOf, grouped, { sort: 'calls' }),
        nameColumn('Function', (index) => (index === NONE ? rest : named(index)), 'name'),
        placeColumn('File:line', (index) => (index === NONE ? '' : functionPlace(index)), 'place'),
      ],
      rows,
      enter: (index) => index !== NONE && go({ view: 'function', function: index, search: '', zoom: NONE }),
    }));
  };
  const hide = el('input', {
    type: 'search', id: 'hide', placeholder: 'Hide, as in: vendor/ php::', spellcheck: 'false',
    'aria-label': 'Hide functions whose names or files contain one of these', oninput: () => typed({ hide: hide.value }, update),
  });
  hide.value = state.hide;
  const charge = el('input', { type: 'checkbox', id: 'charge', checked: state.charge, onchange: () => typed({ charge: charge.checked }, update) });
  const choice = stacks ? el('label', {}, charge, ' charge what is hidden to its callers') : '';
  main.append(el('div', { class: 'bar' }, searchField('Find a function or file  ( / )', update), hide, choice), status, list);
  update();
}

function sortFunctions(rows, own) {
  const turn = state.turned ? -1 : 1;
  const texts = { name: (index) => functions.name[index], place: fileOf };
  const text = texts[state.sort];
  if (text) {
    const order = (one, other) => (one < other ? -1 : Number(one > other));
    rows.sort((one, other) => turn * (order(text(one), text(other)) || functions.line[one] - functions.line[other]));
    return;
  }
  const numbers = { inclusive: functions.inclusive[state.event], calls: functions.invocations };
  const values = (numbers[state.sort] || own).map(Number);
  rows.sort((one, other) => turn * (values[other] - values[one]));
}

// ---- One function ------------------------------------------------------------------------------

/** The calls that have a function at one end, as positions in the columns of `calls`. */
const callsAt = (end, index) => [...calls[end].keys()].filter((at) => calls[end][at] === index);

function showFunction() {
  const index = state.function;
  const rows = events.map((_, number) => el('tr', { class: number === state.event ? 'chosen' : '' },
    el('th', { scope: 'row' }, [label(number), unit(number)].filter(Boolean).join(', ')),
    ['self', 'inclusive'].flatMap((which) => {
      const value = functions[which][number][index];
      return [el('td', {}, cost(value, number)), el('td', {}, percent(value, data.total[number]))];
    })));
  const titles = ['', 'self', '%', 'inclusive', '%'].map((title) => el('th', { scope: 'col' }, title));
  const link = (text, change) => el('a', { class: 'button', href: to({ view: 'flame', zoom: NONE, search: '', ...change }) }, text);
  main.append(
    el('p', {}, el('a', { href: to({ view: 'functions' }) }, '← all functions')),
    el('h2', { class: 'name' }, functions.name[index]),
    el('p', {}, functionPlace(index), ` · called ${counted(functions.invocations[index], 'time')}`),
    el('table', { class: 'figures' }, el('thead', {}, el('tr', {}, titles)), el('tbody', {}, rows)),
    stacks ? el('div', { class: 'bar' },
      link('Show in the flame graph', { of: '' }),
      link('Graph of its callers', { of: 'callers' }),
      link('Graph of its callees', { of: 'callees' })) : '',
  );
  const tables = [callTable('Caller', 'who calls it', callsAt('callee', index)), callTable('Callee', 'what it calls', callsAt('caller', index))];
  redraw = (everything) => tables.forEach((table) => table?.draw(everything));
}

function callTable(title, what, rows) {
  const other = title.toLowerCase();
  main.append(el('h3', {}, `${title}s `, el('span', { class: 'soft' }, `${what}, and what these calls cost (${grouped(rows.length)})`)));
  if (rows.length === 0) {
    main.append(el('p', { class: 'soft' }, `no ${other}`));
    return null;
  }
  const costOf = (at) => calls.cost[state.event][at];
  rows.sort((one, two) => Number(costOf(two)) - Number(costOf(one)));
  const hint = 'Of the total; the bar: of what this function costs with all it calls';
  const table = grid({
    label: `${title}s`,
    columns: [
      shares('Cost %', costOf, { hint }, functions.inclusive[state.event][state.function]),
      costs('Cost', rows, costOf),
      figures('Calls', rows, (at) => calls.calls[at], grouped),
      nameColumn(title, (at) => (calls[other][at] === NONE ? 'others, which cost too little for this page' : named(calls[other][at]))),
      placeColumn('Called at', (at) => (calls.file[at] === NONE ? '' : place(data.files[calls.file[at]], calls.line[at]))),
    ],
    rows,
    enter: (at) => calls[other][at] !== NONE && go({ view: 'function', function: calls[other][at] }),
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
const exact = (number) => BigInt(Math.round(number));

/** A tree with sums for the event that is shown; what has no parent is below a node of its own. */
function shaped(tree) {
  const all = tree.parent.length;
  const own = Float64Array.from(tree.self[state.event], Number);
  const old = tree.base && Float64Array.from(tree.base[state.event], Number);
  // Freed memory has no width.
  const [inclusive, before, width] = [0, 1, 2].map(() => new Float64Array(all + 1));
  const below = Array.from({ length: all + 1 }, () => []);
  for (let node = all - 1; node >= 0; node--) {
    const above = tree.parent[node] === NONE ? all : tree.parent[node];
    inclusive[node] += own[node];
    before[node] += old ? old[node] : 0;
    width[node] += Math.max(own[node], 0);
    // In a comparison, a frame is as wide as its larger side.
    if (old) width[node] = Math.max(width[node], inclusive[node], before[node]);
    inclusive[above] += inclusive[node];
    before[above] += before[node];
    width[above] += width[node];
    below[above].push(node);
  }
  for (const nodes of below) nodes.sort((one, other) => width[other] - width[one] || one - other);
  return { tree, own, old, inclusive, before, width, below, all };
}

let lastShape;

function shapeOf() {
  const key = [state.event, state.of, state.of && state.function].join();
  if (lastShape?.key !== key) lastShape = { key, ...shaped(state.of ? treeOf(state.function, state.of) : stacks) };
  return lastShape;
}

/**
 * What a function calls wherever it is called, or who calls it and who calls these: then the costs
 * are all those of the function.
 */
function treeOf(index, which) {
  const sides = [stacks.self, ...(stacks.base ? [stacks.base] : [])];
  const made = sides.map((side) => side.map(() => []));
  const tree = { parent: [], function: [], frame: [], calls: [], estimated: [], self: made[0], base: made[1] };
  const found = new Map();
  const step = (parent, of) => {
    const key = `${parent} ${stacks.function[of]} ${stacks.frame[of]}`;
    if (!found.has(key)) {
      found.set(key, tree.parent.length);
      tree.parent.push(parent);
      for (const column of ['function', 'frame']) tree[column].push(stacks[column][of]);
      for (const column of [tree.calls, tree.estimated, ...made.flat()]) column.push(0);
    }
    const node = found.get(key);
    tree.estimated[node] |= stacks.estimated[of];
    return node;
  };
  const add = (node, of, values) => {
    tree.calls[node] += Number(stacks.calls[of]);
    made.flat().forEach((column, at) => { column[node] += values[at][of]; });
  };
  const values = sides.flat().map((column) => column.map(Number));
  if (which === 'callers') {
    for (let node = stacks.parent.length - 1; node >= 0; node--) {
      if (stacks.parent[node] !== NONE) for (const column of values) column[stacks.parent[node]] += column[node];
    }
  }
  const places = [];
  stacks.parent.forEach((parent, node) => {
    const above = parent === NONE ? NONE : places[parent];
    places[node] = NONE;
    if (above === NONE && stacks.function[node] !== index) return;
    if (which === 'callees') {
      places[node] = step(above, node);
      add(places[node], node, values);
      return;
    }
    places[node] = 0;
    if (above !== NONE) return;
    let end = NONE;
    for (let at = node; at !== NONE; at = stacks.parent[at]) end = step(end, at);
    add(end, node, values);
  });
  return tree;
}

/** Tells whether a node is marked: its name or file has the text, or it is the function asked for. */
function nodeMatcher(tree) {
  if (!state.search) return (node) => !state.of && state.function !== NONE && tree.function[node] === state.function;
  const found = functions.name.map((_, index) => index).map(containing(state.search));
  const wanted = state.search.toLowerCase();
  return (node) => found[tree.function[node]] || (tree.frame[node] !== NONE && nodeName(tree, node).toLowerCase().includes(wanted));
}

/** What marked nodes cost; no cost counts twice. */
function marked({ tree, all, inclusive }, matches) {
  const within = [];
  let [count, cost] = [0, 0];
  for (let node = 0; node < all; node++) {
    const isBelow = tree.parent[node] !== NONE && within[tree.parent[node]];
    within[node] = isBelow || matches(node);
    if (within[node] && !isBelow) cost += inclusive[node];
    if (matches(node)) count++;
  }
  if (!state.search && count === 0) return '';
  return `${counted(count, 'frame')} marked: ${withUnit(exact(cost))}, ${percent(exact(cost), total())} % of the total`;
}

function noStacks() {
  main.append(
    el('h2', {}, 'There are no stacks in this profile'),
    el('p', {}, 'It says what functions cost, and not who called them: Cachegrind, for example, does not record calls.'),
    el('p', {}, 'To see this view, record with valgrind --tool=callgrind --separate-callers=10, or with Xdebug’s profiler for PHP.'),
  );
}

/** What stands over a graph of the callers or callees of one function. */
function ofFunction() {
  if (!state.of) return '';
  const isCallers = state.of === 'callers';
  return el('p', {},
    isCallers ? 'Who calls ' : 'What is called by ', named(state.function),
    isCallers ? ': below a frame stand those that call it, and all costs are those of that function. ' : '. ',
    el('a', { href: to({ of: '', zoom: NONE, function: NONE }) }, 'Show all stacks'));
}

function leftOut() {
  const { left_out: count } = stacks;
  return count > 0 ? `${counted(count, 'stack')} that cost too little for this page ${count === 1 ? 'is' : 'are'} summed up as …` : '';
}

// ---- Flame graph -------------------------------------------------------------------------------

function showFlame() {
  if (!stacks) return noStacks();
  const shape = shapeOf();
  const { tree, all, inclusive, own, old, before, width, below } = shape;
  const zoom = state.zoom >= 0 && state.zoom < all ? state.zoom : all;
  const about = el('div', { class: 'about' });
  const status = el('span', { class: 'soft', role: 'status' });
  const flame = el('div', { class: 'flame', role: 'group', 'aria-label': 'Flame graph; the tree view shows the same as rows' });
  const frames = new Map();
  let current;
  const name = (node, text = nodeName) => (node === all ? 'all' : text(tree, node));
  const zoomTo = (node) => go({ zoom: node === all ? NONE : node });

  function describe(node) {
    const cost = exact(inclusive[node]);
    const isCallers = state.of === 'callers';
    const parts = [`${isCallers ? 'cost' : 'inclusive'} ${withUnit(cost)}`, `${percent(cost, total())} % of the total`];
    if (zoom !== all) parts.push(`${percent(cost, exact(inclusive[zoom]))} % of what is zoomed`);
    if (node !== all && !isCallers) parts.push(`self ${withUnit(exact(own[node]))} (${percent(exact(own[node]), total())} %)`);
    if (node !== all && Number(tree.calls[node]) > 0) parts.push(counted(tree.calls[node], 'call'));
    const change = cost - exact(before[node]);
    if (old) parts.push(`before ${withUnit(exact(before[node]))}, change ${signed(change, withUnit(change))}`);
    if (tree.estimated[node]) parts.push('estimated');
    return parts.join(' · ');
  }

  function tell(node) {
    const index = node === all ? NONE : tree.function[node];
    const more = index === NONE ? [] : [' · ', functionPlace(index), ' · ', el('a', { href: toFunction(index) }, 'callers and callees')];
    about.replaceChildren(el('div', { class: 'name' }, name(node)), el('div', { class: 'line' }, describe(node), ...more));
  }

  function fit(node, room) {
    const text = name(node, nodeShort);
    const end = text.split('(')[0].lastIndexOf('\\');
    return text.length * 7.3 > room && end > 0 && !text.startsWith('{') ? text.slice(end + 1) : text;
  }

  function colours(node) {
    if (node === all || isRest(tree, node)) return { class: 'frame rest' };
    const kind = tree.estimated[node] ? 'frame estimated' : 'frame';
    if (state.colours !== 'change') return { class: kind, ...(tree.function[node] === NONE ? GREY : shade(tree.function[node], state.colours).style) };
    const change = own[node] - old[node];
    const strength = Math.abs(change) * 10000 < width[all] ? 0 : 30 + 60 * Math.abs(change) / Math.max(own[node], old[node], 1);
    return { class: kind, '--hue': change > 0 ? 4 : 215, '--strength': `${Math.round(strength)}%` };
  }

  function draw() {
    const focused = document.activeElement?.node;
    const scale = flame.clientWidth / (width[zoom] || 1);
    const matches = nodeMatcher(tree);
    const made = document.createDocumentFragment();
    const pending = [[zoom, 0, 0]];
    let deepest = 0;
    frames.clear();
    while (pending.length > 0) {
      const [node, left, level] = pending.pop();
      const room = width[node] * scale;
      deepest = Math.max(deepest, level);
      const frame = el('div', { role: 'button', tabindex: NONE, ...colours(node) });
      if (room < 12) frame.classList.add('thin');
      else frame.textContent = fit(node, room);
      if (node !== all && matches(node)) frame.classList.add('match');
      Object.assign(frame.style, { left: `${left.toFixed(2)}px`, top: `${level * 20}px`, width: `${room.toFixed(2)}px` });
      Object.assign(frame, { node, level, left });
      frames.set(node, frame);
      made.append(frame);
      let start = left;
      for (const child of below[node]) {
        // Those that follow are no wider.
        if (width[child] * scale < 0.5) break;
        pending.push([child, start, level + 1]);
        start += width[child] * scale;
      }
    }
    flame.replaceChildren(made);
    flame.style.height = `${(deepest + 1) * 20}px`;
    status.textContent = marked(shape, matches);
    flame.classList.toggle('searched', status.textContent !== '');
    current = frames.get(focused) || frames.get(zoom);
    current.tabIndex = 0;
    if (focused !== undefined) current.focus({ preventScroll: true });
  }

  function visit(frame) {
    if (!frame) return;
    current.tabIndex = NONE;
    current = frame;
    frame.tabIndex = 0;
    frame.setAttribute('aria-label', `${name(frame.node)}, ${describe(frame.node)}`);
    tell(frame.node);
    frame.focus();
  }
  const beside = (frame, step) => {
    const level = [...frames.values()].filter((other) => other.level === frame.level).sort((one, other) => one.left - other.left);
    return level[level.indexOf(frame) + step];
  };
  const moves = {
    ArrowDown: (frame) => visit(frames.get(below[frame.node][0])),
    ArrowUp: (frame) => frame.node !== zoom && visit(frames.get(tree.parent[frame.node] === NONE ? all : tree.parent[frame.node])),
    ArrowRight: (frame) => visit(beside(frame, 1)),
    ArrowLeft: (frame) => visit(beside(frame, -1)),
    Enter: (frame) => zoomTo(frame.node),
  };
  flame.addEventListener('mouseover', (event) => event.target.node !== undefined && tell(event.target.node));
  flame.addEventListener('mouseleave', () => tell(zoom));
  flame.addEventListener('click', (event) => event.target.node !== undefined && zoomTo(event.target.node));
  flame.addEventListener('keydown', (event) => {
    if (!Object.hasOwn(moves, event.key)) return;
    event.preventDefault();
    moves[event.key](event.target);
  });

  const path = [];
  for (let node = zoom; node !== all && node !== NONE; node = tree.parent[node]) path.unshift(node);
  const crumb = (node) => (node === zoom ? el('b', {}, name(node, nodeShort)) : el('button', { onclick: () => zoomTo(node), title: name(node) }, name(node, nodeShort)));
  const crumbs = el('nav', { class: 'crumbs', 'aria-label': 'Callers of what is zoomed' }, [all, ...path].flatMap((node, at) => [at > 0 ? ' › ' : '', crumb(node)]));
  const choices = { ...(old && { change: 'change' }), package: 'package or folder', file: 'file' };
  const select = el('select', { 'aria-label': 'Colours', onchange: () => go({ colours: select.value }) },
    Object.entries(choices).map(([value, text]) => el('option', { value, selected: value === state.colours }, `colours: ${text}`)));
  main.append(
    ofFunction(),
    el('div', { class: 'bar' }, searchField('Mark functions or files  ( / )', draw), select, status),
    about, zoom === all ? '' : crumbs, flame,
    el('ul', { class: 'legend', 'aria-label': 'Colours' }, legend(shape, zoom)),
    el('p', { class: 'soft' }, 'The width of a frame is its cost with all it calls; callers stand above. Click to zoom, Esc to see all again. Arrow keys move, Enter zooms. ', leftOut()),
  );
  tell(zoom);
  draw();
  redraw = (everything, isResized) => { if (isResized) draw(); };
}

/** What the colours stand for, the costliest first. */
function legend({ tree, all, own, inclusive }, zoom) {
  const item = (style, text, kind) => el('li', {}, el('i', { class: kind, ...style }), text);
  const items = [];
  if (state.colours === 'change') {
    items.push(item({ '--hue': 4, '--strength': '90%' }, 'self cost grew'), item({ '--hue': 215, '--strength': '90%' }, 'self cost shrank'), item(GREY, 'did not change'));
  } else if (state.of !== 'callers') {
    const groups = new Map();
    const within = [];
    for (let node = 0; node < all; node++) {
      within[node] = zoom === all || node === zoom || within[tree.parent[node]];
      if (!within[node] || tree.function[node] === NONE) continue;
      const colour = shade(tree.function[node], state.colours);
      groups.set(colour, (groups.get(colour) || 0) + own[node]);
    }
    const costly = [...groups].filter(([, cost]) => cost > 0).sort((one, other) => other[1] - one[1]).slice(0, 8);
    items.push(...costly.map(([{ name, style }, cost]) => item(style, `${name} ${percent(exact(cost), exact(inclusive[zoom]))} %`)));
  }
  if (tree.estimated.some(Boolean)) items.push(item({}, 'estimated: divided among callers by what their calls cost', 'estimated'));
  return items;
}

// ---- Tree --------------------------------------------------------------------------------------

function showTree() {
  if (!stacks) return noStacks();
  const shape = shapeOf();
  const { tree, all, below, inclusive, own } = shape;
  const children = (node) => [...below[node]].sort((one, other) => inclusive[other] - inclusive[one] || one - other);
  const open = new Set();
  const list = el('div');
  const status = el('span', { class: 'soft', role: 'status' });
  let matches;

  /** Opens the costliest path below a node. */
  function openPath(node) {
    for (let at = children(node)[0]; at !== undefined && inclusive[at] * 20 > inclusive[all]; at = children(at)[0]) open.add(at);
  }

  function turn(node) {
    if (below[node].length === 0) return;
    if (!open.delete(node)) {
      open.add(node);
      openPath(node);
    }
    update(node);
  }

  function update(focused) {
    const rows = [];
    const pending = children(all).reverse().map((node) => ({ node, level: 1 }));
    while (pending.length > 0) {
      const row = pending.pop();
      rows.push(row);
      if (open.has(row.node)) pending.push(...children(row.node).reverse().map((node) => ({ node, level: row.level + 1 })));
    }
    const rowOf = (node) => rows.findIndex((row) => row.node === node);
    const table = grid({
      role: 'treegrid',
      label: 'Tree of calls',
      columns: [
        shares('Incl. %', ({ node }) => exact(inclusive[node])),
        costs('Inclusive', rows, ({ node }) => exact(inclusive[node]), { kind: 'figure wide' }),
        costs('Self', rows, ({ node }) => exact(own[node]), { short: `${unit()} self` }),
        figures('Calls', rows, ({ node }) => tree.calls[node], grouped),
        nameColumn('Function', ({ node, level }) => {
          const fold = el('span', { class: 'fold', 'aria-hidden': 'true' }, below[node].length === 0 ? '' : open.has(node) ? '▾' : '▸');
          const index = tree.function[node];
          const text = el('span', {}, fold, index === NONE ? nodeName(tree, node) : named(index, nodeShort(tree, node)), tree.estimated[node] ? ' (estimated)' : '');
          text.style.paddingLeft = `min(${(level - 1) * 14}px, 45vw)`;
          return text;
        }),
      ],
      rows,
      attributes: ({ node, level }) => ({
        class: matches(node) ? 'row match' : 'row',
        'aria-level': level,
        'aria-expanded': below[node].length > 0 ? String(open.has(node)) : undefined,
      }),
      enter: ({ node }, event) => {
        if (event.type === 'click') turn(node);
        else if (tree.function[node] !== NONE) go({ view: 'function', function: tree.function[node], search: '' });
      },
      key: (event, { node }, at) => {
        if (event.key === ' ') turn(node);
        else if (event.key === 'ArrowRight' && below[node].length > 0) open.has(node) ? table.focus(at + 1) : turn(node);
        else if (event.key === 'ArrowLeft' && open.has(node)) turn(node);
        else if (event.key === 'ArrowLeft' && tree.parent[node] !== NONE) table.focus(rowOf(tree.parent[node]));
        else return false;
        return true;
      },
    });
    put(list, table);
    if (focused !== undefined) table.focus(rowOf(focused));
  }

  /** Marks what is searched for, and opens the way to the costliest. */
  function search() {
    matches = nodeMatcher(tree);
    const found = [...tree.parent.keys()].filter(matches).sort((one, other) => inclusive[other] - inclusive[one]);
    for (const node of found.slice(0, 300)) {
      for (let at = tree.parent[node]; at !== NONE && !open.has(at); at = tree.parent[at]) open.add(at);
    }
    status.textContent = marked(shape, matches);
    update();
  }
  openPath(all);
  main.append(
    ofFunction(), el('div', { class: 'bar' }, searchField('Mark functions or files  ( / )', search), status), list,
    el('p', { class: 'soft' }, 'A click or the arrow keys → and ← open and close a row, Enter shows its function. ', leftOut()),
  );
  search();
}

// ---- Changes -----------------------------------------------------------------------------------

function showChanges() {
  const { changes, sides, unchanged, rest } = comparison;
  const places = new Map(functions.name.map((name, index) => [`${name}\n${functions.file[index]}`, index]));
  const indexOf = (at) => places.get(`${changes.name[at]}\n${changes.file[at]}`) ?? NONE;
  const change = (figure) => (at) => BigInt(changes[figure][1][at]) - BigInt(changes[figure][0][at]);
  const both = (figure, text, at) => {
    const [before, now] = changes[figure].map((side) => side[at]);
    return String(before) === String(now) ? text(now) : `${text(before)} → ${text(now)}`;
  };
  const arrows = (title, figure, text, rows) => ({
    title, kind: 'figure', short: figure === 'invocations' ? 'calls' : figure, cell: (at) => both(figure, text, at),
    size: `${rows.reduce((most, at) => Math.max(most, both(figure, text, at).length), title.length + 1) + 1}ch`,
  });
  const row = (title, { shown, functions: count }) => el('tr', {}, el('th', { scope: 'row' }, title), el('td', {}, shown), el('td', {}, grouped(count)));
  const titles = ['', label(0), 'functions'].map((title) => el('th', { scope: 'col' }, title));
  const list = el('div');
  const update = () => {
    const wanted = state.search.toLowerCase();
    const rows = [...changes.name.keys()].filter((at) => changes.name[at].toLowerCase().includes(wanted) || data.files[changes.file[at]].toLowerCase().includes(wanted));
    const own = change('self');
    const colour = (at, text) => el('span', { class: own(at) > 0n ? 'grow' : 'shrink' }, text);
    put(list, grid({
      label: 'Changes',
      columns: [
        { ...costs('Change', rows, own), cell: (at) => colour(at, signed(own(at), cost(own(at)))), size: room(heading('Change'), rows.map(own), (value) => `+${cost(value)}`) },
        { title: 'Base %', kind: 'figure', short: 'of the base', size: '9ch', cell: (at) => signed(own(at), percent(own(at), sides[0].total)) },
        arrows(heading('Self'), 'self', cost, rows),
        arrows(heading('Inclusive'), 'inclusive', cost, rows),
        arrows('Calls', 'invocations', grouped, rows),
        nameColumn('Function', (at) => {
          const index = indexOf(at);
          const name = changes.short[at] || changes.name[at];
          const badge = changes.is[at] ? [el('b', { class: 'badge' }, changes.is[at]), ' '] : [];
          return el('span', { title: changes.name[at] }, ...badge, index === NONE ? name : named(index, name));
        }),
        placeColumn('File', (at) => place(data.files[changes.file[at]], 0, data.files[changes.object[at]])),
      ],
      rows,
      enter: (at) => indexOf(at) !== NONE && go({ view: 'function', function: indexOf(at), search: '' }),
    }));
  };
  main.append(
    el('h2', {}, comparison.verdict),
    el('table', { class: 'figures' }, el('thead', {}, el('tr', {}, titles)), el('tbody', {}, row('base', sides[0]), row('new', sides[1]))),
    el('div', { class: 'bar' }, searchField('Find a function or file  ( / )', update),
      stacks?.base ? el('a', { class: 'button', href: to({ view: 'flame', search: '', zoom: NONE }) }, 'Changes in the flame graph') : ''),
    list,
    el('p', { class: 'soft' }, rest.functions > 0 ? `${grouped(rest.functions)} more changed by ${signed(rest.change, withUnit(rest.change))} together. ` : '', `${counted(unchanged, 'function')} did not change.`),
  );
  update();
}

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
