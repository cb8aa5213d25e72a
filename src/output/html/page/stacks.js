// ---- What the flame graph and the tree share ---------------------------------------------------------

/** Whether costs of the event are too large for a `Number`. */
const isHuge = () =>
  runs.every((count) => count === 1) &&
  [stacks.self, stacks.base_self].some((columns) => columns?.[state.event].some((value) => typeof value === 'string'));

let lastTree;

const treeOptions = () => ({ root: ALL, runs, isHuge: isHuge(), hasBase: comparison !== null });
const stackColumns = () => ({ ...stacks, own: stacks.self[state.event], old: stacks.base_self?.[state.event] });
/** All stacks by their event, with nothing hidden. */
const plainStacks = once(() => allStacks(stackColumns(), frames, treeOptions()));

/** The tree of the stacks that are shown. It and its sums are made again only if other stacks are. */
function treeShown() {
  const { event, of, function: index, hide, fold } = state;
  const key = JSON.stringify([event, of, of && index, hide, fold]);
  if (lastTree?.key === key) return lastTree.tree;
  const isHidden = hiding(hide);
  const options = {
    ...treeOptions(),
    isFolded: fold !== '',
    // The function whose callers or callees are shown is never hidden.
    isHidden: isHidden && ((frame) => isHidden(frame) && !(of && frame.index === index)),
  };
  const all = isHidden || fold ? allStacks(stackColumns(), frames, options) : plainStacks(event);
  const tree = of ? stacksOf(all, index, of === 'callers', options) : all;
  lastTree = { key, tree };
  return tree;
}

/** For each tree, what is below its nodes by group. */
const groupsOfTrees = new WeakMap();
function costsByGroup(tree) {
  if (!groupsOfTrees.has(tree))
    groupsOfTrees.set(
      tree,
      once((id, by) => groupCosts(tree, tree.nodes[id], by)),
    );
  return groupsOfTrees.get(tree);
}

/** Returns a test for frames and functions: those that match the search, or else the one in the address. */
function marking() {
  const { search, function: index } = state;
  return search ? searching(search) : (of) => of.index === index;
}

/** The nodes that match the search, or else those of the function in the address. */
function marked(tree) {
  const { search, function: index, of } = state;
  if (!search && (index === NONE || of)) return new Set();
  const fits = marking();
  return new Set(inOrder(tree.root).filter(({ parent, frame, isLane }) => parent && !isLane && fits(frame)));
}

/** The chosen one of marked nodes. The first is the costliest. */
const matchIn = (found) =>
  state.match > 0 ? [...found].sort((one, other) => other.width - one.width)[state.match - 1] : undefined;

/** The cost of marked nodes. It is a lower bound if stacks were omitted, except for that of a single function. */
function costOfMarked(tree, found) {
  const { of, event, hide } = state;
  const inGraph = costOf(found, tree.nodes);
  if (state.view === 'timeline') return { cost: inGraph, isLeast: data.timeline.shortest > 0 };
  if (stacks.omitted === 0 || of) return { cost: inGraph, isLeast: of !== '' && stacks.omitted > 0 };
  const known = functions.filter(marking()).map(({ index }) => exact(data.functions.inclusive[event][index]));
  const largest = known.reduce((one, another) => (another > one ? another : one), inGraph);
  return { cost: largest, isLeast: known.length !== 1 || hide !== '' || data.rest.functions > 0 };
}

/** The cost of marked nodes as text, with buttons for the previous and the next one. */
function statusOf(tree, found) {
  if (!state.search && found.size === 0) return [];
  const { cost, isLeast } = costOfMarked(tree, found);
  const least = isLeast ? 'at least ' : '';
  const noun = state.view === 'timeline' ? 'call' : 'frame';
  const amount = `${least}${costWithUnit(cost)}, ${least}${share(cost)} % of the total`;
  if (found.size === 0) {
    const isOmitted = state.view !== 'timeline' && stacks.omitted > 0 && cost > 0n;
    return [
      `No ${noun}’s name, file or object contains “${state.search}”${isOmitted ? `; its stacks are omitted: ${amount}` : ''}`,
    ];
  }
  const told = `${counted(found.size, state.view === 'tree' ? 'row' : noun)} marked: ${amount}`;
  const at = state.match > 0 ? ` · ${grouped(state.match)} of ${grouped(found.size)} ` : ' ';
  const arrow = (text, name, by) => button(text, () => toMatch(found.size, by), { class: 'plain', 'aria-label': name });
  return [told, at, arrow('‹', 'Previous match', -1), arrow('›', 'Next match', 1)];
}

/** Goes to the next (1) or previous (-1) match. */
function toMatch(count, by) {
  const at = state.match === 0 && by < 0 ? 0 : state.match - 1;
  adjust({ match: ((at + by + count) % count) + 1 });
}

/** The tree of the view, if it is one of stacks or the timeline. */
function treeOfView() {
  if (state.view === 'timeline') return timesShown();
  return stacks !== null && ['flame', 'tree'].includes(state.view) ? treeShown() : undefined;
}

/** The warning of estimates above a graph, and the function whose callers or callees it shows. */
function introOf(tree) {
  const intro = [];
  if (data.estimates && tree.nodes.some(isDoubtful)) {
    const [first, shown] = [events[0].name, events[state.event].name];
    const by = state.event > 0 ? ` They follow ${first}; estimates by ${shown} alone (-e ${shown}) differ.` : '';
    intro.push(warning(`${data.estimates}.${by} The inclusive costs in Functions are more exact.`));
  }
  if (!state.of) return intro;
  const isCallers = state.of === 'callers';
  const of = functions[state.function];
  const [who, where] = isCallers
    ? [
        'Flame graph of the callers of ',
        ': each caller is below the function it calls. All costs are those of this function. ',
      ]
    : ['Flame graph of what is called by ', '. '];
  const back = el('a', { href: toView(state.view) }, 'Show all stacks');
  intro.push(paragraph(who, linked(of), where, back));
  const [known, drawn] = [data.functions.inclusive[state.event][of.index], tree.root.inclusive];
  if (stacks.omitted > 0 && of.is !== 'gone' && exact(known) > exact(drawn)) {
    intro.push(soft(`It shows ${ownCost(drawn)} of ${ownCost(known)}: stacks of little cost are omitted.`));
  }
  return intro;
}

/** Explains how to read a graph, and what was omitted. */
function explanation(tree, ...texts) {
  if (state.hide) texts.push('The cost of hidden functions is charged to their callers.');
  if (state.fold) texts.push('Recursive calls are folded into the first call.');
  if (tree.root.below.some(({ frame }) => frame.name === '(other callers)')) {
    texts.push('Below “(other callers)” are costs of which no stack is known.');
  }
  if (stacks.omitted > 0) {
    texts.push(
      `Omitted to limit the size of the report: ${counted(stacks.omitted, 'stack')} of little cost, summed up as “…”.`,
    );
  }
  return soft(texts.join(' '));
}
