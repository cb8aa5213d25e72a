// ---- Tree --------------------------------------------------------------------------------------------

/** Rows below this level show their level as a number: the indentation ends there. */
const DEEP = 30;

function showTree() {
  const tree = treeShown();
  const found = marked(tree);
  const match = matchIn(found);
  const nameParts = ({ frame, depth }) => [
    depth > DEEP && span('level', `${depth}`),
    nameOf(frame),
    frame.index !== NONE && el('a', { class: 'more', href: toFunction(frame), tabindex: NONE }, 'details'),
  ];
  const table = tableOf({
    label: 'Tree of calls',
    columns: [
      inclusiveColumn(({ inclusive }) => inclusive, isDoubtful, {}, peak(state.event) ? 'Alloc. %' : undefined),
      costColumn(allWord(), ({ inclusive }) => inclusive),
      costColumn('Self', ({ own }) => own),
      callColumn(({ calls: count }) => count),
      nameColumn('Function', nameParts),
    ],
    rows: tree.root.below,
    functionOf: ({ frame }) => frame,
    kindsOf: (node) => ({ match: found.has(node), current: node === match }),
    below: (node) => node.below,
    keyOf: ({ id }) => id,
    isOpenAtFirst: openAtFirst(tree.root, found),
  });
  return {
    intro: introOf(tree),
    status: statusOf(tree, found),
    view: [
      soft(
        `Callees are nested under their caller. Click a row to open or close it.${markHint(table.rows, isDoubtful)}`,
      ),
      { ...table, reveal: () => match && table.elementOf(match)?.scrollIntoView({ block: 'center' }) },
      explanation(tree, 'The arrow keys → and ← open and close a row too, Enter shows its function.'),
    ],
  };
}
