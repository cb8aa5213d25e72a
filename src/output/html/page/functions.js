// ---- Functions, and what has changed -----------------------------------------------------------------

/** A location; a link, if the program was told where sources are found. */
function place({ file, object, line, isOutside }, isWhole = false) {
  const short = isWhole ? (path) => path : shortPath;
  const text = (title, shown) => el('span', { class: 'path', title }, shown);
  if ((file === '' || file === '???') && object) return text(`[${object}]`, `[${short(object)}]`);
  if (isInternal(file)) return text(file, file);
  const suffix = line > 0 && file ? `:${line}` : '';
  const [title, shown] = [file + suffix, short(file) + suffix];
  if (!data.source_url || !isFile(file) || isOutside) return text(title, shown);
  const path = file.split('/').map(encodeURIComponent).join('/');
  const href = data.source_url.replaceAll('{file}', () => path).replaceAll('{line}', () => line || 1);
  return el('a', { class: 'path', href, title, rel: 'noopener noreferrer', tabindex: NONE }, shown);
}

/** A name. Where there is too little room, its namespace and its arguments are cut. */
function nameOf({ name, parts: [scope, type, own, rest] }) {
  const parts = [span(undefined, scope), span('own', type + own), span(undefined, rest)];
  return el('span', { class: 'parts', title: name }, parts);
}

/** A name that leads to its function, if that is in the report. */
const linked = (of) => (of.index === NONE ? nameOf(of) : el('a', { href: toFunction(of), tabindex: NONE }, nameOf(of)));

const GREY = { '--hue': 0, '--strength': '0%' };
const hues = {};

/** The colour of what functions are coloured by. */
function colourOfGroup(group) {
  const { colours: by } = state;
  hues[by] ??= coloursOf(
    sorted(groups[by], ({ table, index }) => Number(table.self[0][index])).map(({ name }) => name),
  );
  const hue = hues[by].get(group.name);
  return hue === undefined ? GREY : { '--hue': hue };
}

const members = {};
/** The functions of a group. */
function membersOf({ by, index }) {
  if (!members[by]) {
    members[by] = groups[by].map(() => []);
    data.groups[by].of.forEach((group, at) => members[by][group]?.push(functions[at]));
  }
  return members[by][index];
}

/** What rows are, and how their name and their location are shown: groups open to their functions. */
const rowsShown = () => (state.by === 'function' ? functions : groups[state.by]);
const badge = ({ is }) => (is ? el('b', { class: 'badge' }, is) : '');
function rowName(of) {
  const name = of.by ? nameOf(of) : linked(of);
  const notes = state.view === 'changes' && [badge(of), name, of.became ? span('became', of.became) : ''];
  if (state.by === 'function') return notes ? span('parts', notes) : name;
  return el('span', { class: 'parts', '--depth': of.by ? 0 : 1 }, [span('fold'), ...(notes || [name])]);
}
/** The location of a function, or how many functions of a group fit. */
const rowPlace = (fits) => (of) =>
  of.by ? span('path', counted(membersOf(of).filter(fits).length, 'function')) : place(of);

/** A table of functions, or of groups that open to those of their functions that fit. */
function functionTable(name, columns, rows, fits) {
  if (state.by === 'function') return tableOf({ label: name, columns, rows, enter: (of) => go(toFunction(of)) });
  const { isOpen, turn, ...more } = opening((of) => (of.by ? membersOf(of).filter(fits) : []));
  return tableOf({
    ...{ label: name, columns, rows, role: 'treegrid', ...more },
    enter: (of) => (of.by ? turn(of) : go(toFunction(of))),
    attributes: (of) =>
      of.by ? { 'aria-level': 1, 'aria-expanded': String(isOpen(of)) } : { 'aria-level': 2, class: 'row site' },
  });
}

/**
 * What functions cost by themselves when hidden ones are left out: these hand their self costs to the nearest callers
 * that are shown, as far as the stacks tell them.
 */
