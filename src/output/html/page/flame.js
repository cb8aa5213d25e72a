// ---- Flame graph: levels are made in blocks, as these come into sight --------------------------------

/** How many levels a block has: as many as fit on a printed page, however that is turned. */
const LEVELS = 25;
/** The width of a character in a frame, and what frames have beside their text. */
const CHARACTER = 7.3;
const PADDING = 9;
/** Frames below this width are not drawn, those below that one have no text. */
const LEAST_WIDTH = 0.5;
const TEXT_WIDTH = 12;
/** The most callers that the way to a frame lists. */
const MAX_CRUMBS = 6;
/** What has changed by less than this share of the total is grey. */
const NOISE = 0.001;

const GREW = { '--hue': 4, '--strength': '90%' };
const SHRANK = { '--hue': 215, '--strength': '90%' };

/** The colour of a frame: of what it belongs to, or of its change. */
function colourOf({ frame, inclusive, before }, total) {
  // The root and what is summed up belong to nothing.
  if (frame.key === undefined) return {};
  if (state.colours !== 'change') {
    const group = groupOf(frame, state.colours);
    return group ? colourOfGroup(group) : {};
  }
  const [now, old] = [inclusive, before].map(Number);
  const change = Math.abs(now - old);
  if (change < NOISE * total) return GREY;
  const strength = Math.round(30 + (60 * change) / Math.max(now, old, 1));
  return { ...(now > old ? GREW : SHRANK), '--strength': `${strength}%` };
}

/** What there is to say about a node. */
function aboutNode(node, root, zoom) {
  const { inclusive, own, before, calls: count } = node;
  const isCallers = state.of === 'callers';
  const change = inclusive - before;
  return joined([
    `${isCallers ? 'cost' : 'inclusive'} ${ownCost(inclusive)}`,
    `${visiblePercent(inclusive, totalOf())} % of the total`,
    zoom !== root && `${visiblePercent(inclusive, zoom.inclusive)} % of what is zoomed`,
    node !== root && !isCallers && `self ${ownCost(own)} (${visiblePercent(own, totalOf())} %)`,
    count > 0 && counted(count, 'call', (number) => callsText(number)),
    comparison && `before ${ownCost(before)}, change ${signedCost(change)}`,
    isDoubtful(node) && 'estimated',
  ]);
}

/** The way from the root to what is zoomed. Its line is there even when nothing is. */
function crumbsTo(zoom, root) {
  const crumbs = el('div', { class: 'crumbs' }, el('b', {}, zoom.frame.short));
  const link = ({ id, frame: { name, short } }) => el('a', { href: to({ zoom: id }), title: name }, short);
  let { parent: node } = zoom;
  for (let left = MAX_CRUMBS; node?.parent && left > 0; left -= 1) {
    crumbs.prepend(link(node), ' › ');
    node = node.parent;
  }
  if (node?.parent) crumbs.prepend('… › ');
  if (zoom !== root) crumbs.prepend(link(root), ' › ');
  return crumbs;
}

/** A box at a point, moved to where all of it is seen. */
function placeAt(box, x, y) {
  const [width, height] = [box.offsetWidth, box.offsetHeight];
  const top = y + 18 + height < innerHeight ? y + 18 : Math.max(0, y - 12 - height);
  box.style.left = `${Math.max(4, Math.min(x + 10, document.documentElement.clientWidth - width - 4))}px`;
  box.style.top = `${top}px`;
}

/** What a frame says at the pointer, and what it offers after a click. */
class FrameBox {
  constructor(tellAbout) {
    this.tellAbout = tellAbout;
    this.tip = byId('tip');
    this.panel = byId('panel');
    this.close();
  }

  close() {
    this.tip.hidden = true;
    this.panel.hidden = true;
    this.node = undefined;
  }

  hover(node, x, y) {
    this.tip.hidden = node === undefined || this.node !== undefined;
    if (this.tip.hidden) return;
    this.tip.replaceChildren(el('div', { class: 'name' }, node.frame.name), el('div', {}, this.tellAbout(node)));
    placeAt(this.tip, x, y);
  }

