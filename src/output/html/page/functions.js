// ---- Functions, and what has changed -----------------------------------------------------------------

/** A location. It is a link if the report has a template for links. */
function place({ file, object, line, isOutside }, isWhole = false) {
  const short = isWhole ? (path) => path : shortPath;
  const text = (title, shown) => el('span', { class: 'path', title }, shown);
  if (!isKnown(file) && isKnown(object)) return text(`[${object}]`, `[${short(object)}]`);
  if (isInternal(file)) return text(file, file);
  const suffix = line > 0 && file ? `:${line}` : '';
  const [title, shown] = [file + suffix, short(file) + suffix];
  if (!data.source_url || !isFile(file) || isOutside) return text(title, shown);
  const path = file.split('/').map(encodeURIComponent).join('/');
  const href = data.source_url.replaceAll('{file}', () => path).replaceAll('{line}', () => line || 1);
  return el('a', { class: 'path', href, title, rel: 'noopener noreferrer', tabindex: NONE }, shown);
}

/** A name. If it does not fit, its namespace and arguments are cut. */
function nameOf({ name, parts: [scope, type, own, rest] }) {
  const parts = [span(undefined, scope), span('own', type + own), span(undefined, rest)];
  return el('span', { class: 'parts', title: name }, parts);
}

/** A name, a link if its function is in the report. */
const linked = (of) => el('a', { href: toFunction(of), tabindex: NONE }, nameOf(of));

const GREY = { '--hue': 0, '--strength': '0%' };
/** The colours of groups of a kind, by their names. */
const coloursBy = once((by) =>
  coloursOf(sorted(groups[by], ({ table, index }) => Number(table.self[0][index])).map(({ name }) => name)),
);
function colourOfGroup({ by, name }) {
  const hue = coloursBy(by).get(name);
  return hue === undefined ? GREY : { '--hue': hue };
}

/** For each group of a kind, the positions of its functions. */
const membersBy = once((by) => positionsIn(data.groups[by].of, groups[by].length));

/** A table of functions, or of groups that unfold to those of their functions that `fits` accepts. */
function functionTable(title, columns, rows, fits) {
  const { by, view } = state;
  const isByFunction = by === 'function';
  const below = (of) =>
    of.by
      ? membersBy(by)
          [of.index].map((index) => functions[index])
          .filter(fits)
      : [];
  const nameParts = (of) => [
    view === 'changes' && of.is && el('b', { class: 'badge' }, of.is),
    linked(of),
    view === 'changes' && of.became && span('became', of.became),
  ];
  const placeCell = (of) => (of.by ? span(undefined, counted(below(of).length, 'function')) : place(of));
  const order = ({ file, line }) => file + String(line).padStart(9, '0');
  return tableOf({
    label: title,
    columns: [
      ...columns,
      nameColumn(NOUNS[by], nameParts, { sort: 'name', order: ({ name }) => name }),
      placeColumn(isByFunction ? 'File:line' : '', placeCell, isByFunction && { sort: 'place', order }),
    ],
    rows,
    below: isByFunction ? undefined : below,
  });
}
const NOUNS = { function: 'Function', class: 'Class', file: 'File', object: 'Object', package: 'Package' };

/**
 * The self costs of functions after the costs of hidden ones were charged to the nearest callers that are not hidden,
 * as far as the stacks contain these.
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

/** Says how many rows there are, and their self cost. */
const rowsText = (count, value, noun = state.by) =>
  `${counted(count, noun)} with a total self cost of ${costWithUnit(value)} (${share(value)} %)`;

/** Says how many rows were omitted from the report. */
function omittedRows() {
  const { functions: count, self } = data.rest;
  const { omitted } = data.groups[state.by] || {};
  if (state.by === 'function' ? count === 0 : !omitted) return undefined;
  const text = omitted ? counted(omitted, state.by) : rowsText(count, self[state.event]);
  return soft(`Omitted to limit the size of the report: ${text}`);
}