function charged(hidden) {
  const own = data.functions.self[state.event].map((value) => BigInt(value) * newRuns);
  const payers = [NONE];
  let moved = 0n;
  stacks.depth.forEach((depth, node) => {
    const { index } = frames[stacks.frame[node]];
    const hides = hidden.has(functions[index]);
    const above = payers[depth];
    payers[depth + 1] = index === NONE || hides ? above : index;
    if (!hides || above === NONE) return;
    own[above] += exact(stacks.self[state.event][node]);
    moved += exact(stacks.self[state.event][node]);
  });
  return { own: own.map((value) => value / newRuns), moved: moved / newRuns };
}

/** Says how many rows there are and what they cost. */
const rowsText = (count, value, noun = state.by) =>
  `${counted(count, noun)} with a self cost of ${costWithUnit(value)} (${share(value)} %)`;

function showFunctions() {
  const { by, event } = state;
  const isThere = ({ is }) => is !== 'gone';
  const all = rowsShown().filter(isThere);
  const isHidden = hiding(state.hide);
  const hidden = new Set(isHidden ? all.filter(isHidden) : []);
  const isCharged = by === 'function' && state.charge && hidden.size > 0 && stacks;
  const { own, moved } = isCharged ? charged(hidden) : {};
  const ownOf = ({ table, index }) => (own || table.self[event])[index];
  const inclusiveOf = ({ table, index }) => table.inclusive[event][index];
  const order = ({ file, line }) => file + String(line).padStart(9, '0');
  const columns = [
    barColumn('Self %', ownOf, { sort: 'self' }),
    costColumn('Self', ownOf, { sort: 'self' }),
    shareColumn('Incl. %', inclusiveOf, {
      ...{ sort: 'inclusive', cell: (of) => estimateMark(of) + share(inclusiveOf(of)) },
    }),
    costColumn('Inclusive', inclusiveOf, { sort: 'inclusive', short: `${unitOf()} inclusive` }),
    callColumn(({ table, index }) => table.calls[index], { sort: 'calls' }),
    nameColumn(heads[by], rowName, { sort: 'name', order: ({ name }) => name }),
    placeColumn(by === 'function' ? 'File:line' : '', rowPlace(isThere), by === 'function' && { sort: 'place', order }),
  ];
  const fits = searching(state.search);
  const rows = all.filter((of) => !hidden.has(of) && fits(of));
  const cost = sumOf([...hidden].map(({ index }) => data.functions.self[event][index]));
  const isPartly = isCharged && stacks.left_out > 0 ? 'at least ' : '';
  const status = [
    (state.search || isHidden) && rowsText(rows.length, sumOf(rows.map(ownOf))),
    isCharged && `; of ${costWithUnit(cost)} hidden, ${isPartly}${costWithUnit(moved)} added to callers`,
  ].filter(Boolean);
  const shown = by === 'function' ? 'who calls it' : 'its functions';
  const about = `Self: what a ${by} costs alone. Inclusive: with all that it calls. Click a ${by} to see ${shown}.`;
  if (rows.length === 0) return { status, view: [nothingFound(), omittedRows()] };
  const table = functionTable('Functions', columns, rows, isThere);
  return { status, view: [soft(about), table.element, omittedRows()], shown: [table] };
}
const heads = { function: 'Function', class: 'Class', file: 'File', object: 'Object', package: 'Package' };

/** Says which rows there is no room for. */
function omittedRows() {
  const { functions: count, self } = data.rest;
  const { left_out: omitted } = data.groups[state.by] || {};
  const text =
    omitted === undefined ? count > 0 && rowsText(count, self[state.event]) : omitted > 0 && counted(omitted, state.by);
  return text && soft(`Omitted to limit the size of the report: ${text}`);
}

