// ---- The timeline: when calls ran --------------------------------------------------------------------

/**
 * The tree of columns with `site`, `depth`, `start` and `duration`. A run has a node of its own if there are several
 * (`lanes`, with a frame each, whose rows begin at those of `first`). The callees of a hidden call go to its caller.
 */
function timesOf(columns, frameOf, { root, lanes, isHidden }) {
  const tree = new Tree(root, {});
  const timed = (node, start, duration, more) =>
    Object.assign(node, { start, width: duration, inclusive: duration, own: duration, ...more });
  timed(tree.root, 0, 0);
  const laneOf = (frame) => timed(tree.add(tree.root, frame), 0, 0, { isLane: true });
  const tops = lanes.length > 1 ? lanes.map(laneOf) : [tree.root];
  // The nodes of the calls around a row, by depth.
  const around = [];
  let lane = 0;
  for (let at = 0; at < columns.depth.length; at += 1) {
    const [depth, start, duration] = ['depth', 'start', 'duration'].map((name) => Number(columns[name][at]));
    if (at >= columns.first[lane + 1]) lane += 1;
    const top = tops[lane];
    const above = depth > 0 ? around[depth - 1] : top;
    around.length = depth;
    const frame = frameOf(columns.site[at]);
    const hides = isHidden && isHidden(frame);
    around.push(hides ? above : timed(tree.add(above, frame), start, duration, { at }));
    if (!hides && above !== top) above.own -= duration;
    if (depth > 0) continue;
    top.width = Math.max(top.width, start + duration);
    top.inclusive += duration;
  }
  for (const top of tops) {
    top.own = top.inclusive - top.below.reduce((sum, { inclusive }) => sum + inclusive, 0);
    if (top === tree.root) continue;
    tree.root.width = Math.max(tree.root.width, top.width);
    tree.root.inclusive += top.inclusive;
  }
  if (tops[0] !== tree.root) tree.root.own = 0;
  return tree;
}

/** The nodes on top: of all runs if nothing is zoomed, else of the run with the zoomed node. */
function lanesOf(root, zoom) {
  if (zoom === root && root.below[0]?.isLane) return root.below;
  let top = zoom;
  while (top.parent && !top.isLane) top = top.parent;
  return [top];
}

/**
 * The levels of boxes between two times, those of each lane below the ones before it, in shares of the width. Neighbours
 * that are too narrow are drawn as one box, for the longest of them; those that are found are not drawn as one with others.
 */
function timeLevels(lanes, [from, to], least, isFound) {
  const scale = 1 / (to - from || 1);
  const clipped = ({ start, width }) => {
    const [left, right] = [start, start + width].map((time) => Math.max(0, Math.min(1, (time - from) * scale)));
    return { left, width: right - left };
  };
  const isOutside = ({ start, width }) => start >= to || start + width < from || (start + width === from && width > 0);
  const levels = [];
  for (const lane of lanes) {
    if (levels.length > 0) levels.push([]);
    let level = [{ node: lane, ...clipped(lane) }];
    while (level.length > 0) {
      levels.push(level);
      const next = [];
      for (const { node, isNarrow } of level) {
        if (!isNarrow) next.push(...boxesOf(node.below, { clipped, isOutside, least, isFound }));
      }
      level = next;
    }
  }
  return levels;
}

/** The boxes of the calls that a call made. */
function boxesOf(nodes, { clipped, isOutside, least, isFound }) {
  const boxes = [];
  let narrow = [];
  let end = 0;
  const flush = () => {
    if (narrow.length === 0) return;
    const [first, last] = [narrow[0], narrow[narrow.length - 1]];
    const longest = narrow.reduce((one, node) => (node.width > one.width ? node : one));
    const range = { start: first.start, width: last.start + last.width - first.start };
    const node = narrow.length > 1 ? { ...longest, ...range, several: narrow.length, longest } : longest;
    const place = clipped(node);
    boxes.push({ node, ...place, width: Math.max(place.width, least), isNarrow: true });
    narrow = [];
  };
  for (const node of nodes) {
    if (isOutside(node)) continue;
    const place = clipped(node);
    const joins = narrow.length > 0 && place.left - end < least && isFound(node) === isFound(narrow[0]);
    if (!joins || place.width >= least) flush();
    if (place.width >= least) boxes.push({ node, ...place });
    else narrow.push(node);
    end = place.left + place.width;
  }
  flush();
  return boxes;
}

/** The deepest node of a lane during all of a range. */
function nodeDuring(top, [from, to]) {
  let node = top;
  for (let next = top; next; next = next.below.find(({ start, width }) => start <= from && start + width >= to)) {
    node = next;
  }
  return node;
}

/** The times of a few marks between two times: a power of ten apart, or two or five times that. */
function ticksIn([from, to], most) {
  const least = (to - from) / Math.max(most, 1);
  if (!(least > 0)) return [from];
  const power = 10 ** Math.floor(Math.log10(least));
  const step = Math.max(
    1,
    [1, 2, 5, 10].map((times) => times * power).find((one) => one >= least),
  );
  const ticks = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) ticks.push(at);
  return ticks;
}

/** The range around a node that is long enough for it to be drawn: that of its caller, or of some of its neighbours. */
function rangeAround(node, top, least) {
  const range = ({ start, width }) => [start, start + width];
  let wide = node;
  for (let at = node.parent; at && at !== top.parent && node.width >= least * at.width; at = at.parent) wide = at;
  if (wide !== node) return range(wide);
  return movedSpan(range(node), range(top), { times: NEIGHBOURS });
}
/** How many times as long as a call the range around it is. */
const NEIGHBOURS = 20;

/** A range of times as text in an address, and from it: within the whole, or undefined. */
const spanText = (range) => range.map(Math.round).join('-');
function spanOf(text, [first, last]) {
  const [, from, to] = (/^(\d+)-(\d+)$/.exec(text) || []).map(Number);
  const range = [Math.max(first, from), Math.min(last, to)];
  return range[0] < range[1] ? range : undefined;
}

/** A range that is moved by a share of its length, and then `times` as long, within the whole. */
function movedSpan([from, to], [first, last], { by = 0, times = 1 }) {
  const length = Math.min(Math.max((to - from) * times, 1), last - first);
  const middle = (from + to) / 2 + by * (to - from);
  const start = Math.max(first, Math.min(last - length, middle - length / 2));
  return [start, start + length];
}
