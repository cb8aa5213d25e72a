import assert from 'node:assert/strict';
import test from 'node:test';
import script from './script.mjs';

const { boxesOf, inOrder, lanesOf, movedSpan, nodeDuring, rangeAround, spanOf, ticksIn, timeLevels, timesOf } = script;

const root = { index: -1, name: 'all' };
const frames = ['main', 'a', 'b', 'leaf'].map((name, key) => ({ key, index: key, name }));
const frameOf = (site) => frames[site];

/** main 0-100 { a 10-50 { leaf 20-30, leaf 31-32 }, b 60-90 }, then leaf 100-120 */
const columns = {
  first: [0],
  site: [0, 1, 3, 3, 2, 3],
  depth: [0, 1, 2, 2, 1, 0],
  start: [0, 10, 20, 31, 60, 100],
  duration: [100, 40, 10, 1, 30, 20],
};
const tree = (more, data = columns) => timesOf(data, frameOf, { root, lanes: ['one'], ...more });
const texts = (levels) =>
  levels.map((level) =>
    level.map(
      ({ node, left, width }) => `${node.several || ''}${node.frame.name} ${left.toFixed(2)}+${width.toFixed(2)}`,
    ),
  );
const none = () => false;

test('calls are where they ran, and what they cost themselves is the rest', () => {
  const { root: top, nodes } = tree();
  assert.deepEqual(
    nodes.map(({ frame, start, width, own }) => `${frame.name} ${start}+${width} ${own}`),
    ['all 0+120 0', 'main 0+100 30', 'a 10+40 29', 'leaf 20+10 10', 'leaf 31+1 1', 'b 60+30 30', 'leaf 100+20 20'],
  );
  assert.equal(top.inclusive, 120);
  assert.deepEqual(texts(timeLevels(lanesOf(top, top), [0, 120], 0.001, none)), [
    ['all 0.00+1.00'],
    ['main 0.00+0.83', 'leaf 0.83+0.17'],
    ['a 0.08+0.33', 'b 0.50+0.25'],
    ['leaf 0.17+0.08', 'leaf 0.26+0.01'],
  ]);
});

test('of a range, what is outside of it is not drawn', () => {
  const { root: top } = tree();
  assert.deepEqual(texts(timeLevels([top], [50, 110], 0.001, none)), [
    ['all 0.00+1.00'],
    ['main 0.00+0.83', 'leaf 0.83+0.17'],
    ['b 0.17+0.50'],
  ]);
});

test('calls that took no time are drawn at both ends of a range, others that only touch it are not', () => {
  const data = {
    ...columns,
    start: [0, 10, 20, 50, 60, 100],
    depth: [0, 1, 1, 1, 1, 0],
    duration: [100, 10, 30, 0, 30, 20],
  };
  const { root: top } = tree({}, data);
  const within = (...range) => texts(timeLevels([top], range, 0.001, none))[2];
  assert.deepEqual(within(50, 100), ['leaf 0.00+0.00', 'b 0.20+0.60']);
  assert.deepEqual(within(30, 60), ['leaf 0.00+0.67', 'leaf 0.67+0.00']);
});

test('calls that are too narrow are drawn together, but not with those that are found', () => {
  const { root: top, nodes } = tree();
  const leaves = (least, isFound) => texts(timeLevels([top], [0, 120], least, isFound))[3];
  assert.deepEqual(leaves(0.01, none), ['leaf 0.17+0.08', 'leaf 0.26+0.01']);
  assert.deepEqual(leaves(0.1, none), ['2leaf 0.17+0.10']);
  assert.deepEqual(
    leaves(0.1, (node) => node === nodes[4]),
    ['leaf 0.17+0.10', 'leaf 0.26+0.10'],
  );
  // The gap between them is too wide.
  assert.deepEqual(leaves(0.009, none), ['leaf 0.17+0.08', 'leaf 0.26+0.01']);
  const [{ node }] = boxesOf(nodes[2].below, {
    clipped: ({ start, width }) => ({ left: start, width }),
    isOutside: none,
    least: 20,
    isFound: none,
  });
  assert.deepEqual([node.start, node.width, node.several, node.longest], [20, 12, 2, nodes[3]]);
});