/** What a row has in the base and now: its calls, or its costs in the event. */
function beforeAndNow({ table, index }, what) {
  const columns = [table[`base_${what}`], table[what]];
  return columns.map((column) => (what === 'calls' ? column : column[state.event])[index]);
}
function growthOf(of, what) {
  const [before, now] = beforeAndNow(of, what);
  return exact(now) - exact(before);
}

const beforeCount = (count) => callsText(count, BigInt(runs[0]));
/** Numbers of calls of both sides. */
const callsOfSides = (before, now) => bothSides(beforeCount(before), callCount(now));
const kindOfChange = (change) => (change > 0n ? 'grow' : change < 0n && 'shrink');
const size = (value) => Math.abs(Number(value));

function showChanges() {
  const { by, event } = state;
  const { verdict, shown } = comparison.events[event];
  const isUnequal = ([before, now]) => before !== now;
  const hasChanged = (of) =>
    isUnequal(beforeAndNow(of, 'self')) ||
    isUnequal(beforeAndNow(of, 'inclusive')) ||
    callsOfSides(...beforeAndNow(of, 'calls')).includes('→');
  const all = rowsShown();
  const changed = all.filter(hasChanged);
  const byInclusive = sorted(changed, (of) => size(growthOf(of, 'inclusive')));
  const rows = sorted(byInclusive, (of) => size(growthOf(of, 'self')));
  const growth = (of) => growthOf(of, 'self');
  const ofGrowth = (title, text, more) => {
    const cell = (of) => span(kindOfChange(growth(of)), signed(growth(of), text(growth(of))));
    return numbers(title, growth, text, { cell, ...more });
  };
  const both = (title, what, texts, sort, mark = () => '') => {
    const widths = [0, 1].map((side) =>
      widest(
        rows.map((of) => beforeAndNow(of, what)[side]),
        texts[side],
      ),
    );
    const width = Math.max(2 * Math.max(...widths), title.length) + 2;
    const cell = (of) => mark(of) + bothSides(...beforeAndNow(of, what).map((value, side) => texts[side](value)));
    const order = (of) => size(growthOf(of, what));
    return { title, kind: 'figure', short: title.toLowerCase(), sort, order, size: `${width}ch`, cell };
  };
  const costs = [columnCost, columnCost];
  const columns = [
    ofGrowth(heading('Change'), columnCost, {
      ...{ sort: 'change', short: unitOf(), order: (of) => size(growth(of)) + (growth(of) > 0n ? 0.5 : 0) },
    }),
    ofGrowth('Base %', (value) => share(value, comparison.total[event]), { short: 'of the base' }),
    both(heading('Self'), 'self', costs),
    both(heading('Inclusive'), 'inclusive', costs, 'inclusive', (of) => estimateMark(of, 3)),
    data.has_invocations && both('Calls', 'calls', [beforeCount, callCount], 'calls'),
    nameColumn(heads[by], rowName),
    placeColumn(by === 'function' ? 'File' : '', rowPlace(hasChanged)),
  ];
  const titles = ['', label(event), 'functions'];
  const totals = ['base', 'new'].map((title, side) => [title, shown[side], grouped(comparison.functions[side])]);
  const { functions: count, changed: more, change } = data.rest;
  const others =
    by === 'function' &&
    more[event] > 0 &&
    `${grouped(more[event])} more changed by ${signedCost(change[event], costWithUnit)} together. `;
  const same = all.length - changed.length + (by === 'function' ? count - more[event] : 0);
  const found = rows.filter(searching(state.search));
  const table = found.length > 0 && functionTable('Changes', columns, found, hasChanged);
  return {
    intro: [
      el('h2', {}, `${label(event)} ${verdict}`),
      smallTable(titles, totals),
      stacks && paragraph(el('a', { class: 'button', href: toView('flame') }, 'Changes in the flame graph')),
    ],
    view: [
      table ? table.element : state.search && nothingFound(),
      soft(others, same > 0 && `${counted(same, by)} did not change.`),
      omittedRows(),
    ],
    shown: table ? [table] : [],
  };
}
