// ---- Functions ---------------------------------------------------------------------------------------

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
  const columns = stacks && !state.charge ? stackColumns() : { parent: [] };
  const added = charges(columns, frames, (index) => hidden.has(functions[index]), self.length);
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
  const isOwnEstimate = (of) =>
    added !== undefined && data.estimates !== null && membersOf(of).some(({ index }) => added[index] !== 0n);
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
    inclusiveColumn(ownOf, isOwnEstimate, { sort: 'self' }, 'Self %'),
    costColumn('Self', ownOf, { sort: 'self' }),
    inclusiveColumn(inclusiveOf, isEstimate, { sort: 'inclusive' }),
    costColumn('Inclusive', inclusiveOf, { sort: 'inclusive' }),
    callColumn(({ table, index }) => table.calls[index], { sort: 'calls' }),
  ];
  const outer = by !== 'function' && data.has_invocations && `Calls: those from outside the ${by}.`;
  // Above, what the costs of memory are.
  const costs = peak(event) ? '' : `Self: the ${by}’s own cost. Inclusive: its own cost plus everything it calls.`;
  const shown = by !== 'function' ? 'its functions' : data.has_invocations ? 'who calls it' : 'its lines';
  const hint = rows.some(isOwnEstimate) ? ' ~ marks costs that contain estimates.' : markHint(rows, isEstimate);
  const click = `Click ${by === 'object' ? 'an' : 'a'} ${by} to see ${shown}.${hint}`;
  const about = soft(joined([costs, outer, click], ' '));
  return { status, view: [about, functionTable('Functions', columns, rows, isShown), omittedRows()] };
}
