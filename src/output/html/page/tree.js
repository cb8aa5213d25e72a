// ---- Tree --------------------------------------------------------------------------------------------

/** From this level on, rows say how deep they are: they are not indented further. */
const DEEP = 30;

function showTree() {
  const tree = treeShown();
  const found = marked(tree);
  const match = [...found][state.match - 1];
  const byHand = readOpen(state.open);
  const { rows, open } = openRows(tree.root, found, byHand);
  const turn = (node) => node.below.length > 0 && adjust({ open: writeOpen(byHand.set(node.id, !open.has(node))) });
  function nameCell(node) {
    const { index } = node.frame;
    const link = el('a', { class: 'more', href: toFunction(node.frame), tabindex: NONE }, 'details');
    const level = node.depth > DEEP ? span('level', `${node.depth}`) : '';
    const rest = index === NONE ? '' : link;
    return el('span', { class: 'parts', '--depth': node.depth - 1 }, [span('fold'), level, nameOf(node.frame), rest]);
  }
  const kindOf = (node) => ['row', found.has(node) && 'match', node === match && 'current'].filter(Boolean).join(' ');
  const table = tableOf({
    label: 'Tree of calls',
    role: 'treegrid',
    columns: [
      barColumn('Incl. %', ({ inclusive }) => inclusive, {
        cell: (node) => (isDoubtful(node) ? '~' : '') + share(node.inclusive),
      }),
      costColumn('Inclusive', ({ inclusive }) => inclusive),
      costColumn('Self', ({ own }) => own, { short: `${unitOf()} self` }),
      data.has_invocations &&
        numbers(
          'Calls',
          (node) => node.calls,
          (count) => callCount(count),
          { short: (node) => (callCount(node.calls) === '1' ? 'call' : 'calls') },
        ),
      nameColumn('Function', nameCell),
    ],
    rows,
    attributes: (node) => ({
      class: kindOf(node),
      'aria-level': node.depth,
      'aria-expanded': node.below.length > 0 && String(open.has(node)),
    }),
    enter: (node, { type }) => {
      if (type === 'click') turn(node);
      else if (node.frame.index !== NONE) go(toFunction(node.frame));
    },
    key: ({ key }, node, focusOn) => {
      if (key === ' ' || key === (open.has(node) ? 'ArrowLeft' : 'ArrowRight')) turn(node);
      else if (key === 'ArrowRight') focusOn(rows[rows.indexOf(node) + 1]);
      else if (key === 'ArrowLeft' && node.depth > 1) focusOn(node.parent);
      else return false;
      return true;
    },
  });
  const keys = 'The arrow keys → and ← open and close a row too, Enter shows its function.';
  const hint = rows.some(isDoubtful) ? ['~: the inclusive cost contains estimates.'] : [];
  return {
    intro: introOf(tree),
    status: statusOf(tree, found),
    view: [
      soft('Callees are nested under their caller. Click a row to open or close it.'),
      table.element,
      explanation(keys, ...hint),
    ],
    shown: [{ ...table, reveal: () => match && table.elementOf(match)?.scrollIntoView({ block: 'center' }) }],
  };
}
