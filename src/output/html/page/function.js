// ---- One function ------------------------------------------------------------------------------------

/** The most events that are shown at once. */
const FEW_EVENTS = 2;

/** The side whose costs a function shows: the base if it is gone. */
const sideOf = ({ is }) =>
  is === 'gone'
    ? { name: 'before', runs: oldRuns, total: comparison.total, mark: 2, title: 'cost in the base' }
    : { name: 'now', runs: newRuns, total: data.total, mark: 1, title: 'cost' };

/** The costs of a function, each in the unit that suits it, and per call. */
function costTable(of, side) {
  const count = sidesOf(of, 'calls')[side.name];
  const row = (event, what, isEstimated) => {
    const cost = sidesOf(of, what, event)[side.name];
    return [
      el('span', { title: meaning(event) }, events.length > 1 ? `${label(event)}, ${what}` : what),
      costIn(event, cost),
      withMark(isEstimated, percent(cost, side.total[event])),
      data.has_invocations ? costPerCall(cost, count, side.runs, event) : '-',
    ];
  };
  const rowsOf = (event) => [row(event, 'self', false), row(event, 'inclusive', isEstimate(of, side.mark))];
  const table = (chosen) => smallTable(['', side.title, '%', 'per call'], chosen.flatMap(rowsOf));
  const all = [...events.keys()];
  if (events.length <= FEW_EVENTS) return table(all);
  return [table([state.event]), el('details', {}, el('summary', {}, 'All events'), table(all))];
}

/** What one call of a function costs on average and at most, if there are several and every call is known. */
function perCall(of) {
  const sides = { gone: ['before'], new: ['now'] }[of.is] || (comparison ? ['before', 'now'] : ['now']);
  const most = (event) => sidesOf(of, 'costliest_call', event);
  const event = [...events.keys()].find((one) => sides.every((side) => Number(most(one)[side]) > 0));
  const [costs, counts] = [sidesOf(of, 'inclusive', event), sidesOf(of, 'calls')];
  if (event === undefined || sides.every((side) => Number(counts[side]) < 2)) return undefined;
  const mean = (side) => costPerCall(costs[side], counts[side], side === 'now' ? newRuns : oldRuns, event);
  const texts = (text) => [...new Set(sides.map(text))].join(' → ');
  const highest = (side) => costIn(event, most(event)[side]);
  return soft(`Per call: ${texts(mean)} on average, ${texts(highest)} at most`);
}

/** What has changed of a function since the base. */
function sinceBase(of) {
  if (of.is === 'new') return 'New: the base does not have this function.';
  if (of.is === 'gone') return 'Gone: only the base has this function.';
  const texts = [
    of.became,
    `self ${sidesText(sidesOf(of, 'self'), ownCost)}`,
    `inclusive ${withMark(isEstimate(of, 3), sidesText(sidesOf(of, 'inclusive'), ownCost))}`,
    data.has_invocations && `calls ${sidesText(sidesOf(of, 'calls'), callCount)}`,
  ];
  return `Since the base: ${joined(texts)}`;
}

/**
 * Rows of the calls to a function (`end` is `callee`) by their caller, or from it (`caller`) by their callee, with a row
 * for each call site if there are several.
 */
const callRowsOf = once((end, index) => {
  const rows = new Map();
  for (const call of callsBy(end)[index]) {
    const of = functions[calls[end === 'callee' ? 'caller' : 'callee'][call]] || OTHERS;
    if (!rows.has(of)) rows.set(of, { ...of, calls: [], sites: [] });
    rows.get(of).calls.push(call);
  }
  for (const row of rows.values()) {
    if (row.calls.length > 1) row.sites = row.calls.map((call) => ({ ...row, calls: [call], sites: [], isSite: true }));
  }
  return [...rows.values()];
});

/** Whether a function only passes calls on, as `array_map` does: PHP’s own functions have no calls of their own. */
const isPassing = ({ file }) => isInternal(file);

