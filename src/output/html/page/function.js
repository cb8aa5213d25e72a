// ---- One function ------------------------------------------------------------------------------------

/** So many events are shown at once. */
const FEW_EVENTS = 2;
/** A longer name is folded. */
const LONG_NAME = 160;

/** The costs of a function on a side, each in the unit that suits it, and per call. */
function costTable(of) {
  const { table: columns, index, is } = of;
  const [own, inclusive, count] =
    is === 'gone'
      ? [columns.base_self, columns.base_inclusive, columns.base_calls]
      : [columns.self, columns.inclusive, columns.calls];
  const whole = (event) => (is === 'gone' ? comparison.total[event] : totalOf(event));
  const rowsOf = (event) =>
    [
      ['self', own, ''],
      ['inclusive', inclusive, estimateMark(of, is === 'gone' ? 2 : 1)],
    ].map(([title, costs, mark]) => {
      const value = costs[event][index];
      const each = data.has_invocations ? costPerCall(value, count[index], event) : '-';
      const name = events.length > 1 ? `${label(event)}, ${title}` : title;
      return [
        el('span', { title: meaning(event) }, name),
        ownCost(value, event),
        mark + visiblePercent(value, whole(event)),
        each,
      ];
    });
  const titles = ['', is === 'gone' ? 'cost in the base' : 'cost', '%', 'per call'];
  const table = (chosen) => smallTable(titles, chosen.flatMap(rowsOf));
  const all = [...events.keys()];
  if (events.length <= FEW_EVENTS) return table(all);
  return [table([state.event]), el('details', {}, el('summary', {}, 'All events'), table(all))];
}

/** What has changed of a function since the base. */
function sinceBase(of) {
  const { is, became } = of;
  if (!comparison) return '';
  if (is)
    return paragraph(
      is === 'new' ? 'New: the base does not have this function.' : 'Gone: only the base has this function.',
    );
  const text = (what, texts, mark = '') => {
    const shown = beforeAndNow(of, what).map((value, side) => texts[side](value));
    return `${what} ${mark}${bothSides(...shown)}`;
  };
  const costs = [(value) => ownCost(value), (value) => ownCost(value)];
  const texts = [text('self', costs), text('inclusive', costs, estimateMark(of, 3))];
  if (data.has_invocations) texts.push(text('calls', [beforeCount, callCount]));
  return paragraph(`Since the base: ${joined([became, ...texts])}`);
}

/** Calls summed up by what is at their other end, those of a place below these. */
function callGroups(end, index) {
  const groups = new Map();
  const otherEnd = end === 'callee' ? 'caller' : 'callee';
  const add = (row, call) => {
    row.calls += exact(calls.calls[call]);
    row.cost += exact(calls.cost[state.event][call]);
    row.oldCalls += exact(calls.base_calls?.[call] ?? 0);
    row.oldCost += exact(calls.base_cost?.[state.event][call] ?? 0);
    row.isRecursive &&= calls.recursive[call] === '1';
    return row;
  };
  const empty = { calls: 0n, cost: 0n, oldCalls: 0n, oldCost: 0n, isRecursive: true };
  for (const call of callsOf(end, index)) {
    const of = functions[calls[otherEnd][call]] || OTHERS;
    if (!groups.has(of)) groups.set(of, { of, sites: [], ...empty });
    const where = calls.file[call] === NONE ? {} : { ...fileOf(calls.file[call]), line: calls.line[call] };
    groups.get(of).sites.push(add({ of, site: { object: '', ...where }, ...empty }, call));
    add(groups.get(of), call);
  }
  return [...groups.values()];
}

/** Who calls a function, and who does so most often. */
function calledBy({ index }) {
  const callers = callGroups('callee', index).filter(({ calls: count }) => count > 0);
  if (callers.length === 0) return [];
  const [{ of, calls: count }] = sorted(callers, (row) => Number(row.calls));
  const most = callers.length > 1 ? `, ${counted(count, 'time', callCount)} by ` : ', ';
  return [` by ${counted(callers.length, 'function')}`, most, linked(of)];
}

/** A name as a heading, of which three lines are shown. */
function titleOf({ name }) {
  const title = el('h2', { class: name.length > LONG_NAME ? 'name folded' : 'name' }, name);
  const unfold = button('Show the whole name', () => {
    title.classList.remove('folded');
    unfold.remove();
  });
  return [title, name.length > LONG_NAME && unfold];
}

