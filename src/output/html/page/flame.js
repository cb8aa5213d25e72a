// ---- Flame graph: levels are made in blocks, as these come into sight --------------------------------

/** The number of levels in a block: a block fits on a printed page, portrait or landscape. */
const LEVELS = 25;
/** The width of a character in a frame, and of the margins of its text, in pixels. */
const CHARACTER = 7.3;
const PADDING = 9;
/** Frames that are narrower than the first are not drawn; those that are narrower than the second have no text. */
const LEAST_WIDTH = 0.5;
const TEXT_WIDTH = 26;
/** The most callers in the line above the graph. */
const MAX_CRUMBS = 6;

const GREW = { '--hue': 4, '--strength': '90%' };
const SHRANK = { '--hue': 215, '--strength': '90%' };

/** The colour of a frame: that of its group, or of its change. */
function colourOf({ frame, inclusive, before }, total) {
  // The root and the sums of omitted stacks belong to no group.
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

/** Describes a node. */
function aboutNode(node, root, zoom) {
  const { inclusive, own, before, calls: count } = node;
  const isCallers = state.of === 'callers';
  const change = inclusive - before;
  return joined([
    `${isCallers ? 'cost' : allWord().toLowerCase()} ${ownCost(inclusive)}`,
    `${share(inclusive)} % of the total`,
    zoom !== root && `${percent(inclusive, zoom.inclusive)} % of what is zoomed`,
    node !== root && !isCallers && `self ${ownCost(own)} (${share(own)} %)`,
    count > 0 && counted(count, 'call', callCount),
    comparison && `base ${ownCost(before)}, change ${signedCost(change)}`,
    isDoubtful(node) && 'estimated',
  ]);
}

/** Links to the callers of the zoomed frame. The line is there even when nothing is zoomed, so that nothing moves. */
function crumbsTo(zoom, root) {
  const crumbs = el('div', { class: 'crumbs' }, el('b', {}, zoom.frame.short));
  const link = ({ id, frame: { name, short } }) => el('a', { href: to({ zoom: id, span: '' }), title: name }, short);
  let { parent: node } = zoom;
  for (let left = MAX_CRUMBS; node?.parent && left > 0; left -= 1) {
    crumbs.prepend(link(node), ' › ');
    node = node.parent;
  }
  if (node?.parent) crumbs.prepend('… › ');
  if (zoom !== root) crumbs.prepend(link(root), ' › ');
  return crumbs;
}

/** Fills a box and shows it at a point, moved so that all of it is visible. */
function showBox(box, parts, x, y) {
  box.replaceChildren(...present(parts));
  box.togglePopover(true);
  const [width, height] = [box.offsetWidth, box.offsetHeight];
  const top = y + 18 + height < innerHeight ? y + 18 : Math.max(0, y - 12 - height);
  box.style.left = `${Math.max(4, Math.min(x + 10, document.documentElement.clientWidth - width - 4))}px`;
  box.style.top = `${top}px`;
}

const isPanelOpen = () => byId('panel').matches(':popover-open');
const closeTip = () => byId('tip').togglePopover(false);

/** Shows the tooltip of a frame, unless a panel is open. */
function hover(node, about, x, y) {
  if (!node || isPanelOpen()) closeTip();
  else showBox(byId('tip'), [el('div', { class: 'name' }, titleOf(node)), el('div', {}, about)], x, y);
}

/** The name of a node. On the timeline, a box can be for several calls. */
const titleOf = ({ frame: { name }, several }) =>
  several ? `${counted(several, 'call')}, the longest: ${name}` : name;

/** The state that zooms a node: on the timeline, several calls have a range of times. */
const zoomTo = ({ id, several, parent, start, width }) =>
  several ? { zoom: parent.id, span: spanText([start, start + width]) } : { zoom: id, span: '' };

/** The buttons in the panel of a frame. */
function actionsOf(node) {
  const { frame } = node;
  const act = (text, action) =>
    button(text, () => {
      // The frame has the focus again.
      byId('panel').hidePopover();
      action();
    });
  // A pattern without blanks, which would separate words.
  const pattern = `/^${frame.name.replace(/[^\w]/g, '\\$&').replace(/\s/g, 's')}$/`;
  const hide = joined([state.hide, pattern], ' ');
  const isFrame = frame.key !== undefined;
  return [
    act('Zoom', () => go(to(zoomTo(node)))),
    frame.index !== NONE && act('Callers and callees', () => go(toFunction(frame))),
    state.view === 'flame' && timedFunctions().has(frame.index) && act('Timeline', () => go(toTimeline(frame))),
    isFrame && act('Search', () => adjust({ search: frame.name, match: 0 })),
    isFrame && act('Hide', () => adjust({ hide, zoom: 0, span: '', open: '' })),
    button('Copy name', ({ target }) => {
      getSelection().selectAllChildren(byId('panel').firstChild);
      document.execCommand('copy');
      target.textContent = 'Copied';
    }),
  ];
}

/** Opens the panel of a frame. A click beside it or Esc closes it. */
function openPanel(node, about, x, y) {
  const { frame } = node;
  closeTip();
  const name = el('div', { class: 'name' }, titleOf(node));
  const location = frame.index !== NONE && el('div', {}, place(frame, true));
  const actions = el('div', { class: 'actions' }, actionsOf(node));
  showBox(byId('panel'), [name, location, el('div', {}, about), actions], x, y);
  byId('panel').querySelector('button').focus({ preventScroll: true });
}

/** Moves the focus to the element of a row or node. */
const focusOn = (row) => parts.some((part) => part.focusOn(row, false));

/** The zoomed node. A match that would not be drawn is zoomed, or shown without zoom. */
function zoomOf({ nodes, root }, match, least) {
  const zoom = nodes[state.zoom] || root;
  const isDrawn = (node, within) => node.width / (within.width || 1) >= least && isBelow(node, within);
  if (!match || isDrawn(match, zoom)) return zoom;
  return isDrawn(match, root) ? root : match;
}

/** Whether a frame beside it has the same name, in another class. */
const isNameShared = ({ frame, parent }) =>
  parent?.below.some(({ frame: other }) => other.parts[2] === frame.parts[2] && other.parts[1] !== frame.parts[1]);

/**
 * Draws levels of frames below links to the callers of the zoomed node. The focus moves from frame to frame with the
 * arrow keys. A click opens the panel of a frame, a double click zooms.
 */
function graphOf({ label: name, tree: { root }, levels, pixels, zoom, found, match, tellAbout }) {
  const element = el('div', {
    class: classes({ flame: true, searched: found.size > 0 || state.search }),
    role: 'group',
    'aria-label': name,
  });
  const shown = new Map();
  const levelOf = new Map();
  levels.forEach((level, at) => level.forEach(({ node }) => levelOf.set(node, at)));

  function frameOf({ node, left, width }, level) {
    const room = width * pixels;
    const kinds = {
      frame: true,
      thin: room < TEXT_WIDTH,
      match: found.has(node.longest || node),
      current: node === match,
      above: node.depth < zoom.depth,
      estimated: isDoubtful(node),
    };
    const place = { '--level': level, '--left': `${100 * left}%`, '--width': `${100 * width}%` };
    const length = (room - PADDING) / CHARACTER;
    const textOf = ({ frame, several }) => {
      if (!several) return fitted(frame.parts, length, isNameShared(node));
      return [counted(several, 'call'), `×${grouped(several)}`].find((text) => text.length <= length);
    };
    const about = { role: 'button', tabindex: NONE, class: classes(kinds) };
    const frame = el('div', { ...about, ...colourOf(node, root.width), ...place }, kinds.thin ? '' : textOf(node));
    shownBy.set(frame, node);
    shown.set(node, frame);
    return frame;
  }
  const blockOf = inBlocks(
    element,
    levels,
    LEVELS,
    (count) => ({ class: 'levels', '--levels': count }),
    (level, at) => level.map((of) => frameOf(of, at % LEVELS)),
  );
  const first = levels[0][0].node;
  for (const node of [first, zoom, match]) if (levelOf.has(node)) blockOf(levelOf.get(node));
  shown.get(shown.has(zoom) ? zoom : first).tabIndex = 0;

  const below = (frame) => {
    const { left, bottom } = frame.getBoundingClientRect();
    return [Math.max(0, left), bottom - 10];
  };
  function focusFrame(node, scrolls) {
    if (!levelOf.has(node)) return false;
    blockOf(levelOf.get(node));
    const frame = shown.get(node);
    frame.setAttribute('aria-label', `${titleOf(node)}: ${tellAbout(node)}`);
    moveFocus(frame, scrolls);
    if (scrolls !== false) hover(node, tellAbout(node), ...below(frame));
    return true;
  }
  /** The node of the frame to the left (-1) or right (1). */
  function beside(node, step) {
    const level = levels[levelOf.get(node)];
    return level[level.findIndex((frame) => frame.node === node) + step]?.node;
  }
  const targets = {
    ArrowDown: (node) => levels[levelOf.get(node) + 1]?.find(({ node: { parent } }) => parent === node)?.node,
    ArrowUp: (node) => node.parent,
    ArrowRight: (node) => beside(node, 1),
    ArrowLeft: (node) => beside(node, -1),
  };
  const listen = (type, act) => element.addEventListener(type, (event) => act(shownBy.get(event.target), event));
  listen('mousemove', (node, { clientX, clientY }) => hover(node, tellAbout(node), clientX, clientY));
  element.addEventListener('mouseleave', () => hover());
  listen('click', (node, { target, clientX, clientY }) => {
    if (!node) return;
    moveFocus(target, false);
    openPanel(node, tellAbout(node), clientX, clientY);
  });
  listen('dblclick', (node) => node && go(to(zoomTo(node))));
  listen('keydown', (node, event) => {
    if (!node) return;
    if (event.key === 'Enter' || event.key === ' ') openPanel(node, tellAbout(node), ...below(event.target));
    else if (event.key in targets) focusFrame(targets[event.key](node));
    else return;
    event.preventDefault();
  });
  /** Scrolls to the match, or to the zoomed frame of an address that was just opened. */
  function reveal() {
    // The nearest callers are in sight.
    crumbs.scrollLeft = crumbs.scrollWidth;
    const isLed = document.activeElement === document.body && zoom !== root;
    const frame = shown.get(match || (isLed ? zoom : undefined));
    frame?.scrollIntoView({ block: 'nearest' });
    if (match && frame) hover(match, tellAbout(match), ...below(frame));
  }
  const crumbs = crumbsTo(zoom, root);
  return { crumbs, graph: { element, focusOn: focusFrame, reveal } };
}

function showFlame() {
  const tree = treeShown();
  const { root } = tree;
  const found = marked(tree);
  const match = matchIn(found);
  const pixels = byId('view').clientWidth;
  const zoom = zoomOf(tree, match, LEAST_WIDTH / pixels);
  const levels = layout(zoom, LEAST_WIDTH / pixels);
  const tellAbout = (node) => node && aboutNode(node, root, zoom);
  const name = 'Flame graph; the tree shows the same as rows';
  const { crumbs, graph } = graphOf({ label: name, tree, levels, pixels, zoom, found, match, tellAbout });
  const drawn = levels.flat().map(({ node }) => node);
  const colours = legend(tree, zoom, drawn);
  const [width, callers] =
    state.of === 'callers' ? ['what its calls cost here', 'below'] : ['its cost with all it calls', 'above'];
  const hasShares = state.of !== 'callers' && state.colours !== 'change';
  return {
    intro: introOf(tree),
    status: statusOf(tree, found),
    view: [
      // Readers have to know the colours of changes before they see the graph.
      ...(state.colours === 'change' ? [colours, crumbs, graph] : [crumbs, graph, colours]),
      explanation(
        tree,
        `A frame is as wide as ${width}${comparison ? ', on the side where that is more' : ''}; callers are ${callers}.${hasShares ? ' The shares beside the colours are self costs.' : ''}`,
        'Click a frame for what can be done with it, double-click to zoom, Esc to see all again. Arrow keys move.',
      ),
    ],
  };
}

/** Whether a node is below another one, or that node itself. */
function isBelow(node, above) {
  let at = node;
  while (at.depth > above.depth) at = at.parent;
  return at === above;
}

/** The self costs of a node and of all below it by group, the costliest first. */
function groupCosts({ nodes, root }, zoom, by) {
  const costs = new Map();
  for (const { frame, own } of zoom === root ? nodes : inOrder(zoom)) {
    const group = groupOf(frame, by);
    if (group) costs.set(group, (costs.get(group) || 0) + Number(own));
  }
  return [...costs].sort(([, one], [, another]) => another - one);
}

/** Explains the colours of a node and of all below it, and of `nodes`, which are drawn. */
function legend(tree, zoom, nodes) {
  const item = (text, style, kind) => el('li', {}, el('i', { class: kind, ...style }), text);
  const items = [];
  if (state.colours === 'change') {
    items.push(
      item('inclusive cost grew', GREW),
      item('inclusive cost shrank', SHRANK),
      item('changed by less than 0.1 % of the total', GREY),
    );
  } else {
    // In a graph of callers, costs are those of the function that they call.
    const text = (own) => (state.of === 'callers' ? '' : ` ${share(own, zoom.inclusive)} %`);
    const others = [];
    for (const [group, own] of costsByGroup(tree)(zoom.id, state.colours)) {
      const colour = colourOfGroup(group);
      if (colour === PALE) others.push(own);
      else items.push(item(el('span', { title: originOf(group.by, group.index) }, group.short + text(own)), colour));
    }
    const rest = others.reduce((sum, own) => sum + own, 0);
    if (rest > 0) items.push(item(counted(others.length, `other ${state.colours}`) + text(rest), PALE));
  }
  if (nodes.some(isDoubtful)) items.push(item('hatched: estimated', {}, 'estimated'));
  return el('ul', { class: 'legend', 'aria-label': 'Colours' }, items);
}
