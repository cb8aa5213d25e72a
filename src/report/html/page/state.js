// ---- State -----------------------------------------------------------------------------------------

/** The views: how they are made, and what leads to them. */
const views = {
  ...(comparison && { changes: [showChanges, 'Changes'] }),
  functions: [showFunctions, 'Functions'],
  function: [showFunction, 'Functions'],
  flame: [showFlame, 'Flame graph'],
  tree: [showTree, 'Tree'],
};
/** What belongs to one view, and is left behind with it. */
const passing = { function: NONE, of: '', zoom: 0, open: '', callers: '', callees: '' };
const start = {
  view: comparison ? 'changes' : 'functions', event: 0, ...passing,
  search: '', sort: '', hide: '', charge: '', colours: comparison ? 'change' : 'package',
};
let state = { ...start };

const address = (of) =>
  `#${new URLSearchParams(Object.entries(of).filter(([name, value]) => value !== start[name]))}`;

/** The state of an address; what is not on this page is not taken over. */
function stateOf(hash) {
  const given = new URLSearchParams(hash.slice(1));
  const found = Object.fromEntries(Object.entries(start).map(([name, value]) => (
    [name, given.has(name) ? value.constructor(given.get(name)) : value])));
  if (!events[found.event]) found.event = 0;
  if (!functions[found.function]) Object.assign(found, { function: NONE, of: '' });
  if (!Object.hasOwn(views, found.view)) found.view = start.view;
  if (found.view === 'function' && found.function === NONE) found.view = 'functions';
  if (!comparison && found.colours === 'change') found.colours = start.colours;
  return found;
}

/** The address of a change of what is shown, of another view, and of a function. */
const to = (change) => address({ ...state, ...change });
const toView = (view, change) => to({ ...passing, view, ...change });
const toFunction = ({ index }) => toView('function', { function: index });

let pending = 0;
/** How many steps back lead to what was shown before on this page. */
let steps = 0;

/** Goes to an address, from which there is a way back to what is shown now. */
function go(target) {
  clearTimeout(pending);
  history.replaceState(null, '', address(state));
  location.hash = target;
}

/** Changes what is shown, as one types for example, without a way back to each step. */
function adjust(change) {
  Object.assign(state, change);
  render();
  clearTimeout(pending);
  pending = setTimeout(() => history.replaceState(null, '', address(state)), 250);
}

addEventListener('hashchange', () => {
  const next = stateOf(location.hash);
  if (address(next) === address(state)) return;
  clearTimeout(pending);
  steps += 1;
  const isOther = next.view !== state.view || next.function !== state.function;
  state = next;
  render(isOther);
  if (!isOther) return;
  byId('main').focus({ preventScroll: true });
  scrollTo(0, 0);
});

const fields = ['search', 'hide', 'charge', 'colours'].map(byId);

// ---- The page around the views -----------------------------------------------------------------------

const banner = (text, kind) => el('p', { class: `banner ${kind}` }, text);

