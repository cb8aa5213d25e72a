import assert from 'node:assert/strict';
import test from 'node:test';
import script from './script.mjs';

const { allStacks, costOf, stacksOf } = script;

const root = { index: -1, name: 'all' };
const options = { root, runs: [1, 1], isHuge: false, hasBase: true };
// The last is another frame of the function before it, as a recursion level is.
const frames = ['a', 'b', 'ab', 'c', 'd', 'd’'].map((name, key) => ({ key, index: Math.min(key, 4), name }));

/** Numbers that look random, and are the same each time. */
function random(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Stacks as columns, and one by one: frames with what they cost alone, now and before. */
function randomStacks(seed) {
  const next = random(seed);
  const columns = { parent: [], frame: [], calls: [], own: [], old: [], estimated: '' };
  const stacks = [];
  const way = [];
  for (let left = 60; left > 0; left -= 1) {
    const depth = next(Math.min(way.length, 7) + 1);
    const parent = depth > 0 ? way[depth - 1].at : -1;
    way.splice(depth, way.length, { at: stacks.length, frame: frames[next(frames.length)] });
    const [own, old] = [next(4) * next(50), next(3) * next(50)];
    const row = { parent, frame: way[depth].frame.key, calls: 1, own, old };
    for (const [name, value] of Object.entries(row)) columns[name].push(value);
    stacks.push({ frames: way.map(({ frame }) => frame), own, old });
  }
  return { columns, stacks };
}

/** What stacks cost by their beginnings: of `frames`, or what is made of these. */
function byBeginning(stacks, framesOf) {
  const sums = new Map();
  for (const { frames: all, own, old } of stacks) {
    const made = framesOf(all);
    for (let count = 1; count <= made.length; count += 1) {
      const key = made
        .slice(0, count)
        .map(({ name }) => name)
        .join(' ');
      const [now, before] = sums.get(key) || [0, 0];
      sums.set(key, [now + own, before + old]);
    }
  }
  return [...sums].sort();
}
/** The same of a tree, in which siblings of one name are added up. */
function ofTree({ nodes }) {
  const sums = new Map();
  for (const node of nodes.slice(1)) {
    const names = [];
    for (let at = node; at.parent; at = at.parent) names.unshift(at.frame.name);
    const [now, before] = sums.get(names.join(' ')) || [0, 0];
    sums.set(names.join(' '), [now + node.inclusive, before + node.before]);
  }
  return [...sums].sort();
}

const callsIn = ({ nodes }) => nodes.reduce((sum, { calls }) => sum + calls, 0);

for (let seed = 1; seed <= 40; seed += 1) {
  const { columns, stacks } = randomStacks(seed);
  const tree = (more) => allStacks(columns, frames, { ...options, ...more });
  const all = tree();

  test(`shares agree with the stacks one by one, ${seed}`, () => {
    assert.deepEqual(
      ofTree(all),
      byBeginning(stacks, (of) => of),
    );
    for (const { name } of frames) {
      const found = new Set(all.nodes.filter(({ parent, frame }) => parent && frame.name.includes(name)));
      const costs = stacks.filter(({ frames: of }) => of.some((frame) => frame.name.includes(name)));
      assert.equal(costOf(found, all.nodes), BigInt(costs.reduce((sum, { own }) => sum + own, 0)));
    }
    for (let index = 0; index < 5; index += 1) {
      const first = (of) => of.findIndex((frame) => frame.index === index);
      const below = (of) => (first(of) < 0 ? [] : of.slice(first(of)));
      const above = (of) => of.slice(0, first(of) + 1).reverse();
      const callees = stacksOf(all, index, false, options);
      assert.deepEqual(ofTree(callees), byBeginning(stacks, below));
      assert.equal(callsIn(callees), stacks.filter(({ frames: of }) => first(of) >= 0).length);
      assert.deepEqual(ofTree(stacksOf(all, index, true, options)), byBeginning(stacks, above));
    }
    const isHidden = ({ name }) => name.includes('b');
    const rest = (of) => of.filter((frame) => !isHidden(frame));
    const hidden = tree({ isHidden });
    assert.deepEqual(ofTree(hidden), byBeginning(stacks, rest));
    assert.equal(callsIn(hidden), stacks.filter(({ frames: of }) => !isHidden(of[of.length - 1])).length);
    const bare = stacks.filter(({ frames: of }) => rest(of).length === 0);
    assert.equal(
      hidden.root.own,
      bare.reduce((sum, { own }) => sum + own, 0),
    );
    // A frame below itself is where it was first.
    const folded = (of) =>
      of.reduce((way, frame) => (way.includes(frame) ? way.slice(0, way.indexOf(frame) + 1) : [...way, frame]), []);
    const sums = new Map(ofTree(tree({ isFolded: true })));
    for (const [key, [now, before]] of byBeginning(stacks, folded)) assert.deepEqual(sums.get(key), [now, before]);
  });
}
