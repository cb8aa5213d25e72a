// ---- Stacks ------------------------------------------------------------------------------------------

/** The frames: functions, or what has a name of its own, for a function or for none. */
const frames = (stacks?.frames.name || []).map((name, key) => {
  const of = functions[stacks.frames.function[key]] || { index: NONE, file: '' };
  return { ...of, key, ...(name && { name, short: name, text: searched(name, of.file) }) };
});

/** The most nodes of a graph of callers. */
const MAX_NODES = 200_000;

/** Costs of the event are `BigInt`s where a `Number` would lose digits. */
const isHuge = () =>
  [comparison?.runs || []].flat().every((runs) => runs === 1) &&
  [stacks.self, stacks.base].some((columns) => columns?.[state.event].some((value) => typeof value === 'string'));

/** Stacks that begin alike share their nodes. The costs are those of one event. */
class Tree {
  nodes = [];
  found = new Map();
  number = isHuge() ? BigInt : Number;
  root = this.add(null, { index: NONE, name: 'all', short: 'all', text: '' });

  add(parent, frame) {
    const [id, depth, none] = [this.nodes.length, parent ? parent.depth + 1 : 0, this.number(0)];
    const node = { id, parent, frame, depth, below: [], calls: 0, own: none, old: none, isEstimated: false };
    this.nodes.push(node);
    parent?.below.push(node);
    return node;
  }

  /** The node of a frame below another one, which may be there already. */
  step(parent, frame) {
    const key = `${parent.id} ${frame.key}`;
    if (!this.found.has(key)) this.found.set(key, this.add(parent, frame));
    return this.found.get(key);
  }

  /** Sums up what stands below each node. */
  finish() {
    for (const node of this.nodes) {
      // Freed memory has no width.
      const width = Math.max(Number(node.own), 0);
      Object.assign(node, { inclusive: node.own, before: node.old, width });
    }
    for (let at = this.nodes.length - 1; at >= 0; at -= 1) {
      const node = this.nodes[at];
      // In a comparison, a frame is as wide as its larger side.
      if (comparison) node.width = Math.max(node.width, ...[node.inclusive, node.before].map(Number));
      node.below.sort((one, other) => other.width - one.width || one.id - other.id);
      if (!node.parent) break;
      for (const what of ['inclusive', 'before', 'width']) node.parent[what] += node[what];
      node.parent.holdsEstimates ||= node.isEstimated || node.holdsEstimates;
    }
    // The total is exact.
    this.root.holdsEstimates = false;
    return this;
  }
}

/** All stacks: below the callers of hidden frames stands what these call, and their cost is theirs. */
function allStacks() {
  const tree = new Tree();
  const [own, old] = [stacks.self, stacks.base].map((columns) => columns?.[state.event]);
  const runs = comparison?.runs || [1, 1];
  const isHidden = hiding();
  // Numbers of the data to nodes; the root is -1 there.
  const nodes = [tree.root];
  stacks.parent.forEach((parent, at) => {
    const [above, frame] = [nodes[parent + 1], frames[stacks.frame[at]]];
    const hides = isHidden && isHidden(frame) && !(state.of && frame.index === state.function);
    const node = hides ? above : isHidden ? tree.step(above, frame) : tree.add(above, frame);
    nodes.push(node);
    node.own += tree.number(own[at]) / tree.number(runs[1]);
    if (old) node.old += tree.number(old[at]) / tree.number(runs[0]);
    node.isEstimated ||= stacks.estimated[at] === 1;
    node.holdsEstimates ||= stacks.estimated[at] === 2;
    if (!hides) node.calls += Number(stacks.calls[at]);
  });
  return tree.finish();
}

/**
 * What a function calls wherever it is called, or who calls it and who calls these: then the costs
 * are all those of the function.
 */
function stacksOf(index, isCallers) {
  const tree = new Tree();
  const within = new Map();
  const { nodes } = allStacks();
  const count = nodes.filter(({ frame }) => frame.index === index).length;
  const levels = Math.ceil(MAX_NODES / Math.max(count, 1));
  for (const node of nodes) {
    const above = within.get(node.parent);
    if (above && isCallers) within.set(node, above);
    if ((above && isCallers) || (!above && node.frame.index !== index)) continue;
    let at = above || tree.root;
    let left = isCallers ? levels : 1;
    for (let from = node; from?.parent && left > 0; from = from.parent, left -= 1) {
      at = tree.step(at, from.frame);
      at.isEstimated ||= isCallers ? node.isEstimated || node.holdsEstimates : node.isEstimated;
      // What they cost is the function’s: each of them is a part of it.
      if (isCallers) at.calls += node.calls;
    }
    within.set(node, at);
    if (!isCallers) at.calls += node.calls;
    at.own += isCallers ? node.inclusive : node.own;
    at.old += isCallers ? node.before : node.old;
  }
  return tree.finish();
}

let lastTree;

/** The tree that is shown; the same one as long as it is. */
function treeShown() {
  const { event, of, function: index, hide } = state;
  const key = JSON.stringify([event, of, of && index, hide]);
  const build = () => (of ? stacksOf(index, of === 'callers') : allStacks());
  if (lastTree?.key !== key) lastTree = Object.assign(build(), { key });
  return lastTree;
}

/** The nodes that are marked: those that are found, or of the function that is asked for. */
function marked(nodes) {
  const { search, function: index, of } = state;
  const isAsked = (frame) => frame.index !== NONE && frame.index === index && !of;
  const isMarked = search ? matching(search) : isAsked;
  return new Set(nodes.filter(({ parent, frame }) => parent && isMarked(frame)));
}

/** Says what marked nodes cost, of which no cost counts twice, and what graph this is. */
function introGraph(nodes, found) {
  const within = new Set();
  const costly = [];
  for (const node of nodes) {
    if (within.has(node.parent) || found.has(node)) within.add(node);
    if (found.has(node) && !within.has(node.parent)) costly.push(node.inclusive);
  }
  const all = sum(costly);
  if (state.search && found.size === 0) tell(`No frame’s name or file contains “${state.search}”`);
  else if (found.size > 0) {
    tell(`${counted(found.size, 'frame')} marked: ${withUnit(all)}, ${percent(all)} % of the total`);
  }
  if (data.estimates && nodes.some(({ isEstimated }) => isEstimated)) {
    intro(banner(`⚠ ${data.estimates}`, 'warning'));
  }
  if (!state.of) return;
  const isCallers = state.of === 'callers';
  const [who, where] = isCallers
    ? ['Who calls ', ': callers stand below what they call, and all costs are of this function. ']
    : ['What is called by ', '. '];
  const back = el('a', { href: toView(state.view) }, 'Show all stacks');
  intro(paragraph(who, linked(functions[state.function]), where, back));
}

/** Says how a graph is read, and what is not in it. */
function tellGraph(...texts) {
  if (state.hide) texts.push('What hidden functions cost is their callers’.');
  if (stacks.left_out > 0) {
    texts.push(`Summed up as …: ${counted(stacks.left_out, 'stack')} of little cost.`);
  }
  show(soft(texts.join(' ')));
}
