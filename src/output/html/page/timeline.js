// ---- Timeline ----------------------------------------------------------------------------------------

/** Boxes that are narrower than this, in pixels, are drawn together. */
const LEAST_BOX = 1.5;
/** The width of a mark on the axis, in pixels. */
const TICK = 110;

/** The functions with calls on the timeline. */
const timedFunctions = once(() => new Set(data.sites?.function));

const toTimeline = ({ index }) => toView('timeline', { event: 0, function: index, match: 1, search: '', hide: '' });

/** A link to the longest call of a function, or why there is none. */
function toTimes(of) {
  if (timedFunctions().has(of.index))
    return el('a', { class: 'button', href: toTimeline(of) }, 'Show calls on the timeline');
  return span(
    'soft',
    `Its calls took less than ${costIn(0, data.timeline.shortest)} each: they are not on the timeline.`,
  );
}

/** The runs that have rows of their own. */
const lanes = data.timeline?.lanes || [];
let lastTimesTree;
/** The tree of the calls on the timeline. It is made again only if others are hidden. */
function timesShown() {
  const { hide } = state;
  if (lastTimesTree?.hide === hide) return lastTimesTree.tree;
  const frameOf = (site) => functions[data.sites.function[site]] || OTHERS;
  const tree = timesOf(data.timeline, frameOf, {
    root: ALL,
    lanes: lanes.map((name) => other(name)),
    isHidden: hiding(hide),
  });
  lastTimesTree = { hide, tree };
  return tree;
}

/** What the timeline shows: the zoomed node, or a range of times in it. A match that would be too narrow is led to. */
function timesInView(tree, match, pixels) {
  const { nodes, root } = tree;
  const zoom = nodes[state.zoom] || root;
  const whole = [zoom.start, zoom.start + zoom.width];
  const view = { tree, zoom, tops: lanesOf(root, zoom), range: spanOf(state.span, whole) || whole };
  if (!match) return view;
  const least = LEAST_BOX / pixels;
  const [from, to] = view.range;
  const isIn = match.start + match.width > from && match.start < to && match.width >= least * (to - from);
  const [top] = lanesOf(root, match);
  if (isIn && view.tops.includes(top)) return view;
  const range = rangeAround(match, top, least);
  return { tree, zoom: nodeDuring(top, range), tops: [top], range };
}
let lastTimes;

/** Shows an earlier or later range, or one that is shorter or longer. */
function moveTo(change) {
  const { tops, range } = lastTimes;
  const [first, last] = [0, Math.max(...tops.map(({ width }) => width))];
  const moved = movedSpan(range, [first, last], change);
  if (String(moved) !== String(range)) adjust(stateIn(moved));
}
const MOVES = { '+': { times: 0.5 }, '-': { times: 2 }, '[': { by: -0.5 }, ']': { by: 0.5 } };

/** The state in which a range is shown. */
function stateIn(range) {
  const { tree, tops } = lastTimes;
  const covers = ({ start, width }) => range[0] <= start && range[1] >= start + width;
  const node = tops.length > 1 ? tree.root : covers(tops[0]) ? tops[0] : nodeDuring(tops[0], range);
  const isWhole = covers(node);
  return { zoom: node.id, span: isWhole ? '' : spanText(range), match: 0 };
}

/** Describes a box. */
function aboutTimes(node, { zoom }) {
  const { inclusive, own, start, width, several, at, below } = node;
  const [begin, end] = [start, start + width].map(timeText);
  if (several) return `${begin} to ${end}; zoom to see them`;
  const { file, line } = data.sites;
  const called = at >= 0 && node.parent.at >= 0 ? data.timeline.site[at] : undefined;
  const site = { ...fileOf(file[called]), line: line[called] };
  const isCalled = isFile(site.file) && site.line > 0;
  return joined([
    `${ownCost(inclusive)}, ${share(inclusive)} % of the total`,
    at >= 0 && zoom.at >= 0 && node !== zoom && `${percent(inclusive, zoom.inclusive)} % of what is zoomed`,
    begin === end ? `at ${begin}` : `${begin} to ${end}`,
    at >= 0 && below.length > 0 && `${ownCost(own)} outside of the calls in it`,
    isCalled && `called at ${shortPath(site.file)}:${site.line}`,
  ]);
}
const timeText = (time) => (time > 0 ? costIn(0, time) : '0');

