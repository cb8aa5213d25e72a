// ---- State: all of what is shown is in the address ---------------------------------------------------

/** What frames are coloured by at first: by packages, unless one of these has nearly everything. */
function firstColours() {
  const tells = (by) =>
    groups[by]?.every(({ table, index }) => Number(table.self[0][index]) < 0.85 * Number(data.total[0]));
  return ['package', 'class', 'file'].find(tells) || 'package';
}

/** What belongs to one view, and is left behind with it. */
const PASSING = { function: NONE, of: '', zoom: 0, open: '', match: 0, callers: '', callees: '' };
const START = {
  view: data.by === 'line' ? 'lines' : comparison ? 'changes' : 'functions',
  event: 0,
  ...PASSING,
  search: '',
  by: Object.hasOwn(groups, data.by) ? data.by : 'function',
  sort: '',
  lines: '',
  hide: '',
  charge: '',
  fold: '',
  colours: comparison ? 'change' : firstColours(),
};
let state = { ...START };

const addressOf = (shown) =>
  `#${new URLSearchParams(Object.entries(shown).filter(([name, value]) => value !== START[name]))}`;

/** The state of an address; what is not in this report is not taken over. */
function stateOf(hash) {
  const found = { ...START };
  for (const [name, value] of new URLSearchParams(hash.slice(1))) {
    if (Object.hasOwn(START, name)) found[name] = START[name].constructor(value);
  }
  if (!events[found.event]) found.event = 0;
  if (!functions[found.function]) Object.assign(found, { function: NONE, of: '' });
  if (!Object.hasOwn(VIEWS, found.view)) found.view = START.view;
  if (found.view === 'function' && found.function === NONE) found.view = 'functions';
  if (!Object.hasOwn(groups, found.by)) found.by = 'function';
  if (!Object.hasOwn(groups, found.colours) && !(comparison && found.colours === 'change'))
    found.colours = START.colours;
  return found;
}

/** The address of a change of what is shown, of another view, and of a function. */
const to = (change) => addressOf({ ...state, ...change });
const toView = (view, change) => to({ ...PASSING, view, ...change });
const toFunction = ({ index }) => toView('function', { function: index });

let pending = 0;
/** How many steps back lead to what was shown before in this report. */
let steps = 0;

/** Goes to an address, from which there is a way back to what is shown now. */
function go(target) {
  clearTimeout(pending);
  history.replaceState(null, '', addressOf(state));
  location.hash = target;
}

/** Changes what is shown, as one types for example, without a way back to each step. */
function adjust(change) {
  Object.assign(state, change);
  render();
  clearTimeout(pending);
  pending = setTimeout(() => history.replaceState(null, '', addressOf(state)), 250);
}
