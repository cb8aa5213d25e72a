// ---- Trees of stacks, and where their frames are -----------------------------------------------------

/** A node is marked as estimated if more than this share of its cost is. */
const DOUBT = 0.01;

/** The most nodes of a flame graph of callers. */
const MAX_NODES = 200_000;

/** A tree of stacks with the costs of one event. Stacks that begin with the same frames share nodes. */
class Tree {
  /** `isHuge`: costs are too large for a `Number`; `hasBase`: the larger side is the width of a frame. */
  constructor(root, { isHuge, hasBase }) {
    this.number = isHuge ? BigInt : Number;
    this.hasBase = hasBase;
    this.nodes = [];
    this.below = new Map();
    this.root = this.add(null, root);
  }

  add(parent, frame) {
    const none = this.number(0);
    const [id, depth, below] = [this.nodes.length, parent ? parent.depth + 1 : 0, []];
    const node = { id, depth, parent, frame, below, calls: 0, own: none, old: none };
    Object.assign(node, { inclusive: none, before: none, width: 0, doubt: 0, lacks: false });
    this.nodes.push(node);
    if (parent) parent.below.push(node);
    return node;
  }

  /** The child of a node for a frame, which is added if it is new. */
  step(parent, frame) {
    const key = `${parent.id} ${frame.key}`;
    let node = this.below.get(key);
    if (!node) this.below.set(key, (node = this.add(parent, frame)));
    return node;
  }

  /** Sums up the costs below each node. */
  finish() {
    for (let at = this.nodes.length - 1; at >= 0; at -= 1) {
      const node = this.nodes[at];
      const { parent } = node;
      node.inclusive += node.own;
      node.before += node.old;
      // Freed memory has no width.
      node.width += Math.max(Number(node.own), 0);
      if (node.lacks && node.doubt === 0) node.doubt = Math.abs(Number(node.inclusive));
      if (this.hasBase) node.width = Math.max(node.width, Number(node.inclusive), Number(node.before));
      if (node.below.length > 1) node.below.sort((one, other) => other.width - one.width || one.id - other.id);
      if (!parent) break;
      parent.inclusive += node.inclusive;
      parent.before += node.before;
      parent.width += node.width;
      parent.doubt += node.doubt;
    }
    // The total is exact.
    this.root.doubt = 0;
    return this;
  }
}

const isDoubtful = ({ doubt, inclusive }) => doubt > DOUBT * Math.abs(Number(inclusive));

/** The nearest node of a frame above a node, or the node itself. */
function nearest(node, frame) {
  for (let at = node; at; at = at.parent) if (at.frame === frame) return at;
  return undefined;
}

/**
 * The tree of columns with `parent`, `frame`, `calls`, `own`, `old` and `estimated`. The callees and the cost of a
 * hidden frame go to its caller; those of a recursive call, if folded, to the first call.
 */
function allStacks(columns, frames, options) {
  const { root, runs, isHidden, isFolded } = options;
  const tree = new Tree(root, options);
  const { number } = tree;
  const [newRuns, oldRuns] = [number(runs[1]), number(runs[0])];
  const isPlain = !isHidden && !isFolded;
  // The node of each row.
  const nodes = [];
  for (let at = 0; at < columns.parent.length; at += 1) {
    const frame = frames[columns.frame[at]];
    const above = nodes[columns.parent[at]] || tree.root;
    const hides = isHidden && isHidden(frame);
    const folded = !hides && isFolded ? nearest(above, frame) : undefined;
    const node = hides ? above : folded || (isPlain ? tree.add(above, frame) : tree.step(above, frame));
    nodes.push(node);
    const own = number(columns.own[at]) / newRuns;
    node.own += own;
    if (columns.old) node.old += number(columns.old[at]) / oldRuns;
    if (columns.estimated[at] === '1') node.doubt += Math.abs(Number(own));
    // A part of the cost of its calls is missing below it.
    else if (columns.estimated[at] === '2') node.lacks = true;
    if (!hides) node.calls += Number(columns.calls[at]);
  }
  return tree.finish();
}

/**
 * What hidden functions add to the self costs of others (`count` functions): their cost is charged to the nearest
 * callers that are not hidden, as far as the stacks contain these. `isHidden` tells functions by their positions.
 */
function charges(columns, frames, isHidden, count) {
  const added = Array(count).fill(0n);
  // By node: the function that pays for what is hidden below.
  const payers = [];
  columns.parent.forEach((parent, node) => {
    const { index } = frames[columns.frame[node]];
    const hides = isHidden(index);
    const above = payers[parent] ?? -1;
    payers.push(index < 0 || hides ? above : index);
    if (hides && above >= 0) added[above] += BigInt(columns.own[node]);
  });
  return added;
}

/**
 * The tree of everything below a function, from wherever it is called; or of its callers and theirs, with the costs of
 * that function.
 */