/** Fills what stands on the page once, whatever is shown. */
function begin() {
  const kinds = { trace: 'trace of every call', aggregate: 'sums by function', mixed: 'traces and sums by function' };
  const facts = [
    data.creator,
    kinds[data.kind],
    data.runs > 1 && counted(data.runs, 'run'),
    counted(data.function_count, 'function'),
    data.has_invocations
      && `${counted(data.call_count, 'call', callText)} on ${counted(data.edge_count, 'call edge')}`,
  ];
  document.title = `${data.command} – profile`;
  byId('command').append(data.command);
  byId('facts').append(facts.filter(Boolean).join(' · '));
  byId('program').append(data.program);
  byId('banners').append(
    ...[comparison?.per_run].filter(Boolean).map((text) => banner(`Per run: ${text}`, '')),
    ...data.limits.map(({ kept, text }) =>
      banner(`${kept ? '✓ Limit' : '✗ Limit not'} kept: ${text}`, kept ? 'kept' : 'broken')),
    ...data.warnings.map((text) => banner(`⚠ ${text}`, 'warning')),
  );
  if (data.parts.shown.length > 0) {
    const rows = data.parts.shown.map(({ name, total }) => (
      [el('span', { class: 'name' }, name), ...total.map((value, event) => costInOwnUnit(value, event))]));
    byId('banners').append(el('details', {}, el('summary', {}, 'Totals of the parts that have names'),
      figureTable(['', ...events.map((_, event) => label(event))], rows),
      data.parts.left_out > 0 ? soft(`Left out: ${counted(data.parts.left_out, 'part')}`) : ''));
  }
  byId('events').append(...events.map(({ shown }, event) => {
    const choose = el('input', { type: 'radio', name: 'event' });
    choose.onchange = () => go(to({ event }));
    const amount = /\(([^()]*)\)$/.exec(shown)?.[1] || shown;
    const rest = peak(event) && ` allocated, peak ${peak(event)}`;
    const text = el('span', {}, label(event), el('b', {}, amount), rest);
    const title = [events[event].name, meaning(event), shown].filter(Boolean).join(': ');
    return el('label', { title }, choose, text);
  }));
  const isPhp = functions.some(({ file }) => isInternal(file));
  byId('hide').placeholder = `Hide, as in: ${isPhp ? 'vendor/ php::' : 'std:: libc'}`;
  if (!stacks) byId('charge').dataset.for = '';
  const showNone = () => { document.body.dataset.view = 'none'; };
  if (!stacks) [views.flame[0], views.tree[0]] = [showNone, showNone];
  if (!comparison) byId('colours').options[0].remove();
  for (const field of fields) {
    // Other frames are hidden then, so that others have the numbers in the address.
    const rest = field.id === 'hide' ? { zoom: 0, open: '' } : {};
    field.oninput = () => adjust({ [field.id]: field.value, ...rest });
  }
}

/** Says what the chosen event counts, and where its total may mislead. */
function tellEvent() {
  const { event } = state;
  const words = meaning(event) && `${label(event)}: ${meaning(event)}.`;
  const allocated = peak(event) && `${label(event)}: the sum of what functions allocated; `
    + `at most ${peak(event)} were in use at once.`;
  byId('meaning').textContent = allocated || words;
}

/** What a view consists of, until all of it is put into the page at once. */
let made;
/** Adds to what stands above the fields for searching, beside them, and below them. */
const intro = (...nodes) => made.intro.push(...nodes);
const tell = (...nodes) => made.status.push(...nodes);
const show = (...nodes) => made.view.push(...nodes);
const soft = (...nodes) => el('p', { class: 'soft' }, ...nodes);

function render(isOther) {
  const focused = document.activeElement;
  // A page that becomes shorter must not scroll: what the pointer is at stays there.
  document.body.style.minHeight = isOther ? '' : `${scrollY + innerHeight}px`;
  document.body.dataset.view = state.view;
  for (const field of fields) if (field.value !== state[field.id]) field.value = state[field.id];
  byId('charge').disabled = !state.hide.trim();
  byId('events').elements[state.event].checked = true;
  const current = views[state.view][1];
  byId('views').replaceChildren(...Object.entries(views).filter(([view]) => view !== 'function')
    .map(([view, [, title]]) => el('a',
      { href: toView(view), 'aria-current': title === current && 'page' }, title)));
  tellEvent();
  made = { intro: [], status: [], view: [] };
  seen.disconnect();
  views[state.view][0]();
  for (const [id, nodes] of Object.entries(made)) byId(id).replaceChildren(...nodes.flat());
  const targets = [...byId('view').querySelectorAll('.grid, .flame')];
  for (const target of targets) target.shown?.();
  if (focused?.row !== undefined) targets.some((target) => target.focusOn(focused.row, false));
  else if (focused?.closest('.head')) focusOnHead(focused);
}

/** After a click on a title of a column, the title keeps the focus. */
function focusOnHead(focused) {
  const table = focused.closest('.grid').getAttribute('aria-label');
  const heads = [...byId('view').querySelectorAll('.head button')];
  heads.find((head) => head.textContent === focused.textContent
    && head.closest('.grid').getAttribute('aria-label') === table)?.focus();
}
