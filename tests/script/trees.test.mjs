import assert from 'node:assert/strict';
import test from 'node:test';
import script from './script.mjs';

const { allStacks, costOf, inOrder, isDoubtful, layout, openAtFirst, readOpen, stacksOf, unfolded, writeOpen } = script;

/** The rows of a tree, of which some are open by hand. */
function openRows(root, found, byHand) {
  const isOpen = openAtFirst(root, found);
  return unfolded(root.below, (node) => ((byHand.get(node.id) ?? isOpen(node)) ? node.below : []));
}

const root = { index: -1, name: 'all' };
const frames = ['main', 'a', 'b', 'leaf'].map((name, key) => ({ key, index: key, name }));
const options = { root, runs: [1, 1], isHuge: false, hasBase: false };

/** main 10 { a 20 { leaf 30, a 5 { leaf 5 } }, b 0 { leaf 30 } } */
const stacks = {
  parent: [-1, 0, 1, 1, 3, 0, 5],
  frame: [0, 1, 3, 1, 3, 2, 3],
  calls: [1, 2, 4, 1, 1, 1, 3],
  own: [10, 20, 30, 5, 5, 0, 30],
  estimated: '',
};
/** A tree as text: names with self and inclusive costs. */
const shown = ({ frame, own, inclusive, below }) =>
  `${frame.name} ${own}/${inclusive}${below.length > 0 ? ` (${below.map(shown).join(', ')})` : ''}`;
const tree = (more, columns = stacks) => allStacks(columns, frames, { ...options, ...more });

test('stacks are a tree, the widest first', () => {
  assert.equal(
    shown(tree().root),
    'all 0/100 (main 10/100 (a 20/60 (leaf 30/30, a 5/10 (leaf 5/5)), b 0/30 (leaf 30/30)))',
  );
});

test('the cost of hidden frames is charged to their callers', () => {
  const isHidden = ({ name }) => name === 'a';
  assert.equal(shown(tree({ isHidden }).root), 'all 0/100 (main 35/100 (leaf 35/35, b 0/30 (leaf 30/30)))');
  assert.equal(shown(tree({ isHidden: () => true }).root), 'all 100/100');
});

test('folded, a frame below itself is the one above', () => {
  const folded = tree({ isFolded: true });
  assert.equal(shown(folded.root), 'all 0/100 (main 10/100 (a 25/60 (leaf 35/35), b 0/30 (leaf 30/30)))');
  assert.equal(folded.nodes.find(({ frame }) => frame.name === 'a').calls, 3);
});

test('callers and callees of a function, of which no cost counts twice', () => {
  const all = tree();
  assert.equal(
    shown(stacksOf(all, 3, true, options).root),
    'all 0/65 (leaf 0/65 (a 0/35 (main 30/30, a 0/5 (main 5/5)), b 0/30 (main 30/30)))',
  );
  assert.equal(shown(stacksOf(all, 1, true, options).root), 'all 0/60 (a 0/60 (main 60/60))');
  assert.equal(shown(stacksOf(all, 1, false, options).root), 'all 0/60 (a 20/60 (leaf 30/30, a 5/10 (leaf 5/5)))');
  const [leaf] = stacksOf(all, 3, true, options).root.below;
  assert.deepEqual([leaf.calls, ...leaf.below.map(({ calls }) => calls)], [8, 5, 3]);
  const found = new Set(all.nodes.filter(({ frame }) => frame.name === 'a'));
  assert.deepEqual([found.size, costOf(found, all.nodes)], [2, 60n]);
});

test('both sides of a comparison, divided by their runs', () => {
  const both = tree({ hasBase: true, runs: [2, 1] }, { ...stacks, old: [0, 0, 400, 0, 0, 0, 0] });
  const main = both.root.below[0];
  assert.deepEqual([main.before, main.inclusive, main.below[0].before, main.below[1].before], [200, 100, 200, 0]);
  assert.equal(main.below[0].below[0].width, 200);
});

test('large costs are exact', () => {
  const large = tree({ isHuge: true }, { ...stacks, own: ['9007199254740993', 0, 0, 0, 0, 0, 0] });
  assert.equal(large.root.inclusive, 9007199254740993n);
});

test('what may be off by more than one percent is doubtful', () => {
  const of = (estimated, own) => {
    const { root: top } = tree({}, { ...stacks, own: [own, 0, 0, 0, 0, 0, 1], estimated });
    return inOrder(top)
      .filter(isDoubtful)
      .map(({ frame }) => frame.name);
  };
  assert.deepEqual(of('0000001', 98), ['main', 'b', 'leaf']);
  assert.deepEqual(of('0000001', 99), ['b', 'leaf']);
  assert.deepEqual(of('2000000', 5), ['main']);
  assert.deepEqual(of('', 5), []);
  // What is below a function of that is counted once.
  const estimated = tree({}, { ...stacks, estimated: '0010000' });
  const doubts = [false, true].map((isCallers) => stacksOf(estimated, 1, isCallers, options).root.below[0].doubt);
  assert.deepEqual(doubts, [30, 30]);
  // Where something is omitted, all is in doubt, unless what is below says how much.
  const { root: top } = tree({}, { ...stacks, own: [0, 1005, 5, 0, 0, 0, 0], estimated: '0210000' });
  const doubtful = inOrder(top).filter(isDoubtful);
  assert.deepEqual(
    doubtful.map(({ frame, doubt }) => `${frame.name} ${doubt}`),
    ['leaf 5'],
  );
});

