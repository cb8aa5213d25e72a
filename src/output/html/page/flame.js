// ---- Flame graph: levels are made in blocks, as these come into sight --------------------------------

/** How many levels stand in a block. */
const LEVELS = 40;
/** The width of a character in a frame. */
const CHARACTER = 7.3;
/** The most callers that the way to a frame lists. */
const MAX_CRUMBS = 6;

/** The colour of a frame: of what it belongs to, or of its change. */
function colourOf({ frame, ...costs }, all) {
  // The root and what is summed up belong to nothing.
  if (frame.key === undefined || frame.name === '…') return {};
  if (state.colours !== 'change') return frame.index === NONE ? {} : shade(group(frame));
  const [own, old] = [costs.own, costs.old].map(Number);
  const change = Math.abs(own - old);
  if (change * 10000 < all) return GREY;
  const strength = Math.round(30 + (60 * change) / Math.max(own, old, 1));
  return { ...(own > old ? GREW : SHRANK), '--strength': `${strength}%` };
}

/** What there is to say about a node. */
function figuresOf(node, root, zoom) {
  const { inclusive, own, before, calls: count } = node;
  const isCallers = state.of === 'callers';
  const change = inclusive - before;
  const estimated = node.isEstimated ? 'estimated' : node.holdsEstimates && 'inclusive cost estimated';
  return joined([
    `${isCallers ? 'cost' : 'inclusive'} ${costInOwnUnit(inclusive)}`,
    `${visiblePercent(inclusive, total())} % of the total`,
    zoom !== root && `${visiblePercent(inclusive, zoom.inclusive)} % of what is zoomed`,
    node !== root && !isCallers && `self ${costInOwnUnit(own)} (${visiblePercent(own, total())} %)`,
    count > 0 && counted(count, 'call', callText),
    stacks.base && `before ${costInOwnUnit(before)}, change ${signed(change, costInOwnUnit(change))}`,
    estimated,
  ]);
}