/** The rows of callers or callees by the stacks, past functions that are passed over. */
const passedRows = (rows, isCallers, index) =>
  rows.map((passed) => {
    const of = functions[passed.frame.index] || (passed.frame === ALL ? OUTSIDE : OTHERS);
    const next = passed.through?.index;
    const [caller, callee] = isCallers ? [of.index, next ?? index] : [index, next ?? of.index];
    const sites = callsBy('caller')[caller]?.filter((call) => calls.callee[call] === callee);
    return { ...of, calls: sites || [], sites: [], passed };
  });
const OUTSIDE = other('no function that is shown');

/** Those who call a function through one of PHP’s own functions, or whom it calls so, by the position of the latter. */
const throughOf = once((isCallers, index) => {
  const found = new Map();
  const ends = callRowsOf(isCallers ? 'callee' : 'caller', index);
  if (!stacks || !ends.some(isPassing)) return found;
  const { rows } = passedOn(plainStacks(state.event), index, isCallers, isPassing);
  for (const row of passedRows(rows, isCallers, index)) {
    const { through, frame } = row.passed;
    if (!through || frame === ALL) continue;
    if (!found.has(through.index)) found.set(through.index, []);
    found.get(through.index).push(row);
  }
  return found;
});

/** The location of the calls of a row, or the number of these. Those of PHP’s own functions have none. */
function siteOf({ calls: [call, ...others], ...row }, end) {
  if (call === undefined || (end === 'callee' && isPassing(row))) return undefined;
  if (others.length > 0) return span(undefined, `${grouped(others.length + 1)} call sites`);
  return place({ ...fileOf(calls.file[call]), object: '', line: calls.line[call] });
}

/** The costs and numbers of calls of a row, as the calls have them or by the stacks. */
const costsOfRow = (row) => {
  const known = row.passed || row.outer;
  return known ? { before: known.before, now: known.cost } : costsOfCalls(row);
};
const countsOfRow = (row) => (row.passed ? { before: 0, now: row.passed.calls } : countsOfCalls(row));

/** Says how many functions call a function, which one most often, and which one at the highest cost. */
function calledBy(index) {
  const count = (row) => countsOfRow(row).now;
  const isPart = (row) => (row.passed ? row.passed.isPart : isRecursive(row.calls[0], 1));
  const cost = (row) => (isPart(row) ? 0n : exact(costsOfRow(row).now));
  const through = throughOf(true, index, state.event);
  const callers = callRowsOf('callee', index)
    .flatMap((row) => through.get(row.index) || [row])
    .filter((row) => count(row) > 0);
  if (callers.length === 0) return [];
  const [most] = sorted(callers, (row) => Number(count(row)));
  const [costliest] = sorted(callers, (row) => Number(cost(row)));
  const times = callers.length > 1 ? `, most often (${counted(count(most), 'time', callCount)}) by ` : ', ';
  const nameIn = (row) => [
    row.index === index ? 'itself' : linked(row),
    row.passed && [', through ', linked(functions[row.passed.through.index])],
  ];
  const another = [`; at the highest cost, ${ownCost(cost(costliest))}, by `, nameIn(costliest)];
  const number = new Set(callers.map(({ index: caller, short }) => (caller === NONE ? short : caller))).size;
  return [` by ${counted(number, 'function')}`, times, nameIn(most), cost(costliest) > cost(most) && another];
}

/** The functions that call each other, directly or not, together with a function. */
const cycleOf = (index) => [...new Set(data.functions.cycles.filter((cycle) => cycle.includes(index)).flat())];

/** The most functions that a text lists. */
const FEW_NAMES = 8;

/** Says who is in the cycle of a function, and who calls these from outside. */
function cycleText(index) {
  const cycle = cycleOf(index);
  if (cycle.length < 2) return undefined;
  const listed = (ends) => [
    ...ends.slice(0, FEW_NAMES).flatMap(([end, text], at) => [at > 0 && ', ', linked(functions[end]), text]),
    ends.length > FEW_NAMES && ` and ${grouped(ends.length - FEW_NAMES)} more`,
  ];
  const within = new Set(cycle);
  const entries = new Map();
  for (const member of cycle) {
    for (const call of callsBy('callee')[member]) {
      const caller = calls.caller[call];
      if (within.has(caller) || caller === NONE) continue;
      if (!entries.has(caller)) entries.set(caller, []);
      entries.get(caller).push(call);
    }
  }
  const costly = sorted([...entries], ([, some]) => Number(costsOfCalls({ calls: some }).now));
  const told = costly.map(([caller, some]) => [caller, ` (${ownCost(costsOfCalls({ calls: some }).now)})`]);
  const selves = sorted(cycle, (member) => Number(data.functions.self[state.event][member]));
  return paragraph(
    `Part of a cycle of ${counted(cycle.length, 'function')} that call each other: `,
    listed(selves.map((member) => [member, ''])),
    told.length > 0 && ['. Called from outside by ', listed(told)],
    '.',
  );
}

