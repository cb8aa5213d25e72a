// ---- The report around the views ---------------------------------------------------------------------

const showNone = () => ({ view: [] });

/** The views: the function that makes each, and the title of its tab. */
const VIEWS = {
  ...(comparison && { changes: [showChanges, 'Changes'] }),
  functions: [showFunctions, 'Functions'],
  function: [showFunction, 'Functions'],
  lines: [showLines, 'Lines'],
  ...(data.has_invocations && { repeated: [showRepeated, 'Repeated calls'] }),
  ...(parted.length > 0 && { parts: [showParts, 'Parts'] }),
  ...(groups.part && { parts: [showChangedParts, 'Parts'] }),
  flame: [stacks ? showFlame : showNone, 'Flame graph'],
  tree: [stacks ? showTree : showNone, 'Tree'],
  ...(data.timeline && { timeline: [showTimeline, 'Timeline'] }),
};

const fields = ['search', 'by', 'hide', 'charge', 'fold', 'colours'].map(byId);

/** The totals of the named parts, and of the others. */
function partTotals({ shown, omitted }) {
  const row = (name, values) => [name, ...values.map((value, at) => costIn(at, value))];
  const rows = shown.map(({ name, total }) => row(span('name', name), total));
  const rest = events.map((_, event) => exact(totalOf(event)) - sumOf(shown.map(({ total }) => total[event])));
  if (rest.some((value) => value !== 0n)) rows.push(row(counted(omitted, 'other part'), rest));
  const titles = ['', ...events.map((_, event) => label(event))];
  return el('details', {}, el('summary', {}, 'Totals of the named parts'), smallTable(titles, rows));
}

/** A button that chooses an event, with its total. */
function choiceOf({ name, shown }, event) {
  const choose = el('input', { type: 'radio', name: 'event', onchange: () => go(to({ event })) });
  const rest = peak(event) && span('rest', ` allocated, peak ${peak(event)}`);
  const title = [name, meaning(event), shown].filter(Boolean).join(': ');
  const total = el('b', {}, costIn(event, totalOf(event)));
  return el('label', { title }, choose, span(undefined, label(event), total, rest));
}

/** When the inputs were recorded, if that is known. */
function recordedAt() {
  const [first, last] = (data.recorded || []).map(dateText);
  return first === last ? first : `${first} to ${last}`;
}

/** What a limit came to, and the style of its banner. */
const LIMITS = {
  failed: ['✗ Limit failed', 'failed'],
  incomplete: ['✗ Limit incomplete', 'failed'],
  'not found': ['Limit not checked', ''],
  passed: ['✓ Limit passed', 'passed'],
};

/** Makes what all views have in common. */
function begin() {
  // Without a part of the calls, not every call is known.
  const each = data.complete ? 'every call recorded' : 'single calls recorded';
  const kinds = { trace: each, aggregate: 'sums by function', mixed: `${each}, and sums by function` };
  const [when, input] = [recordedAt(), lastComponent(data.input)];
  const facts = [
    kinds[data.kind],
    !data.complete && 'incomplete',
    data.runs > 1 && counted(data.runs, 'run'),
    counted(data.function_count, 'function'),
    data.has_invocations &&
      `${counted(data.call_count, 'call', callCount)} at ${counted(data.edge_count, 'call site')}`,
  ];
  const inputs = comparison ? `${comparison.names[1]} against ${comparison.names[0]}` : plainInput(input);
  document.title = joined([plainCommand(data.command), inputs, !comparison && when]);
  byId('command').append(data.command);
  const about = joined([when && `recorded ${when}`, data.creator]);
  byId('input').append(...present([input && el('b', { title: data.input }, input), input && about && ' · ', about]));
  byId('facts').append(joined(facts));
  byId('program').append(data.program);
  byId('banners').append(
    ...present([
      comparison?.per_run && banner(`Per run: ${comparison.per_run}`, ''),
      data.limits.map(({ outcome, text }) => banner(`${LIMITS[outcome][0]}: ${text}`, LIMITS[outcome][1])),
      data.warnings.map(warning),
      hints().map((text) => banner(text, '')),
      data.parts.shown.length > 0 && partTotals(data.parts),
    ]),
  );
  byId('events').append(...events.map(choiceOf));
  byId('hide').placeholder = `Hide, e.g. ${hideExample()}`;
  if (!stacks) byId('charge').dataset.for = '';
  const known = ['function', comparison && 'change', ...Object.keys(groups)];
  for (const option of [...byId('by').options, ...byId('colours').options]) {
    if (!known.includes(option.value)) option.remove();
  }
  for (const field of fields) {
    // These change the numbers of nodes and rows, so those in the address become invalid.
    const rest = ['hide', 'fold', 'by'].includes(field.id) ? { zoom: 0, span: '', open: '' } : {};
    field.oninput = () => adjust({ [field.id]: field.value, match: 0, ...rest });
  }
}

/** The costs of calls in Xdebug's traces are what memory was in use afterwards, less that before. */
const KEPT = 'Self: what a function allocated. Inclusive: what it and its callees allocated and did not free.';
const ALLOCATED =
  'Allocated: all that a function and its callees allocated, freed or not. In Functions: less what they freed.';