  open(node, x, y) {
    const { frame } = node;
    this.tip.hidden = true;
    this.node = node;
    const isThere = frame.index !== NONE;
    const act = (text, does) =>
      button(text, () => {
        this.close();
        focusOn(node);
        does();
      });
    const hides = [state.hide, `/^${frame.name.replace(/[^\w]/g, '\\$&').replace(/\s/g, 's')}$/`]
      .filter(Boolean)
      .join(' ');
    this.panel.replaceChildren(
      el('div', { class: 'name' }, frame.name),
      isThere ? el('div', {}, place(frame, true)) : '',
      el('div', {}, this.tellAbout(node)),
      el(
        'div',
        { class: 'actions' },
        [
          act('Zoom', () => go(to({ zoom: node.id }))),
          isThere && act('Callers and callees', () => go(toFunction(frame))),
          frame.key !== undefined && act('Search', () => adjust({ search: frame.name, match: 0 })),
          frame.key !== undefined && act('Hide', () => adjust({ hide: hides, zoom: 0, open: '' })),
          button('Copy name', (event) => {
            getSelection().selectAllChildren(this.panel.firstChild);
            document.execCommand('copy');
            event.target.textContent = 'Copied';
          }),
        ].filter(Boolean),
      ),
    );
    this.panel.hidden = false;
    placeAt(this.panel, x, y);
  }
}
/** Gives the focus to what is shown of a row or node. */
const focusOn = (row) => parts.some((part) => part.focusOn(row, false));

/** The box of the graph that is shown. */
let frameBox;