/** The frames by level: the callers of what is zoomed over the whole width, then what is drawn. */
function layout(zoom, width) {
  const levels = [];
  for (let node = zoom; node; node = node.parent) levels.unshift([{ node, left: 0, width }]);
  const scale = width / (zoom.width || 1);
  for (let level = levels[levels.length - 1]; level.length > 0;) {
    const next = [];
    for (const { node, left } of level) {
      let from = left;
      for (const child of node.below) {
        // Those that follow are no wider.
        if (child.width * scale < 0.5) break;
        next.push({ node: child, left: from, width: child.width * scale });
        from += child.width * scale;
      }
    }
    if (next.length > 0) levels.push(next);
    level = next;
  }
  return levels;
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

function showFlame() {
  const { nodes, root } = treeShown();
  const zoom = nodes[state.zoom] || root;
  const found = marked(nodes);
  const about = el('div', { class: 'about' });
  const kind = found.size > 0 || state.search ? 'flame searched' : 'flame';
  const title = 'Flame graph; the tree shows the same as rows';
  const flame = el('div', { class: kind, role: 'group', 'aria-label': title });
  const zoomTo = ({ id }) => go(to({ zoom: id }));

  /** Says what there is to say about a node. */
  function describe(node) {
    const { frame } = node;
    const link = el('a', { href: toFunction(frame) }, 'callers and callees');
    const isThere = frame.index !== NONE;
    const figuresShown = figuresOf(node, root, zoom);
    const line = isThere ? [link, ` · ${figuresShown} · `, place(frame)] : figuresShown;
    about.replaceChildren(
      el('div', { class: 'name', title: frame.name }, frame.name),
      el('div', { class: 'line' }, line),
    );
  }

  const levels = layout(zoom, byId('view').clientWidth);
  const shown = new Map();
  function make({ node, left, width }, level) {
    const isEstimated = node.isEstimated || node.holdsEstimates;
    const isAbove = node.depth < zoom.depth;
    const is = { frame: true, thin: width < 12, match: found.has(node), above: isAbove, estimated: isEstimated };
    const text = width < 12 ? '' : fitted(node.frame.short, (width - 9) / CHARACTER);
    const frame = el('div', {
      ...{
        role: 'button',
        tabindex: NONE,
        class: Object.keys(is)
          .filter((name) => is[name])
          .join(' '),
      },
      ...{ ...colourOf(node, root.width), '--left': `${left}px`, '--width': `${width}px`, '--level': level },
    });
    Object.assign(frame, { row: node }).append(text);
    shown.set(node, frame);
    return frame;
  }
  for (let from = 0; from < levels.length; from += LEVELS) {
    const some = levels.slice(from, from + LEVELS);
    const block = el('div', { class: 'levels', '--levels': some.length });
    block.fill = () => {
      if (block.firstChild) return;
      some.forEach((level, at) => block.append(...level.map((frame) => make(frame, at))));
    };
    flame.append(block);
    seen.observe(block);
  }
  const fill = ({ depth }) => flame.children[Math.floor(depth / LEVELS)]?.fill();
  fill(root);
  fill(zoom);
  shown.get(zoom).tabIndex = 0;

  flame.focusOn = (node, scrolls) => {
    if (node) fill(node);
    const frame = shown.get(node);
    if (!frame) return false;
    describe(node);
    frame.setAttribute('aria-label', about.textContent);
    moveFocus(frame, scrolls);
    return true;
  };
  /** The frame beside one, or below it: the first of what it calls. */
  function beside({ depth }, node, step) {
    const at = levels[depth].findIndex((frame) => frame.node === node);
    return levels[depth][at + step]?.node;
  }
  flame.addEventListener('mouseover', ({ target }) => target.row && describe(target.row));
  flame.addEventListener('mouseleave', () => describe(zoom));
  flame.addEventListener('click', ({ target }) => target.row && zoomTo(target.row));
  flame.addEventListener('keydown', (event) => {
    const { row: node } = event.target;
    const isAbove = node.depth < zoom.depth;
    const targets = {
      ArrowDown: () => (isAbove ? levels[node.depth + 1][0].node : node.below[0]),
      ArrowUp: () => node.parent,
      ArrowRight: () => beside(node, node, 1),
      ArrowLeft: () => beside(node, node, -1),
    };
    if (event.key === 'Enter' || event.key === ' ') zoomTo(node);
    else if (event.key in targets) flame.focusOn(targets[event.key]());
    else return;
    event.preventDefault();
  });
  /** At first, what an address leads to is in sight. */
  flame.shown = () => {
    if (zoom === root || document.activeElement !== document.body) return;
    shown.get(zoom).scrollIntoView({ block: 'nearest' });
  };
  introGraph(nodes, found);
  describe(zoom);
  // What colours of changes mean has to be seen first.
  const parts = state.colours === 'change' ? [legend(nodes), flame] : [flame, legend(nodes)];
  show(about, crumbsTo(zoom, root), ...parts);
  const [width, callers] =
    state.of === 'callers' ? ['what its calls cost here', 'below'] : ['its cost with all it calls', 'above'];
  tellGraph(
    `A frame is as wide as ${width}; callers stand ${callers}.`,
    'Click to zoom, Esc to see all again. Arrow keys move, Enter zooms.',
  );
}

/** What the colours stand for, the costliest first. */
function legend(nodes) {
  const item = (text, style, kind) => el('li', {}, el('i', { class: kind, ...style }), text);
  const items = [];
  if (state.colours === 'change') {
    items.push(item('self cost grew', GREW), item('self cost shrank', SHRANK), item('did not change', GREY));
  } else {
    const groupCosts = new Map();
    for (const of of functions) {
      const own = Number(data.functions.self[state.event][of.index]);
      groupCosts.set(group(of), (groupCosts.get(group(of)) || 0) + own);
    }
    const order = [...groupCosts].sort(([, one], [, other]) => other - one).slice(0, 8);
    items.push(...order.map(([name, own]) => item(`${name} ${percent(own)} %`, shade(name))));
  }
  if (nodes.some(({ isEstimated, holdsEstimates }) => isEstimated || holdsEstimates)) {
    items.push(item('hatched: estimated', {}, 'estimated'));
  }
  return el('ul', { class: 'legend', 'aria-label': 'Colours' }, items);
}