function showFunction() {
  const of = functions[state.function];
  const count = data.functions.calls[of.index];
  const link = (text, which) =>
    el('a', { class: 'button', href: toView('flame', { function: of.index, of: which, search: '', hide: '' }) }, text);
  const called = data.has_invocations && of.is !== 'gone' && ` · called ${counted(count, 'time', callCount)}`;
  const links = [
    link('Show in the flame graph', ''),
    link('Flame graph of its callers', 'callers'),
    link('Flame graph of its callees', 'callees'),
  ];
  const lines = linesOf(of);
  const callers = callTable(
    'Caller',
    'callee',
    'who calls it, and what that costs (bars: shares of its inclusive cost)',
  );
  const callees = callTable('Callee', 'caller', 'what it calls, and what that costs (bars: the same)');
  const parts = lines?.isKnown ? [lines, callers, callees] : [callers, callees, lines];
  return {
    intro: [
      paragraph(el('a', { href: toView('functions') }, '← all functions')),
      ...titleOf(of),
      paragraph(place(of, true), called, called ? calledBy(of) : ''),
      costTable(of),
      sinceBase(of),
      stacks && el('div', { class: 'bar' }, links),
    ],
    view: parts.flatMap((part) => part?.view || []),
    shown: parts.flatMap((part) => part?.table || []),
  };
}

/** The table of what is at the other end of a function’s calls. */
function callTable(title, end, what) {
  const view = [el('h3', {}, `${title}s `, span('soft', what))];
  const sort = `${title.toLowerCase()}s`;
  const groups = callGroups(end, state.function);
  if (groups.length === 0) return { view: [...view, soft(`no ${title.toLowerCase()}`)] };
  // In the address, callers are below 0: both tables can have the same function.
  const { isOpen, turn, ...more } = opening(
    ({ sites }) => (sites?.length > 1 ? sites : []),
    ({ of }) => 2 * (of.index + 1) + (end === 'caller' ? 1 : 0),
  );
  const { is } = functions[state.function];
  const inclusive = is === 'gone' ? data.functions.base_inclusive : data.functions.inclusive;
  const costOfRow = (row) => (is === 'gone' ? row.oldCost : row.cost);
  // Of what calls took as their callers say, which Xdebug rounds otherwise than its parts.
  const plain = groups.filter(({ isRecursive }) => !isRecursive);
  const [whole, paid] = [exact(inclusive[state.event][state.function]), sumOf(plain.map(costOfRow))];
  const growth = (row) => row.cost - row.oldCost;
  const site = (row) => {
    if (row.site) return place(row.site);
    if (row.sites.length === 1) return place(row.sites[0].site);
    const text = `${grouped(row.sites.length)} call sites ${isOpen(row) ? '▾' : '▸'}`;
    return button(text, () => turn(row), { class: 'plain', tabindex: NONE });
  };
  const change =
    comparison &&
    numbers('Change', growth, ownCost, {
      ...{ sort: 'change', size: '13ch', short: '', order: (row) => Math.abs(Number(growth(row))) },
      cell: (row) => span(kindOfChange(growth(row)), signed(growth(row), ownCost(growth(row)))),
    });
  const costs = (row) => (comparison ? bothSides(ownCost(row.oldCost), ownCost(row.cost)) : ownCost(row.cost));
  const count = (row) => (comparison ? callsOfSides(row.oldCalls, row.calls) : callCount(row.calls));
  const unit = (row) => (count(row) === '1' ? 'call' : 'calls');
  const each = (row) =>
    is === 'gone' ? ownCost(row.oldCost, state.event, row.oldCalls || 1) : costPerCall(row.cost, row.calls);
  const bars = barColumn('Cost %', costOfRow, { sort: 'cost' }, paid > whole ? paid : whole);
  const shareOf = bars.cell;
  // It is a part of what other calls cost.
  bars.cell = (row) => (row.isRecursive ? 'recursive' : shareOf(row));
  const table = tableOf({
    label: `${title}s`,
    sort,
    columns: [
      bars,
      change,
      numbers('Cost', costOfRow, ownCost, { sort: 'cost', size: comparison ? '22ch' : '13ch', short: '', cell: costs }),
      data.has_invocations &&
        numbers('Calls', (row) => row.calls, callCount, {
          sort: 'calls',
          short: unit,
          cell: count,
          size: comparison ? '16ch' : '11ch',
        }),
      data.has_invocations && { title: 'Per call', kind: 'figure', size: '13ch', short: 'each', cell: each },
      nameColumn(title, (row) => (row.site ? '' : linked(row.of)), { sort: 'name', order: ({ of }) => of.name }),
      placeColumn('Called at', site),
    ],
    rows: groups,
    ...more,
    enter: ({ of }) => of !== OTHERS && go(toFunction(of)),
    attributes: ({ site: isSite }) => isSite && { class: 'row site' },
  });
  return { view: [...view, table.element], table };
}
