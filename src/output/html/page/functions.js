// ---- Functions, and what has changed -----------------------------------------------------------------

/** A location. It is a link if the report has a template for links. */
function place({ file, object, line, isOutside }, isWhole = false) {
  const short = isWhole ? (path) => path : shortPath;
  const text = (title, shown) => el('span', { class: 'path', title }, shown);
  if (!file && !object) return undefined;
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
/** The colour of groups of so little cost that they have none of their own. */
const PALE = { '--hue': 45, '--strength': '25%' };
/** The colours of groups of a kind, by their names. */
const coloursBy = once((by) =>
  coloursOf(sorted(groups[by], ({ table, index }) => Number(table.self[0][index])).map(({ name }) => name)),
);
function colourOfGroup({ by, name }) {
  const hue = coloursBy(by).get(name);
  if (hue !== undefined) return { '--hue': hue };
  return isGrey(name) ? GREY : PALE;
}

const membersBy = once((by) => positionsIn(data.groups[by].of, groups[by].length));
/** The functions of a group, or a function itself. */
const membersOf = (of) => (of.by ? membersBy(of.by)[of.index].map((index) => functions[index]) : [of]);

/** Where a package is: its object, or the folder of its name. */
const originOf = once((by, index) => {
  if (by !== 'package') return '';
  const [{ name }, members] = [groups[by][index], membersOf(groups[by][index])];
  const { object } = members.find((of) => isKnown(of.object) && lastComponent(of.object) === name) || {};
  if (object) return `[${shortPath(object)}]`;
  const { file = '' } = members.find((of) => isKnown(of.file)) || {};
  // The folders of crates end with their versions.
  const at = Math.max(`/${file}`.indexOf(`/${name}/`), `/${file}`.indexOf(`/${name}-`));
  return isInternal(file) ? file : file.slice(0, at < 0 ? 0 : at + name.length);
});

/** A table of functions, or of groups that unfold to those of their functions that `fits` accepts. */
function functionTable(title, columns, rows, fits) {
  const { by, view } = state;
  const isByFunction = by === 'function';
  const below = (of) => (of.by ? membersOf(of).filter(fits) : []);
  const nameParts = (of) => [
    view === 'changes' && of.is && el('b', { class: 'badge' }, of.is),
    linked(of),
    view === 'changes' && of.became && span('became', of.became),
  ];
  const countOf = (of) => joined([originOf(of.by, of.index), counted(below(of).length, 'function')]);
  const placeCell = (of) => (of.by ? span(undefined, countOf(of)) : place(of));
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
 * What hidden functions add to the self costs of others, which is what they lose: their cost is charged to the nearest
 * callers that are not hidden, as far as the stacks contain these, unless the reader wants to omit it.
 */
function charged(hidden) {
  const self = data.functions.self[state.event];
  const added = self.map(() => 0n);
  const payers = [];
  const parents = stacks && !state.charge ? stacks.parent : [];
  parents.forEach((parent, node) => {
    const { index } = frames[stacks.frame[node]];
    const hides = hidden.has(functions[index]);
    const above = payers[parent] ?? NONE;
    payers.push(index === NONE || hides ? above : index);
    if (hides && above !== NONE) added[above] += exact(stacks.self[state.event][node]);
  });
  const moved = sumOf(added) / newRuns;
  return { added: added.map((value, at) => (hidden.has(functions[at]) ? -exact(self[at]) : value / newRuns)), moved };
}

/** Says what happened to the cost of hidden functions. */
function hiddenText(hidden, moved) {
  const cost = sumOf([...hidden].map(({ index }) => data.functions.self[state.event][index]));
  const least = stacks?.omitted > 0 ? 'at least ' : '';
  const charge = stacks && !state.charge && `, of which ${least}${costWithUnit(moved)} charged to callers`;
  return `; ${counted(hidden.size, 'function')} with ${costWithUnit(cost)} hidden${charge || ''}`;
}

/** Says how many rows there are, and their self cost. */
const rowsText = (count, value, noun = state.by) =>
  `${counted(count, noun)} with a total self cost of ${costWithUnit(value)} (${share(value)} %)`;

/** Says how many rows were omitted from the report. */
function omittedRows() {
  const { functions: count, self: rest } = data.rest;
  const { omitted } = data.groups[state.by] || {};
  if (state.by === 'function' ? count === 0 : !omitted) return undefined;
  const text = omitted ? counted(omitted, state.by) : rowsText(count, rest[state.event][0]);
  return soft(`Omitted to limit the size of the report: ${text}`);
}

/** The functions, or the groups of the chosen kind. */
const rowsShown = () => (state.by === 'function' ? functions : groups[state.by]);

function showFunctions() {
  const { by, event } = state;
  const isThere = ({ is }) => is !== 'gone';
  const all = rowsShown().filter(isThere);
  const isHidden = hiding(state.hide);
  const hidden = new Set(isHidden ? functions.filter((of) => isThere(of) && isHidden(of)) : []);
  const { added, moved } = hidden.size > 0 ? charged(hidden) : {};
  const isShown = (of) => isThere(of) && !hidden.has(of);
  const plainOwn = ({ table, index }) => table.self[event][index];
  const ownOf = (of) =>
    added ? exact(plainOwn(of)) + sumOf(membersOf(of).map(({ index }) => added[index])) : plainOwn(of);
  const inclusiveOf = ({ table, index }) => table.inclusive[event][index];
  const fits = searching(state.search);
  // All functions of a group may have been omitted.
  const isShownRow = (of) => !added || membersOf(of).length === 0 || membersOf(of).some(isShown);
  const rows = all.filter((of) => fits(of) && isShownRow(of));
  const status = [
    (state.search || isHidden) && rowsText(rows.length, sumOf(rows.map(ownOf))),
    isHidden && hiddenText(hidden, moved ?? 0n),
  ];
  if (rows.length === 0) return { status, view: [nothingFound(), omittedRows()] };
  const columns = [
    barColumn('Self %', ownOf, { sort: 'self' }),
    costColumn('Self', ownOf, { sort: 'self' }),
    inclusiveColumn(inclusiveOf, isEstimate, { sort: 'inclusive' }),
    costColumn('Inclusive', inclusiveOf, { sort: 'inclusive' }),
    callColumn(({ table, index }) => table.calls[index], { sort: 'calls' }),
  ];
  const outer = by !== 'function' && data.has_invocations && `Calls: those from outside the ${by}.`;
  // Above, what the costs of memory are.
  const costs = peak(event) ? '' : `Self: the ${by}’s own cost. Inclusive: its own cost plus everything it calls.`;
  const shown = by !== 'function' ? 'its functions' : data.has_invocations ? 'who calls it' : 'its lines';
  const click = `Click ${by === 'object' ? 'an' : 'a'} ${by} to see ${shown}.${markHint(rows, isEstimate)}`;
  const about = soft(joined([costs, outer, click], ' '));
  return { status, view: [about, functionTable('Functions', columns, rows, isShown), omittedRows()] };
}

function showChanges() {
  const { by, event } = state;
  const { verdict } = comparison.events[event];
  const [self, inclusive, counts] = ['self', 'inclusive', 'calls'].map((what) => (of) => sidesOf(of, what));
  const isUnequal = ({ before, now }) => before !== now;
  const hasChanged = (of) =>
    isUnequal(self(of)) || isUnequal(inclusive(of)) || sidesText(counts(of), callCount).includes('→');
  const all = rowsShown();
  const changed = all.filter(hasChanged);
  const byInclusive = sorted(changed, (of) => size(growthOf(inclusive(of))));
  const found = sorted(byInclusive, (of) => size(growthOf(self(of)))).filter(searching(state.search));
  const least = NOISE * Math.max(Number(totalOf()), Number(comparison.total[event]));
  const isLarge = (of) => [self, inclusive].some((sides) => size(growthOf(sides(of))) >= least);
  const [large, small] = [true, false].map((wanted) => found.filter((of) => isLarge(of) === wanted));
  const hasNoise = large.length > 0 && small.length > 1 && !state.search;
  const rows = hasNoise && !state.small ? large : found;
  const columns = [
    ...changeColumns(self),
    sidesColumn(heading('Self'), self, columnCost),
    sidesColumn(heading('Inclusive'), inclusive, columnCost, {
      sort: 'inclusive',
      cell: (of) => withMark(isEstimate(of, 3), sidesText(inclusive(of), columnCost)),
    }),
    callColumn(counts, { sort: 'calls' }, sidesColumn),
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
      smallTable(['', label(event), 'functions'], totals),
      !omittedRows() && paragraph(`New: ${numberOf('new')} · gone: ${numberOf('gone')}`),
      stacks && paragraph(el('a', { class: 'button', href: toView('flame') }, 'Changes in the flame graph')),
    ],
    view: [
      soft(
        `Change: of the self cost. Base %: the change as a share of the base’s total. Click a ${by} for more.${hint}`,
      ),
      rows.length > 0 ? functionTable('Changes', columns, rows, hasChanged) : state.search && nothingFound(),
      hasNoise && soft(noise, el('a', { id: 'small', href: to({ small: turned }) }, `${verb} them`)),
      soft(isOmitted && others, same > 0 && `${counted(same, by)} did not change.`),
      omittedRows(),
    ],
  };
}
