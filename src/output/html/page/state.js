// ---- State -----------------------------------------------------------------------------------------

/** The views: how they are made, and what leads to them. */
const views = {
  ...(comparison && { changes: [showChanges, 'Changes'] }),
  functions: [showFunctions, 'Functions'],
  function: [showFunction, 'Functions'],
  flame: [stacks ? showFlame : showNone, 'Flame graph'],
  tree: [stacks ? showTree : showNone, 'Tree'],
};
function showNone() {
  document.body.dataset.view = 'none';
}
/** What belongs to one view, and is left behind with it. */
const passing = { function: NONE, of: '', zoom: 0, open: '', callers: '', callees: '' };
const chosen = { search: '', sort: '', hide: '', charge: '', colours: comparison ? 'change' : 'package' };
const start = { view: comparison ? 'changes' : 'functions', event: 0, ...passing, ...chosen };
let state = { ...start };

const address = (of) => `#${new URLSearchParams(Object.entries(of).filter(([name, value]) => value !== start[name]))}`;

/** The state of an address; what is not on this page is not taken over. */
function stateOf(hash) {
  const given = new URLSearchParams(hash.slice(1));
  const found = { ...start };
  for (const [name, value] of given) {
    if (Object.hasOwn(start, name)) found[name] = start[name].constructor(value);
  }
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

/** The totals of the parts that have names. */
function partTotals({ shown, left_out: rest }) {
  const rows = shown.map(({ name, total: of }) => [
    span('name', name),
    ...of.map((value, at) => costInOwnUnit(value, at)),
  ]);
  const titles = ['', ...events.map((_, event) => label(event))];
  const more = rest > 0 ? soft(`Left out: ${counted(rest, 'part')}`) : '';
  return el('details', {}, el('summary', {}, 'Totals of the parts that have names'), figureTable(titles, rows), more);
}

/** What chooses an event. */
function choiceOf({ name, shown }, event) {
  const choose = el('input', { type: 'radio', name: 'event' });
  choose.onchange = () => go(to({ event }));
  const amount = /\(([^()]*)\)$/.exec(shown)?.[1] || shown;
  const rest = peak(event) && ` allocated, peak ${peak(event)}`;
  const title = [name, meaning(event), shown].filter(Boolean).join(': ');
  return el('label', { title }, choose, span(undefined, label(event), el('b', {}, amount), rest));
}

/** Fills what stands on the page once, whatever is shown. */
function begin() {
  const kinds = { trace: 'trace of every call', aggregate: 'sums by function', mixed: 'traces and sums by function' };
  const facts = [
    data.creator,
    kinds[data.kind],
    data.runs > 1 && counted(data.runs, 'run'),
    counted(data.function_count, 'function'),
    data.has_invocations && `${counted(data.call_count, 'call', callText)} on ${counted(data.edge_count, 'call edge')}`,
  ];
  document.title = `${data.command} – profile`;
  byId('command').append(data.command);
  byId('facts').append(joined(facts));
  byId('program').append(data.program);
  byId('banners').append(
    ...(comparison?.per_run ? [banner(`Per run: ${comparison.per_run}`, '')] : []),
    ...data.limits.map(({ kept, text }) =>
      kept ? banner(`✓ Limit kept: ${text}`, 'kept') : banner(`✗ Limit not kept: ${text}`, 'broken'),
    ),
    ...data.warnings.map((text) => banner(`⚠ ${text}`, 'warning')),
  );
  if (data.parts.shown.length > 0) byId('banners').append(partTotals(data.parts));
  byId('events').append(...events.map(choiceOf));
  const isPhp = functions.some(({ file }) => isInternal(file));
  byId('hide').placeholder = `Hide, as in: ${isPhp ? 'vendor/ php::' : 'std:: libc'}`;
  if (!stacks) byId('charge').dataset.for = '';
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
  const most = peak(event);
  const words = meaning(event) && `${label(event)}: ${meaning(event)}.`;
  const allocated = `${label(event)}: the sum of what functions allocated; at most ${most} were in use at once.`;
  byId('meaning').textContent = most ? allocated : words;
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
  const tabs = Object.entries(views).filter(([view]) => view !== 'function');
  const tab = ([view, [, title]]) =>
    el('a', { href: toView(view), 'aria-current': title === current && 'page' }, title);
  byId('views').replaceChildren(...tabs.map(tab));
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
  const labelOf = (head) => head.closest('.grid').ariaLabel;
  const heads = [...byId('view').querySelectorAll('.head button')];
  const isSame = (head) => head.textContent === focused.textContent && labelOf(head) === labelOf(focused);
  heads.find(isSame)?.focus();
}