test('the callees of a hidden call are its caller’s, and so is its time', () => {
  const shown = (hidden) => {
    const { nodes } = tree({ isHidden: ({ name }) => hidden.includes(name) });
    return nodes.map(({ frame, parent, own }) => `${frame.name} in ${parent?.frame.name} ${own}`);
  };
  assert.deepEqual(shown(['a']), [
    'all in undefined 0',
    'main in all 59',
    'leaf in main 10',
    'leaf in main 1',
    'b in main 30',
    'leaf in all 20',
  ]);
  assert.deepEqual(shown(['main', 'leaf']), ['all in undefined 50', 'a in all 40', 'b in all 30']);
  assert.deepEqual(shown(['main', 'a', 'b', 'leaf']), ['all in undefined 120']);
});

test('runs have lanes of their own, all from 0', () => {
  const two = { ...columns, first: [0, 5], start: [0, 10, 20, 31, 60, 0] };
  const lanes = ['one', 'two'].map((name) => ({ name }));
  const { root: top, nodes } = tree({ lanes }, two);
  assert.deepEqual([top.width, top.inclusive, top.own], [100, 120, 0]);
  assert.deepEqual(texts(timeLevels(lanesOf(top, top), [0, 100], 0.001, none)), [
    ['one 0.00+1.00'],
    ['main 0.00+1.00'],
    ['a 0.10+0.40', 'b 0.60+0.30'],
    ['leaf 0.20+0.10', 'leaf 0.31+0.01'],
    [],
    ['two 0.00+0.20'],
    ['leaf 0.00+0.20'],
  ]);
  assert.deepEqual(
    lanesOf(top, nodes[4]).map(({ frame }) => frame.name),
    ['one'],
  );
});

test('a range: the node that ran during all of it, around a call, moved, in an address', () => {
  const { root: top, nodes } = tree();
  const during = (...range) => nodeDuring(top, range).frame.name;
  assert.deepEqual([during(0, 120), during(0, 100), during(20, 40), during(21, 29)], ['all', 'main', 'a', 'leaf']);
  const around = (at, least) => rangeAround(nodes[at], top, least);
  assert.deepEqual(around(4, 0.001), [0, 120]);
  assert.deepEqual(around(4, 0.01), [0, 100]);
  assert.deepEqual(around(4, 0.02), [10, 50]);
  assert.deepEqual(around(4, 0.03), [21.5, 41.5]);
  const moved = (change) => movedSpan([40, 60], [0, 100], change);
  assert.deepEqual(
    [moved({ times: 2 }), moved({ times: 0.5 }), moved({ times: 9 })],
    [
      [30, 70],
      [45, 55],
      [0, 100],
    ],
  );
  assert.deepEqual(
    [moved({ by: 0.5 }), moved({ by: -3 })],
    [
      [50, 70],
      [0, 20],
    ],
  );
  assert.deepEqual(spanOf('10-30', [0, 20]), [10, 20]);
  assert.deepEqual(
    ['30-10', '10-10', '100-200', '5', '-1-4', 'a-b', '200-300', ''].map((text) => spanOf(text, [0, 100])),
    Array(8).fill(undefined),
  );
});

test('marks are a few round times', () => {
  assert.deepEqual(ticksIn([0, 1000], 5), [0, 200, 400, 600, 800, 1000]);
  assert.deepEqual(ticksIn([150, 290], 8), [160, 180, 200, 220, 240, 260, 280]);
  assert.deepEqual([ticksIn([0, 2], 8), ticksIn([7, 7], 8), ticksIn([0, 10], 0)], [[0, 1, 2], [7], [0, 10]]);
});

test('no recursion over data, and calls of any number', () => {
  const rows = [...Array(100_000).keys()];
  const fill = (value) => rows.map(() => value);
  const deep = { first: [0], site: fill(1), depth: rows, start: rows, duration: rows.map((at) => 200_000 - 2 * at) };
  const { root: top } = tree({}, deep);
  assert.equal(inOrder(top).length, 100_001);
  assert.equal(timeLevels([top], [0, 200_000], 0.001, none).length, 99_903);
  const wide = { ...deep, depth: rows.map((at) => Math.min(at, 1)), duration: [100_000, ...fill(1).slice(1)] };
  const { root: broad } = tree({}, wide);
  assert.equal(timeLevels([broad], [0, 100_000], 0.001, none)[2].length, 1);
});
