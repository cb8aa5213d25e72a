// ---- Tree --------------------------------------------------------------------------------------------

/** What was opened or closed by hand: numbers of nodes, those of closed ones with a `-`. */
function readOpen(text) {
  const parts = text.split('.').filter(Boolean);
  return new Map(parts.map((part) => [parseInt(part.replace('-', ''), 36), !part.startsWith('-')]));
}
const writeOpen = (rows) => [...rows].map(([id, isOpen]) => (isOpen ? '' : '-') + id.toString(36)).join('.');

/** From this level on, rows say how deep they are: they are not indented further. */
const DEEP = 30;

/** The rows of what is open: the costliest path, what leads to marked frames, what was opened. */
function openRows({ root }, found) {
  const leads = new Set();
  for (const { parent } of found) {
    for (let at = parent; at && !leads.has(at); at = at.parent) leads.add(at);
  }
  const byHand = readOpen(state.open);
  const rows = [];
  const open = new Set();
  // What has yet to be shown, the next one last.
  const waiting = [...root.below].reverse();
  while (waiting.length > 0) {
    const node = waiting.pop();
    rows.push(node);
    const isCostly = node.parent.below[0] === node && Number(node.inclusive) * 20 > Number(root.inclusive);
    if (node.below.length === 0 || !(byHand.get(node.id) ?? (isCostly || leads.has(node)))) continue;
    open.add(node);
    for (let at = node.below.length - 1; at >= 0; at -= 1) waiting.push(node.below[at]);
  }
  return { rows, open, byHand };
}

function showTree() {
  const tree = treeShown();
  const found = marked(tree.nodes);
  const { rows, open, byHand } = openRows(tree, found);
  function turn(node) {
    if (node.below.length === 0) return;
    adjust({ open: writeOpen(byHand.set(node.id, !open.has(node))) });
  }
  function nameCell(node) {
    const fold = span('fold');
    const href = toFunction(node.frame);
    const link = el('a', { class: 'more', href, tabindex: NONE }, 'details');
    const level = node.depth > DEEP ? span('level', `${node.depth}`) : '';
    const rest = [node.isEstimated ? ' (estimated)' : '', node.frame.index === NONE ? '' : link];
    return el('span', { class: 'parts', '--depth': node.depth - 1 }, fold, level, nameOf(node.frame), rest);
  }
  const isMarked = (node) => node.isEstimated || node.holdsEstimates;
  introGraph(tree.nodes, found);
  show(soft('Below a row stands what it calls. Click a row to open or close it.'));
  showTable({
    label: 'Tree of calls',
    role: 'treegrid',
    columns: [
      bars('Incl. %', ({ inclusive }) => inclusive, {
        cell: (node) => (isMarked(node) ? '~' : '') + percent(node.inclusive),
      }),
      costs('Inclusive', ({ inclusive }) => inclusive, { kind: 'figure wide' }),
      costs('Self', ({ own }) => own, { short: `${unit()} self` }),
      callCounts((node) => node.calls),
      names('Function', nameCell),
    ],
    rows,
    attributes: (node) => ({
      class: found.has(node) ? 'row match' : 'row',
      'aria-level': node.depth,
      'aria-expanded': node.below.length > 0 && String(open.has(node)),
    }),
    enter: (node, { type }) => {
      if (type === 'click') turn(node);
      else if (node.frame.index !== NONE) go(toFunction(node.frame));
    },
    key: ({ key }, node, focus) => {
      if (key === ' ' || key === (open.has(node) ? 'ArrowLeft' : 'ArrowRight')) turn(node);
      else if (key === 'ArrowRight') focus(rows[rows.indexOf(node) + 1]);
      else if (key === 'ArrowLeft' && node.depth > 1) focus(node.parent);
      else return false;
      return true;
    },
  });
  const keys = 'The arrow keys → and ← open and close a row too, Enter shows its function.';
  tellGraph(keys, ...(rows.some(isMarked) ? ['~: the inclusive cost holds estimates.'] : []));
}