function stacksOf({ nodes }, index, isCallers, options) {
  const tree = new Tree(options.root, options);
  const within = new Map();
  const count = nodes.filter(({ frame }) => frame.index === index).length;
  const levels = Math.ceil(MAX_NODES / Math.max(count, 1));
  for (const node of nodes) {
    const above = within.get(node.parent);
    if (above && isCallers) within.set(node, above);
    if ((above && isCallers) || (!above && node.frame.index !== index)) continue;
    const below = node.below.reduce((sum, { doubt }) => sum + doubt, 0);
    let at = above || tree.root;
    let left = isCallers ? levels : 1;
    for (let from = node; from?.parent && left > 0; from = from.parent, left -= 1) {
      at = tree.step(at, from.frame);
      // Each caller has the cost of its calls of the function.
      if (isCallers) at.calls += node.calls;
    }
    within.set(node, at);
    if (!isCallers) at.calls += node.calls;
    at.own += isCallers ? node.inclusive : node.own;
    at.old += isCallers ? node.before : node.old;
    at.doubt += isCallers ? node.doubt : node.doubt - below;
  }
  return tree.finish();
}

/**
 * The callers of a function (`isCallers`) or its callees, by the stacks: the nearest that are not passed over, each with
 * the frame next to the function if that was (`through`). The cost of calls within those of the same function is part of
 * theirs, so it is 0 here. `own` is what the function costs with callees that are passed over.
 */
function passedOn({ nodes, root }, index, isCallers, isPassedOver) {
  const found = new Map();
  const own = { cost: root.own - root.own, before: root.old - root.old };
  // Of each node: the nearest one that is not passed over, and whether it is below a call of the function.
  const about = new Map([[root, { shown: root, isWithin: false }]]);
  const isIt = ({ frame }) => frame.index === index;
  function add({ frame }, through, node, isPart) {
    const key = `${frame.index} ${frame.index < 0 ? frame.key : ''} ${through?.index}`;
    const none = { frame, through, cost: own.cost - own.cost, before: own.before - own.before, calls: 0, isPart: true };
    const row = found.get(key) || none;
    row.calls += node.calls;
    if (!isPart) Object.assign(row, { cost: row.cost + node.inclusive, before: row.before + node.before, isPart });
    found.set(key, row);
  }
  for (const node of nodes.slice(1)) {
    const above = about.get(node.parent);
    const isPassed = !isIt(node) && isPassedOver(node.frame);
    const isNext = above.shown === node.parent;
    const through = isNext ? undefined : isCallers ? node.parent.frame : above.first;
    const isOfIt = isIt(above.shown);
    if (isCallers ? isIt(node) : isOfIt && !isPassed) {
      const isPart = isCallers ? above.isWithin : isIt(node) || above.isWithinOther;
      add(isCallers ? above.shown : node, through, node, isPart);
    }
    if (isIt(node) || (isPassed && isOfIt)) {
      own.cost += node.own;
      own.before += node.old;
    }
    about.set(node, {
      shown: isPassed ? above.shown : node,
      first: isPassed ? (isNext ? node.frame : above.first) : undefined,
      isWithin: above.isWithin || isIt(node),
      // Whether the nearest call of the function is below another one.
      isWithinOther: isIt(node) ? above.isWithin : above.isWithinOther,
    });
  }
  return { rows: [...found.values()], own };
}

/** Rows in the order in which they are shown: each is followed by those `below` it. */
function unfolded(roots, below) {
  const [rows, waiting] = [[], []];
  const add = (some) => {
    for (let at = some.length - 1; at >= 0; at -= 1) waiting.push(some[at]);
  };
  add(roots);
  while (waiting.length > 0) {
    const row = waiting.pop();
    rows.push(row);
    add(below(row));
  }
  return rows;
}
const inOrder = (root) => unfolded([root], ({ below }) => below);

/** The cost of nodes together; one below another one does not count twice. */
function costOf(found, nodes) {
  const within = new Set();
  const costs = [];
  for (const node of nodes) {
    if (within.has(node.parent) || found.has(node)) within.add(node);
    if (found.has(node) && !within.has(node.parent)) costs.push(node.inclusive);
  }
  return sumOf(costs);
}

/** The frames by level, in shares of the width: the callers of the zoomed node, then all that are not too narrow. */
function layout(zoom, least) {
  const levels = [];
  for (let node = zoom; node; node = node.parent) levels.unshift([{ node, left: 0, width: 1 }]);
  const scale = 1 / (zoom.width || 1);
  for (let level = levels[levels.length - 1]; level.length > 0;) {
    const next = [];
    for (const { node, left } of level) {
      let from = left;
      for (const child of node.below) {
        const width = child.width * scale;
        // The next ones are no wider.
        if (width < least) break;
        next.push({ node: child, left: from, width });
        from += width;
      }
    }
    if (next.length > 0) levels.push(next);
    level = next;
  }
  return levels;
}

/** The rows that were opened or closed by hand, by their keys: those of closed ones have a `-`. */
function readOpen(text) {
  const parts = text.split('.').filter(Boolean);
  return new Map(parts.map((part) => [parseInt(part.replace('-', ''), 36), !part.startsWith('-')]));
}
const writeOpen = (rows) => [...rows].map(([key, isOpen]) => (isOpen ? '' : '-') + key.toString(36)).join('.');

/** Returns a test for nodes that are open at first: those on the costliest path, and those above marked nodes. */
function openAtFirst(root, found) {
  const leads = new Set();
  for (const { parent } of found) {
    for (let at = parent; at && !leads.has(at); at = at.parent) leads.add(at);
  }
  const isCostly = ({ inclusive }) => Number(inclusive) * 20 > Number(root.inclusive);
  return (node) => leads.has(node) || (node.parent.below[0] === node && isCostly(node));
}
