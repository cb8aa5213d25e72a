// ---- Repeated calls: from one line, many for each call of its function -------------------------------

/** Where calls are made. One of PHP’s own functions has no lines: then where that is called, if it is one place. */
function siteOfRepeated({ index, site, caller }) {
  if (!isPassing(caller)) return place(site);
  const through = throughOf(true, index, state.event).get(caller.index) || [];
  return through.length === 1 && siteOf(through[0], 'callee');
}

/** The calls that are made most often for each call of their caller. */
function showRepeated() {
  const isHidden = hiding(state.hide);
  const counts = data.functions.calls;
  const rows = calls.calls.flatMap((count, call) => {
    const [caller, of] = [functions[calls.caller[call]], functions[calls.callee[call]]];
    if (!caller || !of || (isHidden && (isHidden(of) || isHidden(caller)))) return [];
    const callerRuns = exact(counts[caller.index]) || 1n;
    const often = Number(count) / Number(callerRuns);
    const site = { ...fileOf(calls.file[call]), object: '', line: calls.line[call] };
    const text = `${of.text}\n${caller.text}`;
    return often < data.repeated.times ? [] : [{ ...of, text, caller, site, often, callerRuns, calls: [call], count }];
  });
  const cost = (row) => costsOfCalls(row).now;
  const found = rows.filter(searching(state.search));
  const least = (data.repeated.percent / 100) * Number(totalOf());
  const large = found.filter((row) => size(cost(row)) >= least);
  const small = found.length - large.length;
  const hasNoise = large.length > 0 && small > 0 && !state.search;
  const shown = hasNoise && !state.small ? large : found;
  const [turned, verb] = state.small ? ['', 'Hide'] : ['yes', 'Show'];
  const noise = `${counted(small, 'row')} of less than ${data.repeated.percent} % of the total. `;
  if (found.length === 0) {
    return { view: [rows.length > 0 ? nothingFound() : soft('No line makes a call repeatedly.')] };
  }
  const table = tableOf({
    label: 'Repeated calls',
    sort: 'repeated',
    columns: [
      figures(
        'For each call',
        ({ often }) => often,
        (often) => grouped(Math.round(often)),
        { sort: 'often', short: 'for each call', cell: ({ count, callerRuns }) => callCount(count, callerRuns) },
      ),
      callColumn(({ count }) => count, { sort: 'calls' }),
      inclusiveColumn(cost, () => false, { sort: 'cost' }, 'Cost %'),
      costColumn('Cost', cost, { sort: 'cost' }),
      figures('Each', cost, ownCost, {
        sort: 'each',
        order: (row) => Number(cost(row)) / Number(row.count),
        cell: (row) => costPerCall(cost(row), row.count, newRuns),
      }),
      nameColumn('Calls', linked, { sort: 'name', order: ({ name }) => name }),
      nameColumn('Caller', ({ caller }) => linked(caller), {
        kind: 'place caller',
        size: 'minmax(16ch, 2fr)',
        sort: 'caller',
        order: ({ caller }) => caller.name,
      }),
      placeColumn('Called at', siteOfRepeated),
    ],
    rows: shown,
  });
  return {
    view: [
      soft(
        'Calls that one line makes again and again, such as a query in a loop: how often for each call of the caller.',
      ),
      table,
      hasNoise && soft(noise, el('a', { id: 'small', href: to({ small: turned }) }, `${verb} them`)),
    ],
  };
}
