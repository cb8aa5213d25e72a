// ---- State: the address contains all of it -----------------------------------------------------------

/** The first colours of frames: those of packages, unless most of the cost would have the same. */
function firstColours() {
  const tells = (by) => {
    const coloured = groups[by]?.filter(({ name }) => !isGrey(name)) || [];
    const costs = coloured.map(({ table, index }) => Number(table.self[0][index]));
    return costs.length > 0 && Math.max(...costs) < 0.9 * costs.reduce((sum, cost) => sum + cost);
  };
  return ['package', 'class', 'file'].find(tells) || 'package';
}

/** The state that a reader leaves with a view. */
const PASSING = { function: NONE, of: '', zoom: 0, span: '', open: '', match: 0, callers: '', callees: '' };
const isOpenAt = data.start.function !== null;
const START = {
  view: isOpenAt ? 'function' : data.by === 'line' ? 'lines' : comparison ? 'changes' : 'functions',
  event: 0,
  ...PASSING,
  function: data.start.function ?? NONE,
  search: data.start.search,
  by: Object.hasOwn(groups, data.by) ? data.by : 'function',
  sort: '',
  lines: '',
  repeated: '',
  parts: '',
  part: NONE,
  small: '',
  hide: data.start.hide,
  charge: '',
  fold: '',
  colours: comparison ? 'change' : firstColours(),
};
let state = { ...START };

const addressOf = (shown) =>
  `#${new URLSearchParams(Object.entries(shown).filter(([name, value]) => value !== START[name]))}`;

/** The state of an address, without what this report does not have. */
function stateOf(hash) {
  const found = { ...START };
  for (const [name, value] of new URLSearchParams(hash.slice(1))) {
    if (Object.hasOwn(START, name)) found[name] = START[name].constructor(value);
  }
  if (!events[found.event]) found.event = 0;
  if (!functions[found.function]) Object.assign(found, { function: NONE, of: '' });
  if (!Object.hasOwn(VIEWS, found.view)) found.view = START.view;
  // Only times have an order.
  if (found.view === 'timeline') found.event = 0;
  if (found.view === 'function' && found.function === NONE) found.view = 'functions';
  for (const { id, options } of document.querySelectorAll('select')) {
    if (![...options].some(({ value }) => value === found[id])) found[id] = START[id];
  }
  return found;
}

/** The addresses of a changed state, of another view, and of a function, if that is in the report. */
const to = (change) => addressOf({ ...state, ...change });
const toView = (view, change) => to({ ...PASSING, view, ...change });
const toFunction = ({ index, by }) => (functions[index] && !by ? toView('function', { function: index }) : undefined);

let pending = 0;
/** The number of steps back that stay in this report. */
let steps = 0;

/** Goes to an address, as a step that the browser’s back button undoes. */
function go(target) {
  clearTimeout(pending);
  history.replaceState(null, '', addressOf(state));
  location.hash = target;
}

/** Changes the state without such a step, for example at each key in a search. */
function adjust(change) {
  Object.assign(state, change);
  render();
  clearTimeout(pending);
  pending = setTimeout(() => history.replaceState(null, '', addressOf(state)), 250);
}