/** Marks of times above the boxes, those that fit. */
function axisOf([from, to], pixels) {
  const left = (time) => (time - from) / (to - from || 1);
  const fits = (time) => (1 - left(time)) * pixels >= timeText(time).length * CHARACTER + PADDING;
  const tick = (time) => el('span', { '--left': `${100 * left(time)}%` }, timeText(time));
  return el(
    'div',
    { class: 'axis', 'aria-hidden': 'true' },
    ticksIn([from, to], pixels / TICK)
      .filter(fits)
      .map(tick),
  );
}

/** Lets readers drag the mouse over a range of times. */
function draggable(element, onRange) {
  const place = ({ clientX }) => {
    const { left, width } = element.getBoundingClientRect();
    return Math.max(0, Math.min(1, (clientX - left) / width));
  };
  element.addEventListener('pointerdown', (begin) => {
    if (begin.button !== 0 || begin.pointerType === 'touch') return;
    const mark = el('div', { class: 'range' });
    const move = (event) => {
      if (!mark.isConnected && Math.abs(event.clientX - begin.clientX) < 6) return;
      if (!mark.isConnected) element.append(mark);
      const [left, right] = [place(begin), place(event)].sort((one, another) => one - another);
      mark.style.setProperty('--left', `${100 * left}%`);
      mark.style.setProperty('--width', `${100 * (right - left)}%`);
    };
    const end = (event) => {
      removeEventListener('pointermove', move);
      if (!mark.isConnected) return;
      mark.remove();
      // What is under the pointer is not clicked.
      addEventListener('click', (click) => click.stopPropagation(), { capture: true, once: true });
      onRange([place(begin), place(event)].sort((one, another) => one - another));
    };
    addEventListener('pointermove', move);
    addEventListener('pointerup', end, { once: true });
  });
}

/** Says which calls are not on the timeline. */
function omittedTimes() {
  const { shortest, omitted, total } = data.timeline;
  if (!(Number(shortest) > 0)) return undefined;
  const part = rounded(exact(omitted) * 100n, exact(total) || 1n, 0);
  return `Calls under ${costIn(0, shortest)} are not shown: ${part === '0' ? 'less than 1' : part} % of the time.`;
}

function showTimeline() {
  const tree = timesShown();
  const found = marked(tree);
  const match = matchIn(found);
  const pixels = byId('view').clientWidth;
  const view = timesInView(tree, match, pixels);
  lastTimes = view;
  const { zoom, tops, range } = view;
  const levels = timeLevels(tops, range, LEAST_BOX / pixels, (node) => found.has(node));
  const tellAbout = (node) => node && aboutTimes(node, view);
  const { crumbs, graph } = graphOf({ label: 'Timeline', tree, levels, pixels, zoom, found, match, tellAbout });
  const [from, end] = range;
  draggable(graph.element, (part) => go(to(stateIn(part.map((at) => from + at * (end - from))))));
  const move = (text, key, title) =>
    button(text, () => moveTo(MOVES[key]), { title: `${title} (${key})`, 'aria-label': title });
  const moves = [
    move('−', '-', 'Zoom out'),
    move('+', '+', 'Zoom in'),
    move('‹', '[', 'Earlier'),
    move('›', ']', 'Later'),
  ];
  const drawn = levels.flat().map(({ node }) => node);
  return {
    intro: [],
    status: statusOf(tree, found),
    view: [
      soft(
        'When calls ran. The order of calls and how long they took are exact. When a function spent its own time is not ' +
          'recorded: it is spread evenly before, between and after its calls. ',
        omittedTimes(),
        fiberSwitches.length > 0 &&
          ' Fibers are shown apart, in the order in which they ended, though they ran during the calls that started and resumed them: the axis is longer than the run.',
      ),
      el('div', { class: 'moves' }, moves, crumbs),
      axisOf(range, pixels),
      graph,
      legend(tree, zoom, drawn),
      soft(
        joined(
          [
            tops.length > 1 && 'Each run has its own rows, and begins at 0.',
            state.hide && 'The time of hidden functions is that of their callers.',
            'Click a box for what can be done with it, double-click to zoom, drag over a range to see it, Esc to see all again.',
            'Arrow keys move; + and − zoom, [ and ] show what was earlier and later.',
          ],
          ' ',
        ),
      ),
    ],
  };
}
