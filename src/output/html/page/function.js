// ---- One function ------------------------------------------------------------------------------------

/** The most events that are shown at once. */
const FEW_EVENTS = 2;
/** Longer names are folded. */
const LONG_NAME = 160;

/** The side whose costs a function shows: the base if it is gone. */
const sideOf = ({ is }) =>
  is === 'gone'
    ? { name: 'before', runs: oldRuns, total: comparison.total, mark: 2, title: 'cost in the base' }
    : { name: 'now', runs: newRuns, total: data.total, mark: 1, title: 'cost' };

/** The costs of a function, each in the unit that suits it, and per call. */
function costTable(of, side) {
  const count = sidesOf(of, 'calls')[side.name];
  const row = (event, what, mark) => {
    const cost = sidesOf(of, what, event)[side.name];
    return [
      el('span', { title: meaning(event) }, events.length > 1 ? `${label(event)}, ${what}` : what),
      ownCost(cost, event),
      mark + visiblePercent(cost, side.total[event]),
      data.has_invocations ? costPerCall(cost, count, side.runs, event) : '-',
    ];
  };
  const rowsOf = (event) => [row(event, 'self', ''), row(event, 'inclusive', estimateMark(of, side.mark))];
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
    `self ${sidesText(sidesOf(of, 'self'), OWN_COSTS)}`,
    `inclusive ${estimateMark(of, 3)}${sidesText(sidesOf(of, 'inclusive'), OWN_COSTS)}`,
    data.has_invocations && `calls ${sidesText(sidesOf(of, 'calls'), COUNTS)}`,
  ];
  return `Since the base: ${joined(texts)}`;
}

const callRows = { callee: [], caller: [] };
/**
 * Rows of the calls to a function (`end` is `callee`) by their caller, or from it (`caller`) by their callee, with a row
 * for each call site if there are several. They are made once, so that a row can keep the focus.
 */
function callRowsOf(end, index) {
  const rows = new Map();
  for (const call of callRows[end][index] ? [] : callsOf(end, index)) {
    const of = functions[calls[end === 'callee' ? 'caller' : 'callee'][call]] || OTHERS;
    if (!rows.has(of)) rows.set(of, { of, calls: [], sites: [] });
    rows.get(of).calls.push(call);
  }
  for (const [of, row] of rows) {
    if (row.calls.length > 1) row.sites = row.calls.map((call) => ({ of, calls: [call], sites: [], isSite: true }));
  }
  callRows[end][index] ??= [...rows.values()];
  return callRows[end][index];
}

/** The location of a call. */
function siteOf(call) {
  if (calls.file[call] === NONE) return '';
  return place({ ...fileOf(calls.file[call]), object: '', line: calls.line[call] });
}

/** Says how many functions call a function, and which one most often. */
function calledBy(index) {
  const count = (row) => countsOfCalls(row).now;
  const callers = callRowsOf('callee', index).filter((row) => count(row) > 0);
  if (callers.length === 0) return [];
  const [most] = sorted(callers, (row) => Number(count(row)));
  const times = callers.length > 1 ? `, ${counted(count(most), 'time', callCount)} by ` : ', ';
  return [` by ${counted(callers.length, 'function')}`, times, linked(most.of)];
}

/** A name as a heading. Long ones are cut after three lines. */
function titleOf({ name }) {
  const isLong = name.length > LONG_NAME;
  const title = el('h2', { class: classes({ name: true, folded: isLong }) }, name);
  const unfold = button('Show the whole name', () => {
    title.classList.remove('folded');
    unfold.remove();
  });
  return [title, isLong && unfold];
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
  const lines = linesOf(of);
  const callers = [
    el('h3', {}, 'Callers ', span('soft', 'who calls it, and what that costs (bars: shares of its inclusive cost)')),
    callTable('Caller', 'callee', of, side),
  ];
  const callees = [
    el('h3', {}, 'Callees ', span('soft', 'what it calls, and what that costs (bars: the same)')),
    callTable('Callee', 'caller', of, side),
  ];
  return {
    intro: [
      el('p', { class: 'back' }, el('a', { href: toView('functions') }, '← all functions')),
      ...titleOf(of),
      paragraph(place(of, true), ...called),
      costTable(of, side),
      comparison && paragraph(sinceBase(of)),
      stacks && el('div', { class: 'bar' }, links),
    ],
    view: lines.isKnown ? [lines.view, callers, callees] : [callers, callees, lines.view],
  };
}

/** The table of a function’s callers or callees. */
function callTable(title, end, of, side) {
  const rows = callRowsOf(end, of.index);
  if (rows.length === 0) return soft(`no ${title.toLowerCase()}`);
  const folds = folding({
    below: ({ sites }) => sites,
    // Even for callers and odd for callees: both tables can have the same function.
    keyOf: ({ of }) => 2 * (of.index + 1) + (end === 'caller' ? 1 : 0),
  });
  const cost = (row) => costsOfCalls(row)[side.name];
  const count = (row) => countsOfCalls(row)[side.name];
  const each = (row) => costPerCall(cost(row), count(row), side.runs);
  const isRecursive = (row) => row.calls.every((call) => calls.recursive[call] === '1');
  // Percentages are relative to the larger sum: Xdebug rounds the costs of calls and of functions differently.
  const paid = sumOf(rows.filter((row) => !isRecursive(row)).map(cost));
  const inclusive = exact(sidesOf(of, 'inclusive')[side.name]);
  const bars = barColumn('Cost %', cost, { sort: 'cost' }, paid > inclusive ? paid : inclusive);
  const site = (row) => {
    if (row.calls.length === 1) return siteOf(row.calls[0]);
    const text = `${grouped(row.calls.length)} call sites ${folds.isOpen(row) ? '▾' : '▸'}`;
    return button(text, () => folds.turn(row), { class: 'plain', tabindex: NONE });
  };
  return tableOf({
    label: `${title}s`,
    sort: `${title.toLowerCase()}s`,
    columns: [
      // The cost of a recursive call is part of the cost of another call.
      { ...bars, cell: (row) => (isRecursive(row) ? 'recursive' : bars.cell(row)) },
      comparison && changeColumn('Change', costsOfCalls, ownCost, { sort: 'change' }),
      figures('Cost', cost, ownCost, {
        sort: 'cost',
        size: comparison && '22ch',
        cell: (row) => sidesText(costsOfCalls(row), OWN_COSTS),
      }),
      callColumn((row) => countsOfCalls(row).now, {
        sort: 'calls',
        size: comparison && '16ch',
        cell: (row) => sidesText(countsOfCalls(row), COUNTS),
      }),
      data.has_invocations && figures('Per call', cost, ownCost, { cell: each }),
      nameColumn(title, (row) => (row.isSite ? '' : linked(row.of)), { sort: 'name', order: ({ of }) => of.name }),
      placeColumn('Called at', site),
    ],
    rows,
    folds,
    enter: ({ of }) => of !== OTHERS && go(toFunction(of)),
    attributes: ({ isSite }) => isSite && { class: 'row site' },
  });
}
