// ---- Changes -----------------------------------------------------------------------------------------

function showChanges() {
  const found = comparison.events[state.event];
  const { changes, totals, shown, rest } = found;
  const rows = changes.row.map((row, at) => {
    const pair = (figure) => changes[figure].map((side) => exact(side[at]));
    const [self, inclusive, calls] = ['self', 'inclusive', 'invocations'].map(pair);
    return { ...changed[row], at, self, inclusive, calls };
  });
  const growth = ([before, now]) => now - before;
  const ofGrowth = (title, text, more) => {
    const signedText = (value) => signed(value, text(value));
    const colourOfGrowth = (value) => (value > 0n ? 'grow' : value < 0n && 'shrink');
    const cell = ({ self }) => span(colourOfGrowth(growth(self)), signedText(growth(self)));
    return figures(title, ({ self }) => growth(self), text, { cell, ...more });
  };
  const both = (title, figure, text, sort) => {
    const width = 2 * widest(rows.map((row) => row[figure]).flat(), text);
    const order = (row) => Math.abs(Number(growth(row[figure])));
    const cell = ({ [figure]: [before, now] }) => (before === now ? text(now) : `${text(before)} → ${text(now)}`);
    return { title, kind: 'figure', short: figure, sort, order, size: `${Math.max(width, title.length) + 2}ch`, cell };
  };
  const badge = ({ is }) => (is ? el('b', { class: 'badge' }, is) : '');
  const columns = [
    ofGrowth(heading('Change'), cost, { sort: 'change', order: ({ at }) => -at, short: unit() }),
    ofGrowth('Base %', (value) => percent(value, totals[0]), { short: 'of the base' }),
    both(heading('Self'), 'self', cost),
    both(heading('Inclusive'), 'inclusive', cost, 'inclusive'),
    data.has_invocations && both('Calls', 'calls', (tenths) => callText(tenths, 10n), 'calls'),
    names('Function', (row) => span('parts', badge(row), linked(row))),
    places('File', place),
  ];
  const sideOf = (title, side) => [title, shown[side], grouped(comparison.sides[side].functions)];
  const sides = ['base', 'new'].map(sideOf);
  intro(
    el('h2', {}, `${label(state.event)} ${found.verdict}`),
    figureTable(['', label(state.event), 'functions'], sides),
    paragraph(stacks ? el('a', { class: 'button', href: toView('flame') }, 'Changes in the flame graph') : ''),
  );
  showTable({
    label: 'Changes',
    columns,
    rows: rows.filter(matching(state.search)),
    enter: (row) => row.index !== NONE && go(toFunction(row)),
  });
  const more = signed(rest.change, withUnit(rest.change));
  const others = rest.functions > 0 ? `${grouped(rest.functions)} more changed by ${more} together. ` : '';
  show(soft(others, found.unchanged > 0 ? `${counted(found.unchanged, 'function')} did not change.` : ''));
}

// ---- Keys, and the first look ------------------------------------------------------------------------

/** What Esc does: all of the graph again, or what was shown before a function. */
function leave() {
  if (state.zoom !== 0) go(to({ zoom: 0 }));
  else if (state.view !== 'function') return false;
  else if (steps > 0) history.back();
  else go(toView('functions'));
  return true;
}

addEventListener('keydown', (event) => {
  const { key, target } = event;
  const isField = target.matches('input[type="search"], select');
  const first = byId('view').querySelector('.row[tabindex="0"], .frame[tabindex="0"]');
  const leads = target.type === 'search' && (key === 'ArrowDown' || key === 'Enter');
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (key === '/' && !isField) byId('search').focus();
  else if (key === 'Escape' && isField && !target.value) target.blur();
  else if (key === 'Escape' && !isField && leave()) event.preventDefault();
  else if (leads && first) first.focus();
  else return;
  event.preventDefault();
});
addEventListener('resize', () => state.view === 'flame' && requestAnimationFrame(() => render()));
addEventListener('beforeprint', () => {
  byId('view')
    .querySelectorAll('.block:nth-child(-n + 4), .levels:nth-child(-n + 4)')
    .forEach((block) => block.fill());
});

begin();
state = stateOf(location.hash);
render();
requestAnimationFrame(() => setTimeout(() => performance.measure('cg-preprocess', 'begin')));
