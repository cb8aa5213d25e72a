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

/** The location of the calls of a row, or the number of these. */
function siteOf({ calls: [call, ...others] }) {
  if (others.length > 0) return span(undefined, `${grouped(others.length + 1)} call sites`);
  return place({ ...fileOf(calls.file[call]), object: '', line: calls.line[call] });
}

/** Says how many functions call a function, which one most often, and which one at the highest cost. */
function calledBy(index) {
  const count = (row) => countsOfCalls(row).now;
  const cost = (row) => (isRecursive(row.calls[0], 1) ? 0n : costsOfCalls(row).now);
  const callers = callRowsOf('callee', index).filter((row) => count(row) > 0);
  if (callers.length === 0) return [];
  const [most] = sorted(callers, (row) => Number(count(row)));
  const [costliest] = sorted(callers, (row) => Number(cost(row)));
  const times = callers.length > 1 ? `, most often (${counted(count(most), 'time', callCount)}) by ` : ', ';
  const name = most.index === index ? 'itself' : linked(most);
  const another = [`; at the highest cost, ${ownCost(cost(costliest))}, by `, linked(costliest)];
  return [` by ${counted(callers.length, 'function')}`, times, name, cost(costliest) > cost(most) && another];
}

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
  const isCalled = data.has_invocations && of.is !== 'gone';
  const count = counted(sidesOf(of, 'calls').now, 'time', callCount);
  const called = isCalled ? [` · called ${count}`, ...calledBy(of.index)] : [];
  return {
    intro: [
      el('p', { class: 'back' }, el('a', { href: toView('functions') }, '← all functions')),
      el('h2', { class: 'name' }, of.name),
      paragraph(place(of, true), ...called),
      costTable(of, side),
      comparison && paragraph(sinceBase(of)),
      stacks && el('div', { class: 'bar' }, links),
    ],
    view: [
      linesOf(of),
      subtitle('Callers', 'who calls it, and what that costs'),
      callTable('Caller', 'callee', of, side),
      subtitle('Callees', 'what it calls, and what that costs'),
      callTable('Callee', 'caller', of, side),
    ],
  };
}

/** Why a recursive call has no share. */
const RECURSIVE = 'The cost of this call is part of that of another call, or contains costs of the function itself.';

/** The table of a function’s callers or callees. */
function callTable(title, end, of, side) {
  const rows = callRowsOf(end, of.index);
  if (rows.length === 0) return soft(`no ${title.toLowerCase()}`);
  const isCallers = end === 'callee';
  // What the callees leave of the inclusive cost.
  const own = other('self cost', { calls: [], sites: [] });
  const costs = (row) => (row === own ? sidesOf(of, 'self') : costsOfCalls(row));
  const cost = (row) => costs(row)[side.name];
  const count = (row) => countsOfCalls(row)[side.name];
  const each = (row) => costPerCall(cost(row), count(row), side.runs);
  const recurs = ({ calls: [call] }) => isRecursive(call, isCallers ? 1 : 2);
  // Percentages are relative to the larger sum: Xdebug rounds the costs of calls and of functions differently.
  const paid = sumOf(rows.filter((row) => !recurs(row)).map(cost));
  const inclusive = exact(sidesOf(of, 'inclusive')[side.name]);
  const bars = barColumn('% of incl.', cost, { sort: 'cost' }, paid > inclusive ? paid : inclusive);
  return tableOf({
    label: `${title}s`,
    sort: `${title.toLowerCase()}s`,
    columns: [
      {
        ...bars,
        bar: (row) => (recurs(row) ? 0 : bars.bar(row)),
        cell: (row) => (recurs(row) ? el('span', { title: RECURSIVE }, 'recursive') : bars.cell(row)),
      },
      comparison && changeColumn('Change', costs, ownCost, { sort: 'change' }),
      sidesColumn('Cost', costs, ownCost, { sort: 'cost', order: bars.order }),
      callColumn(
        countsOfCalls,
        {
          sort: 'calls',
          order: (row) => Number(countsOfCalls(row).now),
          cell: (row) => row !== own && sidesText(countsOfCalls(row), callCount),
        },
        sidesColumn,
      ),
      data.has_invocations && figures('Per call', cost, ownCost, { cell: each }),
      nameColumn(title, (row) => !row.isSite && linked(row), { sort: 'name', order: ({ name }) => name }),
      placeColumn('Called at', siteOf),
    ],
    rows: isCallers ? rows : [...rows, own],
    below: ({ sites }) => sites,
    // Even for callers and odd for callees: both tables can have the same function.
    keyOf: ({ index }) => 2 * (index + 1) + (isCallers ? 0 : 1),
  });
}