/** Says that some functions are hidden, and how to see them. */
const hiddenNote = () => [
  `Callers and callees without what is hidden (${state.hide}); its cost is charged to its callers. `,
  el('a', { href: to({ hide: '' }) }, 'Show all'),
];

function showFunction() {
  const of = functions[state.function];
  const side = sideOf(of);
  const link = (text, which) =>
    el('a', { class: 'button', href: toView('flame', { function: of.index, of: which, search: '', hide: '' }) }, text);
  const links = [
    link('Show in the flame graph', ''),
    link('Flame graph of its callers', 'callers'),
    link('Flame graph of its callees', 'callees'),
  ];
  const times = data.timeline && of.is !== 'gone' && toTimes(of);
  const isCalled = data.has_invocations && of.is !== 'gone';
  const count = counted(sidesOf(of, 'calls').now, 'time', callCount);
  const called = isCalled ? [` · called ${count}`, ...calledBy(of.index)] : [];
  return {
    intro: [
      el('p', { class: 'back' }, el('a', { href: toView('functions') }, '← all functions')),
      // The location is below; a closure’s name would repeat its path.
      el('h2', { class: 'name', title: of.name }, of.short.includes('{closure}') ? of.short : of.name),
      paragraph(place(of, true), ...called),
      cycleText(of.index),
      notesOn(of).map((text) => soft(text)),
      costTable(of, side),
      perCall(of),
      comparison && paragraph(sinceBase(of)),
      stacks && el('div', { class: 'bar' }, links, times),
    ],
    view: [
      linesOf(of),
      state.hide && soft(...hiddenNote()),
      subtitle('Callers', 'who calls it, and what that costs'),
      callTable('Caller', 'callee', of, side),
      subtitle('Callees', 'what it calls, and what that costs'),
      callTable('Callee', 'caller', of, side),
    ],
  };
}

/** Why a recursive call has no share. */
const RECURSIVE = 'The cost of this call is part of that of another call, or contains costs of the function itself.';

const OUTER = 'The cost of those calls that are not part of other calls within the cycle.';
/** Whether costs by the stacks may be others: if these are estimated, or if some were omitted. */
const hasDoubt = () => data.estimates !== null || stacks.omitted > 0;

/** Whether all costs of a row’s calls are part of those of others, or contain such. */
const isPartOf = ({ calls: [call], passed, outer }, isCallers) =>
  passed ? passed.isPart : !outer && isRecursive(call, isCallers ? 1 : 2);

/** What the calls of a function by each caller cost, apart from those within other such calls. */
const costsInStacks = (index) =>
  new Map(passedOn(plainStacks(state.event), index, true, () => false).rows.map((row) => [row.frame.index, row]));

/** The callers or callees as the calls have them. Callers in a cycle cost what the stacks say, if that is anything. */
function plainEnds(end, index, event) {
  const isCallers = end === 'callee';
  const [through, found] = [throughOf(isCallers, index, event), callRowsOf(end, index)];
  const inStacks = stacks && isCallers && found.some((row) => isPartOf(row, true)) ? costsInStacks(index) : null;
  return found.map((row) => {
    const outer = isPartOf(row, isCallers) && inStacks?.get(row.index);
    const isKnown = outer && (outer.cost > 0 || outer.before > 0);
    return { ...row, sites: through.get(row.index) || row.sites, outer: isKnown ? outer : undefined };
  });
}

