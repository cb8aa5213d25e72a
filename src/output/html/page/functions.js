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

/** The totals of groups of functions in the first event, and the colours that follow from these. */
function groupsBy(how) {
  const costs = new Map();
  for (const of of functions) {
    const group = groupOf(of, how);
    costs.set(group, (costs.get(group) || 0) + Number(data.functions.self[0][of.index]));
  }
  return coloursOf([...costs].sort(([, one], [, another]) => another - one).map(([group]) => group));
}
const colours = { package: groupsBy('package'), file: groupsBy('file') };
const GREY = { '--hue': 0, '--strength': '0%' };
const colourOfGroup = (group) => ({
  '--hue': colours[state.colours].get(group) ?? 0,
  ...(colours[state.colours].has(group) ? {} : GREY),
});

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

/** Says how many functions there are and what they cost. */
const functionsText = (count, value) =>
  `${counted(count, 'function')} with a self cost of ${costWithUnit(value)} (${share(value)} %)`;

function showFunctions() {
  const isHidden = hiding(state.hide);
  const hidden = new Set(isHidden ? functions.filter(isHidden) : []);
  const [selves, inclusive] = [data.functions.self, data.functions.inclusive].map((columns) => columns[state.event]);
  const isCharged = state.charge && hidden.size > 0 && stacks;
  const { own, moved } = isCharged ? charged(hidden) : { own: selves };
  const ownOf = ({ index }) => own[index];
  const inclusiveOf = ({ index }) => inclusive[index];
  const order = ({ file, line }) => file + String(line).padStart(9, '0');
  const columns = [
    barColumn('Self %', ownOf, { sort: 'self' }),
    costColumn('Self', ownOf, { sort: 'self' }),
    shareColumn('Incl. %', inclusiveOf, { sort: 'inclusive' }),
    costColumn('Inclusive', inclusiveOf, { sort: 'inclusive', short: `${unitOf()} inclusive` }),
    callColumn(({ index }) => data.functions.calls[index], { sort: 'calls' }),
    nameColumn('Function', linked, { sort: 'name', order: ({ name }) => name }),
    placeColumn('File:line', place, { sort: 'place', order }),
  ];
  const fits = searching(state.search);
  const rows = functions.filter((of) => of.is !== 'gone' && !hidden.has(of) && fits(of));
  const all = sumOf([...hidden].map(({ index }) => selves[index]));
  const isPartly = isCharged && stacks.left_out > 0 ? 'at least ' : '';
  const status = [
    (state.search || isHidden) && functionsText(rows.length, sumOf(rows.map(ownOf))),
    isCharged && `; of ${costWithUnit(all)} hidden, ${isPartly}${costWithUnit(moved)} added to callers`,
  ].filter(Boolean);
  const { functions: count, self } = data.rest;
  const rest = count > 0 && soft(`Omitted to limit the size of the report: ${functionsText(count, self[state.event])}`);
  if (rows.length === 0) return { status, view: [nothingFound(), rest] };
  const table = tableOf({ label: 'Functions', columns, rows, enter: (of) => go(toFunction(of)) });
  return { status, view: [table.element, rest], shown: [table] };
}

/** What the functions of a comparison cost on both sides, in the event that is shown. */
function costsOfSides() {
  const { base_self: selves, base_inclusive: inclusive, base_calls: called } = data.functions;
  return {
    self: { before: selves[state.event], now: data.functions.self[state.event] },
    inclusive: { before: inclusive[state.event], now: data.functions.inclusive[state.event] },
    calls: { before: called, now: data.functions.calls },
  };
}

const beforeCount = (count) => callsText(count, BigInt(runs[0]));
/** Numbers of calls of both sides. */
const callsOfSides = (before, now) => bothSides(beforeCount(before), callCount(now));
const kindOfChange = (change) => (change > 0n ? 'grow' : change < 0n && 'shrink');
const badge = ({ is }) => (is ? el('b', { class: 'badge' }, is) : '');

function showChanges() {
  const { verdict, shown } = comparison.events[state.event];
  const sides = costsOfSides();
  const growth = (of, { index }) => changeOf(sides[of], index);
  const hasChanged = (of) =>
    sides.self.before[of.index] !== sides.self.now[of.index] ||
    sides.inclusive.before[of.index] !== sides.inclusive.now[of.index] ||
    callsOfSides(sides.calls.before[of.index], sides.calls.now[of.index]).includes('→');
  const size = (value) => Math.abs(Number(value));
  const changed = functions.filter(hasChanged);
  const byInclusive = sorted(changed, (of) => size(growth('inclusive', of)));
  const rows = sorted(byInclusive, (of) => size(growth('self', of)));
  const ofGrowth = (title, text, more) => {
    const cell = (of) => span(kindOfChange(growth('self', of)), signed(growth('self', of), text(growth('self', of))));
    return numbers(title, (of) => growth('self', of), text, { cell, ...more });
  };
  const both = (title, of, texts, sort) => {
    const values = (row) => [sides[of].before[row.index], sides[of].now[row.index]];
    const width =
      2 *
      Math.max(
        widest(
          rows.map((row) => values(row)[0]),
          texts[0],
        ),
        widest(
          rows.map((row) => values(row)[1]),
          texts[1],
        ),
      );
    const cell = (row) => bothSides(...values(row).map((value, side) => texts[side](value)));
    const order = (row) => size(growth(of, row));
    return {
      title,
      kind: 'figure',
      short: title.toLowerCase(),
      sort,
      order,
      size: `${Math.max(width, title.length) + 2}ch`,
      cell,
    };
  };
  const costTexts = [columnCost, columnCost];
  const columns = [
    ofGrowth(heading('Change'), columnCost, {
      sort: 'change',
      order: (of) => size(growth('self', of)) + (growth('self', of) > 0n ? 0.5 : 0),
      short: unitOf(),
    }),
    ofGrowth('Base %', (value) => share(value, comparison.total[state.event]), { short: 'of the base' }),
    both(heading('Self'), 'self', costTexts),
    both(heading('Inclusive'), 'inclusive', costTexts, 'inclusive'),
    data.has_invocations && both('Calls', 'calls', [beforeCount, callCount], 'calls'),
    nameColumn('Function', (of) => span('parts', badge(of), linked(of), of.became ? span('became', of.became) : '')),
    placeColumn('File', (of) => place(of)),
  ];
  const titles = ['', label(state.event), 'functions'];
  const totals = ['base', 'new'].map((title, side) => [title, shown[side], grouped(comparison.functions[side])]);
  const { functions: count, changed: more, change } = data.rest;
  const others =
    more[state.event] > 0 &&
    `${grouped(more[state.event])} more changed by ${signedCost(change[state.event], costWithUnit)} together. `;
  const same = functions.length - changed.length + count - more[state.event];
  const found = rows.filter(searching(state.search));
  const table =
    found.length > 0 && tableOf({ label: 'Changes', columns, rows: found, enter: (of) => go(toFunction(of)) });
  return {
    intro: [
      el('h2', {}, `${label(state.event)} ${verdict}`),
      smallTable(titles, totals),
      stacks && paragraph(el('a', { class: 'button', href: toView('flame') }, 'Changes in the flame graph')),
    ],
    view: [
      table ? table.element : state.search && nothingFound(),
      soft(others, same > 0 && `${counted(same, 'function')} did not change.`),
    ],
    shown: table ? [table] : [],
  };
}
