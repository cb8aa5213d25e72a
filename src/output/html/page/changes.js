// ---- What has changed --------------------------------------------------------------------------------

/** What changes can be of: how it is called, and the key of its order. */
const CHANGING = {
  self: { text: 'self cost', sort: 'change' },
  inclusive: { text: 'inclusive cost', sort: 'inclusive' },
  calls: { text: 'number of calls', sort: 'calls' },
};

/** Calls per run of both sides, times the runs of both. */
const commonCounts = ({ before, now }) => ({ before: exact(before) * newRuns, now: exact(now) * oldRuns });

/** The columns of the change of what rows are sorted by. Of a cost, also as a share of the base’s total. */
function changeOf(what, sidesOfRow) {
  const { sort } = CHANGING[what];
  if (what !== 'calls') return changeColumns(sidesOfRow, sort);
  const text = (count) => callsText(count, oldRuns * newRuns);
  return [changeColumn('Change', (row) => commonCounts(sidesOfRow(row)), text, { sort })];
}

const isTraceOfTimes = () => data.kind === 'trace' && isTime();

/** The order that the reader chose, or else by self cost. Numbers of calls do not vary from run to run, as times do. */
function sortedBy(changed, calls) {
  const chosen = state.sort.replace('-', '');
  const found = Object.keys(CHANGING).find((what) => CHANGING[what].sort === chosen);
  return found || (!chosen && isTraceOfTimes() && changed.some(calls) ? 'calls' : 'self');
}

function showChanges() {
  const { by, event } = state;
  const { verdict, caution } = comparison.events[event];
  const [self, inclusive, counts] = ['self', 'inclusive', 'calls'].map((what) => (of) => sidesOf(of, what));
  const isUnequal = ({ before, now }) => before !== now;
  const hasOtherCalls = (of) => data.has_invocations && growthOf(commonCounts(counts(of))) !== 0n;
  const hasChanged = (of) =>
    isUnequal(self(of)) || isUnequal(inclusive(of)) || sidesText(counts(of), callCount).includes('→');
  const all = rowsShown();
  const changed = all.filter(hasChanged);
  const byInclusive = sorted(changed, (of) => size(growthOf(inclusive(of))));
  const what = sortedBy(changed, hasOtherCalls);
  const found = sorted(byInclusive, (of) => size(growthOf(self(of)))).filter(searching(state.search));
  const least = NOISE * Math.max(Number(totalOf()), Number(comparison.total[event]));
  const isLarge = (of) =>
    [self, inclusive].some((sides) => size(growthOf(sides(of))) >= least) || (what === 'calls' && hasOtherCalls(of));
  const [large, small] = [true, false].map((wanted) => found.filter((of) => isLarge(of) === wanted));
  const hasNoise = large.length > 0 && small.length > 1 && !state.search;
  const rows = hasNoise && !state.small ? large : found;
  const columns = [
    ...changeOf(what, { self, inclusive, calls: counts }[what]),
    sidesColumn(heading('Self'), self, columnCost, { sort: 'change' }),
    sidesColumn(heading('Inclusive'), inclusive, columnCost, {
      sort: 'inclusive',
      cell: (of) => withMark(isEstimate(of, 3), sidesText(inclusive(of), columnCost)),
    }),
    callColumn(counts, { sort: 'calls', order: (of) => size(growthOf(commonCounts(counts(of)))) }, sidesColumn),
  ];
  const { names, functions: sizes } = comparison;
  const costs = [comparison.total[event], totalOf()].map(ownCost);
  const totals = ['base', 'new'].map((side, at) => [`${side}: ${names[at]}`, costs[at], grouped(sizes[at])]);
  const { functions: count, changed: more } = data.rest;
  const change = growthOf(sidesOf({ table: data.rest, index: 0 }, 'self'));
  const hint = markHint(rows, (of) => isEstimate(of, 3));
  const numberOf = (which) => counted(all.filter(({ is }) => is === which).length, by);
  const isOmitted = by === 'function' && more[event] > 0;
  const others = `${grouped(more[event])} more changed by ${signedCost(change, costWithUnit)} together. `;
  const sum = signedCost(sumOf(small.map((of) => growthOf(self(of)))), costWithUnit);
  const noise = `${counted(small.length, by)} changed by less than 0.1 % of the total, by ${sum} together. `;
  const [turned, verb] = state.small ? ['', 'Hide'] : ['yes', 'Show'];
  const same = all.length - changed.length + (by === 'function' ? count - more[event] : 0);
  return {
    intro: [
      el('h2', {}, `${label(event)} ${verdict}`),
      caution && soft(`Caution: ${caution}.`),
      smallTable(['', label(event), 'functions'], totals),
      !omittedRows() && paragraph(`New: ${numberOf('new')} · gone: ${numberOf('gone')}`),
      stacks && paragraph(el('a', { class: 'button', href: toView('flame') }, 'Changes in the flame graph')),
    ],
    view: [
      soft(
        `Change: of the ${CHANGING[what].text}. `,
        what !== 'calls' && 'Base %: the change as a share of the base’s total. ',
        what === 'calls' &&
          isTraceOfTimes() &&
          `${caution ? 'Click' : 'Numbers of calls do not vary from run to run, as times do; click'} another column for its change. `,
        `Click a ${by} for more.${hint}`,
      ),
      rows.length > 0 ? functionTable('Changes', columns, rows, hasChanged) : state.search && nothingFound(),
      hasNoise && soft(noise, el('a', { id: 'small', href: to({ small: turned }) }, `${verb} them`)),
      soft(isOmitted && others, same > 0 && `${counted(same, by)} did not change.`),
      omittedRows(),
    ],
  };
}