test('frames have their places and are not below half of a pixel', () => {
  const { root: top } = tree();
  const text = (levels) =>
    levels.map((level) => level.map(({ node, left, width }) => `${node.frame.name} ${left}-${left + width}`));
  assert.deepEqual(text(layout(top, 0.1)), [
    ['all 0-1'],
    ['main 0-1'],
    ['a 0-0.6', 'b 0.6-0.8999999999999999'],
    ['leaf 0-0.3', 'a 0.3-0.4', 'leaf 0.6-0.8999999999999999'],
  ]);
  const b = top.below[0].below[1];
  assert.deepEqual(text(layout(b, 0.1)), [['all 0-1'], ['main 0-1'], ['b 0-1'], ['leaf 0-1']]);
});

test('rows are open along the costliest path, to what is found, and by hand', () => {
  const { root: top, nodes } = tree();
  const names = (found, byHand) => openRows(top, found, byHand).map(({ frame, depth }) => `${depth} ${frame.name}`);
  assert.deepEqual(names([], new Map()), ['1 main', '2 a', '3 leaf', '3 a', '2 b']);
  const deepest = nodes.find(({ depth, frame }) => depth === 4 && frame.name === 'leaf');
  assert.deepEqual(names([deepest], new Map()), ['1 main', '2 a', '3 leaf', '3 a', '4 leaf', '2 b']);
  assert.deepEqual(names([], readOpen('-1')), ['1 main']);
  assert.deepEqual(names([], readOpen('-2.6')), ['1 main', '2 a', '2 b', '3 leaf']);
  assert.equal(writeOpen(readOpen('-2.6.zz')), '-2.6.zz');
});

test('the costliest path is open where it has more than 5 % of the total', () => {
  const names = (own) => {
    const path = { parent: [-1, 0, 1], frame: [0, 1, 2], calls: [1, 1, 1], own: [100 - own, 0, own], estimated: '' };
    return openRows(tree({}, path).root, [], new Map()).map(({ frame }) => frame.name);
  };
  assert.deepEqual(names(5), ['main', 'a']);
  assert.deepEqual(names(6), ['main', 'a', 'b']);
});

test('no recursion over data', () => {
  const calls = [...Array(100_000).keys()];
  const parent = calls.map((at) => at - 1);
  const deep = { parent, frame: calls.map((at) => at % 2), calls, own: calls.map(() => 1), estimated: '' };
  const { root: top, nodes } = tree({}, deep);
  assert.equal(inOrder(top).length, 100_001);
  assert.equal(layout(top, 0.5).length, 50_002);
  assert.equal(openRows(top, [nodes[nodes.length - 1]], new Map()).length, 100_000);
  assert.equal(shown(tree({ isFolded: true }, deep).root), 'all 0/100000 (main 50000/100000 (a 50000/50000))');
});

test('frames of one function are one caller, those of no function are apart', () => {
  const many = [
    ...frames,
    { key: 4, index: 1, name: 'a’' },
    { key: 5, index: -1, name: 'f' },
    { key: 6, index: -1, name: 'g' },
  ];
  const parent = [-1, 0, -1, 2, -1, 4, -1, 6];
  const all = { parent, frame: [1, 3, 4, 3, 5, 3, 6, 3], calls: parent, own: [0, 1, 0, 2, 0, 4, 0, 8], estimated: '' };
  const { rows } = script.passedOn(allStacks(all, many, options), 3, true, () => false);
  assert.deepEqual(
    rows.map(({ frame, cost }) => `${frame.name} ${cost}`),
    ['a 3', 'f 4', 'g 8'],
  );
});

test('callers and callees past functions that are passed over', () => {
  const { passedOn } = script;
  const rows = (index, isCallers, names) => {
    const found = passedOn(tree(), index, isCallers, ({ name }) => names.includes(name));
    const texts = found.rows.map(({ frame, through, cost, calls, isPart }) =>
      [frame.name, cost, calls, through && `through ${through.name}`, isPart && 'part'].filter(Boolean).join(' '),
    );
    return [...texts, `own ${found.own.cost}`];
  };
  assert.deepEqual(rows(3, true, ['a']), ['main 35 5 through a', 'b 30 3', 'own 65']);
  assert.deepEqual(rows(0, false, ['a']), ['leaf 35 5 through a', 'b 30 1', 'own 35']);
  assert.deepEqual(rows(0, false, ['leaf']), ['a 60 2', 'b 30 1', 'own 10']);
  // The cost of a call within another one of the same function is part of that.
  assert.deepEqual(rows(1, false, []), ['leaf 30 5', 'a 1 part', 'own 25']);
  assert.deepEqual(rows(1, true, []), ['main 60 2', 'a 1 part', 'own 25']);
  // The function itself is never passed over; all callers can be.
  assert.deepEqual(rows(3, true, ['main', 'a', 'b', 'leaf']), ['all 35 5 through a', 'all 30 3 through b', 'own 65']);
  assert.deepEqual(rows(9, true, []), ['own 0']);
});