/** The functions, or the groups of the chosen kind. */
const rowsShown = () => (state.by === 'function' ? functions : groups[state.by]);

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
  const fits = searching(state.search);
  const rows = all.filter((of) => !hidden.has(of) && fits(of));
  const cost = sumOf([...hidden].map(({ index }) => data.functions.self[event][index]));
  const least = isCharged && stacks.omitted > 0 ? 'at least ' : '';
  const status = [
    (state.search || isHidden) && rowsText(rows.length, sumOf(rows.map(ownOf))),
    isCharged && `; of ${costWithUnit(cost)} hidden, ${least}${costWithUnit(moved)} added to callers`,
  ];
  if (rows.length === 0) return { status, view: [nothingFound(), omittedRows()] };
  const columns = [
    barColumn('Self %', ownOf, { sort: 'self' }),
    costColumn('Self', ownOf, { sort: 'self' }),
    inclusiveColumn(inclusiveOf, (of) => isEstimate(of), { sort: 'inclusive' }),
    costColumn('Inclusive', inclusiveOf, { sort: 'inclusive' }),
    callColumn(({ table, index }) => table.calls[index], { sort: 'calls' }),
  ];
  const outer = by !== 'function' && data.has_invocations ? ` Calls: those from outside the ${by}.` : '';
  const costs = `Self: the ${by}’s own cost. Inclusive: its own cost plus everything it calls.${outer}`;
  const shown = by !== 'function' ? 'its functions' : data.has_invocations ? 'who calls it' : 'its lines';
  const about = `${costs} Click ${by === 'object' ? 'an' : 'a'} ${by} to see ${shown}.`;
  return { status, view: [soft(about), functionTable('Functions', columns, rows, isThere), omittedRows()] };
}

function showChanges() {
  const { by, event } = state;
  const { verdict, shown } = comparison.events[event];
  const [self, inclusive, counts] = ['self', 'inclusive', 'calls'].map((what) => (of) => sidesOf(of, what));
  const isUnequal = ({ before, now }) => before !== now;
  const hasChanged = (of) =>
    isUnequal(self(of)) || isUnequal(inclusive(of)) || sidesText(counts(of), callCount).includes('→');
  const all = rowsShown();
  const changed = all.filter(hasChanged);
  const byInclusive = sorted(changed, (of) => size(growthOf(inclusive(of))));
  const rows = sorted(byInclusive, (of) => size(growthOf(self(of)))).filter(searching(state.search));
  const columns = [
    changeColumn(heading('Change'), self, columnCost, { sort: 'change' }),
    changeColumn('Base %', self, (value) => share(value, comparison.total[event])),
    sidesColumn(heading('Self'), self, columnCost),
    sidesColumn(heading('Inclusive'), inclusive, columnCost, {
      sort: 'inclusive',
      cell: (of) => withMark(isEstimate(of, 3), sidesText(inclusive(of), columnCost)),
    }),
    callColumn(counts, { sort: 'calls' }, sidesColumn),
  ];
  const totals = ['base', 'new'].map((title, side) => [title, shown[side], grouped(comparison.functions[side])]);
  const { functions: count, changed: more, change } = data.rest;
  const numberOf = (which) => counted(all.filter(({ is }) => is === which).length, by);
  const isOmitted = by === 'function' && more[event] > 0;
  const others = `${grouped(more[event])} more changed by ${signedCost(change[event], costWithUnit)} together. `;
  const same = all.length - changed.length + (by === 'function' ? count - more[event] : 0);
  return {
    intro: [
      el('h2', {}, `${label(event)} ${verdict}`),
      smallTable(['', label(event), 'functions'], totals),
      !omittedRows() && paragraph(`New: ${numberOf('new')} · gone: ${numberOf('gone')}`),
      stacks && paragraph(el('a', { class: 'button', href: toView('flame') }, 'Changes in the flame graph')),
    ],
    view: [
      rows.length > 0 ? functionTable('Changes', columns, rows, hasChanged) : state.search && nothingFound(),
      soft(isOmitted && others, same > 0 && `${counted(same, by)} did not change.`),
      omittedRows(),
    ],
  };
}