/** The callers or callees without hidden functions, whose cost is that of their callers, and what remains. */
function endsWithout(isHidden, end, index) {
  const isCallers = end === 'callee';
  const found = passedOn(plainStacks(state.event), index, isCallers, (frame) => isHidden(frame));
  const rows = new Map();
  const known = found.rows.filter(({ frame, through }) => frame !== ALL || through);
  for (const row of passedRows(known, isCallers, index)) {
    const { passed, calls: sites } = rows.get(row.index) || row;
    if (!rows.has(row.index)) rows.set(row.index, row);
    else {
      const isPart = passed.isPart && row.passed.isPart;
      const [cost, before] = ['cost', 'before'].map((what) => passed[what] + row.passed[what]);
      const sum = { ...passed, cost, before, calls: passed.calls + row.passed.calls, isPart };
      rows.set(row.index, { ...row, calls: [...sites, ...row.calls], passed: sum });
    }
  }
  return { rows: [...rows.values()], ownCosts: { before: found.own.before, now: found.own.cost } };
}

const SELF = other('self cost', { calls: [], sites: [] });
const SELF_WITH_HIDDEN = other('self cost, with that of hidden functions', { calls: [], sites: [] });

/** The rows of the functions that call a function or are called, and what it costs itself. */
const endsOf = once((end, index, event, hide) => {
  const isHidden = stacks && hiding(hide);
  if (isHidden) return { ...endsWithout(isHidden, end, index), own: SELF_WITH_HIDDEN };
  return { rows: plainEnds(end, index, event), own: SELF, ownCosts: sidesOf(functions[index], 'self') };
});

/** The table of a function’s callers or callees. */
function callTable(title, end, of, side) {
  const isCallers = end === 'callee';
  const { rows, own, ownCosts } = endsOf(end, of.index, state.event, state.hide);
  if (rows.length === 0) return soft(`no ${title.toLowerCase()}`);
  const costs = (row) => (row === own ? ownCosts : costsOfRow(row));
  const cost = (row) => costs(row)[side.name];
  const count = (row) => countsOfRow(row)[side.name];
  const each = (row) => costPerCall(cost(row), count(row), side.runs);
  const recurs = (row) => isPartOf(row, isCallers);
  // Percentages are relative to the larger sum: Xdebug rounds the costs of calls and of functions differently.
  const sums = [rows, ...rows.map(({ sites }) => sites)].map((some) =>
    sumOf(some.filter((row) => !recurs(row)).map(cost)),
  );
  const whole = sums.reduce((one, sum) => (sum > one ? sum : one), exact(sidesOf(of, 'inclusive')[side.name]));
  // Costs that are part of others come last.
  const order = (row) => (recurs(row) ? -1 / (1 + size(cost(row))) : Number(cost(row)));
  const bars = barColumn('% of incl.', cost, { sort: 'cost', order }, whole);
  const countCell = (row) => (row.passed ? callCount(count(row), side.runs) : sidesText(countsOfRow(row), callCount));
  return tableOf({
    label: `${title}s`,
    sort: `${title.toLowerCase()}s`,
    columns: [
      {
        ...bars,
        bar: (row) => (recurs(row) ? 0 : bars.bar(row)),
        cell: (row) => {
          if (recurs(row)) return el('span', { title: RECURSIVE }, 'recursive');
          return row.outer ? el('span', { title: OUTER }, withMark(hasDoubt(), bars.cell(row))) : bars.cell(row);
        },
      },
      comparison && changeColumn('Change', costs, ownCost, { sort: 'change' }),
      sidesColumn('Cost', costs, ownCost, { sort: 'cost', order: bars.order }),
      callColumn(
        countsOfRow,
        { sort: 'calls', order: (row) => Number(countsOfRow(row).now), cell: (row) => row !== own && countCell(row) },
        sidesColumn,
      ),
      data.has_invocations && figures('Per call', cost, ownCost, { cell: each }),
      nameColumn(title, (row) => !row.isSite && linked(row), { sort: 'name', order: ({ name }) => name }),
      placeColumn('Called at', (row) => siteOf(row, end)),
    ],
    rows: isCallers ? rows : [...rows, own],
    below: ({ sites }) => sites,
    // Even for callers and odd for callees: both tables can have the same function.
    keyOf: ({ index }) => 2 * (index + 1) + (isCallers ? 0 : 1),
    isOpenAtFirst: ({ sites }) => sites.some(({ passed }) => passed),
  });
}
