// A reader who does anything: goes to addresses, clicks, types and presses keys, as a seed chooses. Returns for each
// step what was done and the lines that are new on the page since the last one.

/** Numbers below an end, the same for the same seed. */
function random(seed) {
  let state = seed;
  return (end) => {
    state = (state + 0x6d2b79f5) | 0;
    let number = Math.imul(state ^ (state >>> 15), state | 1);
    number ^= number + Math.imul(number ^ (number >>> 7), number | 61);
    return ((number ^ (number >>> 14)) >>> 0) % end;
  };
}

/** Attributes that depend on fonts or the time, or that say nothing to readers. */
const SILENT = new Set(['id', 'type', 'spellcheck', 'autocomplete', 'for', 'name', 'data-for', 'popover']);

/** The elements inside one, a line for each that has a text or attributes of its own. */
function* linesIn(element) {
  if (element.matches('script, style, noscript, footer')) return;
  if (element.hidden || (element.popover && !element.matches(':popover-open'))) return;
  const texts = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.data);
  const attributes = [...element.attributes].filter(({ name }) => !SILENT.has(name) && !(element.popover && name === 'style'));
  const about = attributes.map(({ name, value }) => `${name}=${value}`);
  if ('value' in element && element.value) about.push(`value ${element.value}`);
  if (element.checked) about.push('checked');
  if (element.disabled) about.push('disabled');
  if (element === document.activeElement) about.push('focus');
  if (texts.length > 0 || about.length > 0) {
    yield [element.localName, ...about, '|', texts.join('')].join(' ').trimEnd();
  }
  for (const child of element.children) yield* linesIn(child);
}

async function walk(seed, steps) {
  const below = random(seed);
  const one = (list) => list[below(list.length)];
  const tick = () => new Promise((resolve) => setTimeout(resolve));
  // Nothing depends on the width of scroll bars and characters.
  Object.defineProperty(byId('view'), 'clientWidth', { value: one([1200, 1200, 240]) });
  let isGoingBack = false;
  addEventListener('popstate', () => (isGoingBack = false));
  const { back } = History.prototype;
  history.back = () => {
    isGoingBack = true;
    back.call(history);
  };
  const find = (css) => [...document.querySelectorAll(css)].filter((found) => found.checkVisibility());
  const nameOfElement = (element) => `${element.ariaLabel || element.textContent.trim().slice(0, 60)}`;
  const names = functions.flatMap(({ name, file }) => [name, lastComponent(file)]);
  const words = () => {
    const name = one(names) || 'nothing';
    return one([name, name.slice(0, 1 + below(name.length)), name.split(/\W/)[0], `/${name.slice(-3)}$/`, `${name} ${one(names)}`, 'xyz', '']);
  };
  const address = () => {
    const found = { view: one(Object.keys(VIEWS)) };
    const values = {
      event: () => below(events.length),
      function: () => below(functions.length),
      of: () => one(['callers', 'callees']),
      search: words,
      hide: words,
      by: () => one(['function', 'class', 'file', 'object', 'package']),
      fold: () => 'yes',
      charge: () => 'no',
      colours: () => one(['change', 'package', 'class', 'file', 'object']),
      zoom: () => below(20),
      match: () => below(4),
      part: () => below(4),
    };
    for (const [name, value] of Object.entries(values)) {
      if (below(4) === 0 || (name === 'function' && found.view === name)) found[name] = value();
    }
    return `#${new URLSearchParams(found)}`;
  };
  const click = (css) => {
    const element = one(find(css));
    if (!element) return 'nothing to click';
    element.click();
    return `click ${element.localName} ${nameOfElement(element)}`;
  };
  const type = (css) => {
    const field = one(find(css));
    if (!field) return 'no field';
    field.value = field.options ? one([...field.options]).value : words();
    field.dispatchEvent(new Event('input'));
    return `type ${field.id} ${field.value}`;
  };
  const actions = [
    ...Array(5).fill(() => {
      location.hash = address();
      return `go ${location.hash}`;
    }),
    () => click('#views a'),
    () => click('#events input'),
    () => click('[role=columnheader] button'),
    () => click('[role=columnheader] button'),
    () => click('#view .row:not(.head)'),
    () => click('#view .row:not(.head)'),
    () => click('.frame'),
    ...Array(2).fill(() => `${click('.frame')}, ${click('#panel button')}`),
    () => click('#view button, #status button'),
    () => click('#view a[href^="#"], #intro a[href^="#"]'),
    () => type('#search, #hide'),
    () => type('select'),
    () => {
      const element = one(find('.frame, #view .row:not(.head)'));
      if (element) element.dispatchEvent(new MouseEvent(one(['dblclick', 'mousemove']), { bubbles: true }));
      return `point at ${element ? nameOfElement(element) : 'nothing'}`;
    },
    () => {
      const [graph] = find('.flame');
      const at = (part) => ({ clientX: graph.getBoundingClientRect().left + part * graph.clientWidth, bubbles: true });
      const [from, to] = [below(9) / 10, below(9) / 10 + 0.1];
      graph?.dispatchEvent(new PointerEvent('pointerdown', at(from)));
      graph?.dispatchEvent(new PointerEvent('pointermove', at(to)));
      graph?.dispatchEvent(new PointerEvent('pointerup', at(to)));
      document.body.click();
      return `drag from ${from} to ${to}`;
    },
    ...Array(3).fill(() => {
      if (below(2) === 0) one(find('[tabindex="0"], #search'))?.focus();
      const key = one(['ArrowDown', 'ArrowDown', 'ArrowUp', 'ArrowLeft', 'ArrowRight', 'Home', 'End', 'Enter', ' ', 'Escape', '/', '+', '+', '-', '[', ']']);
      const target = document.activeElement;
      const shiftKey = below(4) === 0;
      target.dispatchEvent(new KeyboardEvent('keydown', { key, shiftKey, bubbles: true, cancelable: true }));
      return `press ${key}`;
    }),
  ];
  const settle = async () => {
    await tick();
    const isLate = () => isGoingBack || addressOf(stateOf(location.hash)) !== addressOf(state);
    for (let left = 1000; left > 0; left -= 1) {
      // The address follows what is typed, without its delay.
      if (pending) {
        clearTimeout(pending);
        pending = 0;
        history.replaceState(null, '', addressOf(state));
      }
      if (!isLate()) break;
      await tick();
    }
    // Everything is drawn, as for a printer.
    dispatchEvent(new Event('beforeprint'));
  };
  const done = [];
  let last = new Set();
  for (let step = 0; step < steps; step += 1) {
    const action = step === 0 ? 'open' : one(actions)();
    await settle();
    const lines = [`address ${location.hash}`, ...linesIn(document.body)];
    const fresh = lines.filter((line) => !last.has(line));
    const [kept, before] = [lines.length - fresh.length, last.size];
    done.push(`--- ${step} ${action}`, ...fresh, `${kept} lines as before, of ${before}`);
    last = new Set(lines);
  }
  return done.join('\n');
}
