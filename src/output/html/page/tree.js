// ---- Tree --------------------------------------------------------------------------------------------

/** Rows below this level show their level as a number: the indentation ends there. */
const DEEP = 30;

function showTree() {
  const tree = treeShown();
  const found = marked(tree);
  const match = [...found][state.match - 1];
  const folds = folding({
    below: (node) => node.below,
    keyOf: ({ id }) => id,
    isOpenAtFirst: openAtFirst(tree.root, found),
  });
  function nameCell({ frame, depth }) {
    const link = el('a', { class: 'more', href: toFunction(frame), tabindex: NONE }, 'details');
    const parts = [
      span('fold'),
      depth > DEEP && span('level', `${depth}`),
      nameOf(frame),
      frame.index !== NONE && link,
    ];
    return el('span', { class: 'parts', '--depth': depth - 1 }, parts);
  }
  const table = tableOf({
    label: 'Tree of calls',
    columns: [
      barColumn('Incl. %', ({ inclusive }) => inclusive, {
        cell: (node) => (isDoubtful(node) ? '~' : '') + share(node.inclusive),
      }),
      costColumn('Inclusive', ({ inclusive }) => inclusive),
      costColumn('Self', ({ own }) => own),
      callColumn(({ calls: count }) => count),
      nameColumn('Function', nameCell),
    ],
    rows: tree.root.below,
    folds,
    levelOf: ({ depth }) => depth,
    attributes: (node) => ({ class: classes({ row: true, match: found.has(node), current: node === match }) }),
    enter: (node, { type }) => {
      if (type === 'click') folds.turn(node);
      else if (node.frame.index !== NONE) go(toFunction(node.frame));
    },
  });
  const keys = 'The arrow keys → and ← open and close a row too, Enter shows its function.';
  const hint = table.rows.some(isDoubtful) ? ['~: the inclusive cost contains estimates.'] : [];
  return {
    intro: introOf(tree),
    status: statusOf(tree, found),
    view: [
      soft('Callees are nested under their caller. Click a row to open or close it.'),
      { ...table, reveal: () => match && table.elementOf(match)?.scrollIntoView({ block: 'center' }) },
      explanation(keys, ...hint),
    ],
  };
}