/** Says what the chosen event counts; its costs may be misleading. */
function aboutEvent(event) {
  if (peak(event)) return treeOfView() ? ALLOCATED : KEPT;
  const slow =
    isXdebug && isTime(event)
      ? ' Xdebug makes each call slower, so small functions seem to cost more than they do.'
      : '';
  return meaning(event) && `${label(event)}: ${meaning(event)}.${slow}`;
}

/** The tables and graphs of the view, whose rows and frames can have the focus. */
let parts = [];

function render(isOther) {
  const focused = document.activeElement;
  const focusedRow = shownBy.get(focused);
  // A page that becomes shorter must not scroll under the pointer.
  document.body.style.minHeight = isOther ? '' : `${scrollY + innerHeight}px`;
  for (const field of fields) if (field.value !== state[field.id]) field.value = state[field.id];
  byId('events').elements[state.event].checked = true;
  events.forEach((_, event) => {
    byId('events').elements[event].disabled = state.view === 'timeline' && event > 0;
  });
  const [makeView, current] = VIEWS[state.view];
  const tabs = Object.entries(VIEWS).filter(([view]) => view !== 'function');
  const tab = ([view, [, title]]) =>
    el('a', { href: toView(view), 'aria-current': title === current && 'page' }, title);
  byId('views').replaceChildren(...tabs.map(tab));
  byId('meaning').textContent = aboutEvent(state.event);
  byId('meaning').hidden = !events.some((_, event) => aboutEvent(event));
  const view = makeView === showNone ? 'none' : state.view;
  document.body.dataset.view = view;
  for (const part of document.querySelectorAll('[data-for]')) part.hidden = !part.dataset.for.split(' ').includes(view);
  byId('charge').hidden ||= !state.hide.trim();
  // Without stacks, nobody knows who called the callers that are hidden.
  if (view === 'function' && !stacks) byId('hide').closest('.bar').hidden = true;
  watcher.disconnect();
  byId('tip').hidePopover();
  byId('panel').hidePopover();
  const { intro = [], status = [], view: content } = makeView();
  const shown = present(content);
  byId('intro').replaceChildren(...present(intro));
  byId('status').replaceChildren(...present(status));
  byId('view').replaceChildren(...shown.map((part) => part.element || part));
  parts = shown.filter(({ focusOn }) => focusOn);
  for (const part of parts) part.reveal?.();
  if (focusedRow !== undefined) focusOn(focusedRow);
  // The title of a column that was clicked.
  else if (focused?.id) byId(focused.id)?.focus();
}

/** What Esc does: it ends the zoom, unmarks or leaves a function. The browser closes the panel of a frame. */
function leave() {
  const { view, zoom, span, match, function: index, of } = state;
  if (isPanelOpen()) return false;
  if (zoom !== 0 || span || match !== 0) go(to({ zoom: 0, span: '', match: 0 }));
  else if (treeOfView() && index !== NONE && !of) go(to({ function: NONE }));
  else if (view !== 'function') return false;
  else if (steps > 0) history.back();
  else go(toView('functions'));
  return true;
}

/** What Enter does in a search: it leads to the next match in a graph, else to the first row. */
function leaveSearch({ key, shiftKey }) {
  const tree = key === 'Enter' && state.search && treeOfView();
  if (tree) {
    const count = marked(tree).size;
    if (count > 0) toMatch(count, shiftKey ? -1 : 1);
  } else byId('view').querySelector('.row[tabindex="0"], .frame[tabindex="0"]')?.focus();
}

addEventListener('keydown', (event) => {
  const { key, target } = event;
  const isField = target.matches('input[type="search"], select');
  const leads = target.type === 'search' && (key === 'ArrowDown' || key === 'Enter');
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (key === '/' && !isField) byId('search').focus();
  else if (key === 'Escape' && isField && !target.value) target.blur();
  else if (key === 'Escape' && !isField && leave()) event.preventDefault();
  else if (leads) leaveSearch(event);
  else if (state.view === 'timeline' && !isField && Object.hasOwn(MOVES, key)) moveTo(MOVES[key]);
  else return;
  event.preventDefault();
});
addEventListener('hashchange', () => {
  const next = stateOf(location.hash);
  if (addressOf(next) === addressOf(state)) return;
  clearTimeout(pending);
  steps += 1;
  const last = state;
  const isOther = next.view !== last.view || next.function !== last.function;
  state = next;
  render(isOther);
  if (!isOther) return;
  // Back in a table, readers are at the row that they left.
  if (last.view !== 'function' || !focusOn(functions[last.function])) byId('main').focus({ preventScroll: true });
  scrollTo(0, 0);
});
addEventListener('resize', () => ['flame', 'timeline'].includes(state.view) && requestAnimationFrame(() => render()));
addEventListener('beforeprint', () => {
  const first = `.block:nth-child(-n + ${PRINTED}), .lines .block, .levels`;
  byId('view').querySelectorAll(first).forEach(make);
});

begin();
state = stateOf(location.hash);
render();
requestAnimationFrame(() => setTimeout(() => performance.measure('cg-preprocess', 'begin')));