function showFlame() {
  const tree = treeShown();
  const { nodes, root } = tree;
  const found = marked(tree);
  const match = [...found][state.match - 1];
  const pixels = byId('view').clientWidth;
  const isDrawn = (node, zoom) => node.width / (zoom.width || 1) >= LEAST_WIDTH / pixels && isBelow(node, zoom);
  let zoom = nodes[state.zoom] || root;
  // A match that is too narrow, or elsewhere, is zoomed.
  if (match && !isDrawn(match, zoom)) zoom = isDrawn(match, root) ? root : match;
  const levels = layout(zoom, LEAST_WIDTH / pixels);
  const tellAbout = (node) => aboutNode(node, root, zoom);
  const box = new FrameBox(tellAbout);
  frameBox = box;
  const kind = found.size > 0 || state.search ? 'flame searched' : 'flame';
  const title = 'Flame graph; the tree shows the same as rows';
  const flame = el('div', { class: kind, role: 'group', 'aria-label': title });
  const shown = new Map();

  function frameOf({ node, left, width }, level) {
    const kinds = {
      ...{ frame: true, thin: width * pixels < TEXT_WIDTH, match: found.has(node), current: node === match },
      ...{ above: node.depth < zoom.depth, estimated: isDoubtful(node) },
    };
    const text = kinds.thin ? '' : fitted(node.frame.parts, (width * pixels - PADDING) / CHARACTER);
    const frame = el(
      'div',
      {
        ...{
          role: 'button',
          tabindex: NONE,
          class: Object.keys(kinds)
            .filter((name) => kinds[name])
            .join(' '),
        },
        ...{ ...colourOf(node, root.width), '--level': level },
        ...{ '--left': `${100 * left}%`, '--width': `${100 * width}%` },
      },
      text,
    );
    shownBy.set(frame, node);
    shown.set(node, frame);
    return frame;
  }
  for (let from = 0; from < levels.length; from += LEVELS) {
    const some = levels.slice(from, from + LEVELS);
    const block = el('div', { class: 'levels', '--levels': some.length });
    flame.append(block);
    makeInSight(block, () => block.append(...some.flatMap((level, at) => level.map((of) => frameOf(of, at)))));
  }
  const makeFor = ({ depth }) => {
    const block = flame.children[Math.floor(depth / LEVELS)];
    if (block) make(block);
  };
  [root, zoom, match].filter(Boolean).forEach(makeFor);
  shown.get(zoom).tabIndex = 0;

  function focusFrame(node, scrolls) {
    if (node) makeFor(node);
    const frame = shown.get(node);
    if (!frame) return false;
    frame.setAttribute('aria-label', `${node.frame.name}: ${tellAbout(node)}`);
    moveFocus(frame, scrolls);
    if (scrolls !== false) hoverOver(frame, node);
    return true;
  }
  function hoverOver(frame, node) {
    const { left, bottom } = frame.getBoundingClientRect();
    box.hover(node, Math.max(0, left), bottom - 10);
  }
  function openAt(node, x, y) {
    box.open(node, x, y);
    byId('panel').querySelector('button').focus({ preventScroll: true });
  }
  /** The frame beside one. */
  function beside(node, step) {
    const at = levels[node.depth].findIndex((frame) => frame.node === node);
    return levels[node.depth][at + step]?.node;
  }
  flame.addEventListener('mousemove', ({ target, clientX, clientY }) =>
    box.hover(shownBy.get(target), clientX, clientY),
  );
  flame.addEventListener('mouseleave', () => box.hover());
  flame.addEventListener('click', ({ target, clientX, clientY }) => {
    const node = shownBy.get(target);
    if (!node) return box.close();
    moveFocus(target, false);
    return openAt(node, clientX, clientY);
  });
  flame.addEventListener('dblclick', ({ target }) => {
    const node = shownBy.get(target);
    if (node) go(to({ zoom: node.id }));
  });
  flame.addEventListener('keydown', (event) => {
    const node = shownBy.get(event.target);
    if (!node) return;
    const targets = {
      ArrowDown: () => (node.depth < zoom.depth ? levels[node.depth + 1][0].node : node.below[0]),
      ArrowUp: () => node.parent,
      ArrowRight: () => beside(node, 1),
      ArrowLeft: () => beside(node, -1),
    };
    if (event.key === 'Enter' || event.key === ' ') {
      const { left, bottom } = event.target.getBoundingClientRect();
      openAt(node, Math.max(0, left), bottom - 10);
    } else if (event.key in targets) focusFrame(targets[event.key]());
    else return;
    event.preventDefault();
  });
  /** What an address or a search leads to is in sight. */
  function reveal() {
    const frame = shown.get(match || (document.activeElement === document.body && zoom !== root ? zoom : undefined));
    frame?.scrollIntoView({ block: 'nearest' });
    if (match && frame) hoverOver(frame, match);
  }
  const graph = [crumbsTo(zoom, root), flame];
  const [width, callers] =
    state.of === 'callers' ? ['what its calls cost here', 'below'] : ['its cost with all it calls', 'above'];
  const colourList = legend(levels.flat().map(({ node }) => node));
  return {
    intro: introOf(tree),
    status: statusOf(tree, found),
    view: [
      // What colours of changes mean has to be seen first.
      ...(state.colours === 'change' ? [colourList, ...graph] : [...graph, colourList]),
      explanation(
        `A frame is as wide as ${width}; callers are ${callers}.`,
        'Click a frame for what can be done with it, double-click to zoom, Esc to see all again. Arrow keys move.',
      ),
    ],
    shown: [{ focusOn: focusFrame, reveal }],
  };
}

/** Whether a node is another one, or below it. */
function isBelow(node, above) {
  let at = node;
  while (at.depth > above.depth) at = at.parent;
  return at === above;
}

/** What the colours stand for: of what is shown, the costliest first. */
function legend(nodes) {
  const item = (text, style, kind) => el('li', {}, el('i', { class: kind, ...style }), text);
  const items = [];
  if (state.colours === 'change') {
    items.push(
      item('inclusive cost grew', GREW),
      item('inclusive cost shrank', SHRANK),
      item('changed by less than 0.1 % of the total', GREY),
    );
  } else {
    const costs = new Map();
    let all = 0;
    for (const { frame, own } of nodes) {
      all += Number(own);
      const group = groupOf(frame, state.colours);
      if (group) costs.set(group, (costs.get(group) || 0) + Number(own));
    }
    const order = [...costs].sort(([, one], [, another]) => another - one).slice(0, 8);
    items.push(...order.map(([group, own]) => item(`${group.short} ${share(own, all)} %`, colourOfGroup(group))));
  }
  if (nodes.some(isDoubtful)) items.push(item('hatched: estimated', {}, 'estimated'));
  return el('ul', { class: 'legend', 'aria-label': 'Colours' }, items);
}
