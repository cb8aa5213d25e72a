// ---- Functions, places and colours -------------------------------------------------------------------

/** What a function or another frame is found by. */
const searched = (name, file) => `${name}\n${file}`.toLowerCase();

/** Tells whether a text is in the name or file of a function or frame, or of a change. */
function matching(wanted) {
  const text = wanted.toLowerCase();
  return (of) => of.text.includes(text);
}

/** Tells whether a function or frame is one of those that the reader hides. */
function hiding() {
  const hides = state.hide.split(/\s+/).filter(Boolean).map(matching);
  return hides.length > 0 && ((of) => hides.some((matches) => matches(of)));
}

/** The functions, or changes of functions, of a table of columns. */
const named = (columns) =>
  columns.name.map((name, index) => {
    const [file, object] = [columns.file, columns.object].map((of) => data.files[of[index]]);
    const isOutside = outside.has(columns.file[index]);
    const [short, line] = [columns.short[index] || name, columns.line?.[index] || 0];
    return { index, key: index, name, short, file, isOutside, object, line, text: searched(name, file) };
  });
const outside = new Set(data.outside);
const functions = named(data.functions);
const changed = comparison && changedFunctions(comparison.functions);

/** The functions that have changed, those of the page with their numbers there. */
function changedFunctions({ function: places, is, ...columns }) {
  return named(columns).map((of, at) => ({ ...of, index: places[at], is: is[at] }));
}

/** What stands for functions that have no room on the page, as callers or callees of others. */
const OTHERS = { index: NONE, name: 'others', short: 'others, of too little cost', text: '' };

/** PHP’s own functions are in no file: Xdebug gives them the line of their caller. */
const isInternal = (file) => file.startsWith('php:');
const isFile = (file) => file !== '' && file !== '???' && !isInternal(file);

/** The name of a file, of which at most three folders are left. */
const shortPath = (path) => path.replace(/^.+(?=(\/[^/]+){3}$)/, '…');

/** A place; a link, if the program was told where sources are found. */
function place({ file, object, line, isOutside }) {
  const told = (title, text) => el('span', { class: 'path', title }, text);
  if ((file === '' || file === '???') && object) return told(`[${object}]`, `[${shortPath(object)}]`);
  if (isInternal(file)) return told(file, file);
  const suffix = line > 0 && file ? `:${line}` : '';
  const [whole, text] = [file + suffix, shortPath(file) + suffix];
  if (!data.source_url || !isFile(file) || isOutside) return told(whole, text);
  const path = file.split('/').map(encodeURIComponent).join('/');
  const href = data.source_url.replaceAll('{file}', () => path).replaceAll('{line}', () => line || 1);
  const rel = 'noopener noreferrer';
  return el('a', { class: 'path', href, title: whole, rel, tabindex: NONE }, text);
}

/**
 * Where the parts of a name begin (a return type, namespaces, a class, the function), and where
 * these end: behind stand the arguments.
 */
function partsOf(name) {
  const starts = [0];
  const operator = /\boperator(?:\(\)|\s?[^\w\s(]+|\s\w+(?:\[\])?)/.exec(name);
  const named = operator ? operator.index + operator[0].length : NONE;
  let [depth, end] = [0, name.length];
  for (let at = 0; at < name.length; at += 1) {
    const [last, one] = [name[at - 1] || '', name[at]];
    const isScope = one === ':' && last === ':';
    if (at === operator?.index && depth === 0) at += operator[0].length - 1;
    else if (one === '>' && last === '-') {
      if (depth === 0) starts.push(at + 1);
    } else if ('<([{'.includes(one)) {
      if (one === '(' && depth === 0 && (at === named || /[\w>…)\]}]/.test(last))) end = Math.min(end, at);
      depth += 1;
    } else if ('>)]}'.includes(one)) depth = Math.max(0, depth - 1);
    else if (depth > 0 || (end < at && !isScope)) continue;
    else if (isScope || ('\\/ '.includes(one) && name[at + 1] !== '<')) {
      starts.push(at + 1);
      end = name.length;
    }
  }
  return { starts, end };
}

/** Where the function’s own part of a name begins, with its class, and where it ends. */
function ownPart(name) {
  const { starts, end } = partsOf(name);
  const last = starts.length - 1;
  const hasClass = last > 0 && /[:>]/.test(name[starts[last] - 1]);
  return [starts[Math.max(0, last - Number(hasClass))], end];
}

/** As much of a name as fits: the arguments go first, then return types and namespaces. */
function fitted(name, room) {
  if (name.length <= room) return name;
  const { starts, end } = partsOf(name);
  const found = starts.find((from) => end - from <= room);
  if (found !== undefined) return name.slice(found, end);
  const [from, last] = starts.slice(-2);
  const own = name.slice(last ?? from, end);
  const left = room - own.length - 3;
  // Of a class, its beginning.
  if (last !== undefined && left > 2 && /[:>]/.test(name[last - 1])) {
    return `${name.slice(from, from + left)}…${name.slice(last - 2, end)}`;
  }
  return /^\w.*</.test(own) && !own.startsWith('operator') ? own.slice(0, own.indexOf('<')) : own;
}

/** A name. Where there is too little room, its namespace and its arguments are cut. */
function nameOf({ name, short }) {
  const [from, end] = ownPart(short);
  const parts = [short.slice(0, from), short.slice(from, end), short.slice(end)];
  const kinds = [undefined, 'own'];
  return el(
    'span',
    { class: 'parts', title: name },
    parts.map((text, at) => span(kinds[at], text)),
  );
}

/** A name that leads to its function, if that is on the page. */
const linked = (frame) =>
  frame.index === NONE ? nameOf(frame) : el('a', { href: toFunction(frame), tabindex: NONE }, nameOf(frame));

const GREW = { '--hue': 4, '--strength': '90%' };
const SHRANK = { '--hue': 215, '--strength': '90%' };
const GREY = { '--hue': 0, '--strength': '0%' };

/** What a function is coloured by: its file, or the package or folder that it is in. */
function group({ file, object }) {
  if (isInternal(file)) return 'PHP itself';
  if (state.colours === 'file') return isFile(file) ? file : object || 'unknown';
  const vendor = /(?:^|\/)(?:vendor|node_modules|site-packages)\/((?:@?[^/]+\/)?[^/]+)(?=\/)/;
  const found = vendor.exec(file);
  if (found) return found[1];
  if (isFile(file)) return file.slice(0, file.lastIndexOf('/')) || '/';
  return object.slice(object.lastIndexOf('/') + 1) || 'unknown';
}

/** The colour of a group. It follows from the name alone, so that it is the same in every page. */
function shade(name) {
  if (name === 'PHP itself' || name === 'unknown') return GREY;
  let hash = 2166136261;
  for (const character of name) hash = Math.imul(hash ^ character.codePointAt(0), 16777619);
  return { '--hue': ((hash >>> 0) % 45) * 8 };
}

// ---- All functions -----------------------------------------------------------------------------------

/**
 * What functions cost by themselves when hidden ones are left out: these hand their self costs to
 * the nearest callers that are shown, as far as the stacks tell them.
 */
function charged(hidden) {
  const own = data.functions.self[state.event].map((value) => BigInt(value) * runs);
  const payers = [];
  let moved = 0n;
  stacks.parent.forEach((parent, node) => {
    const { index } = frames[stacks.frame[node]];
    const above = parent === NONE ? NONE : payers[parent];
    const hides = hidden.has(functions[index]);
    payers[node] = index === NONE || hides ? above : index;
    if (!hides || above === NONE) return;
    own[above] += exact(stacks.self[state.event][node]);
    moved += exact(stacks.self[state.event][node]);
  });
  return { own: own.map((value) => value / runs), moved: moved / runs };
}

function showFunctions() {
  const isHidden = hiding();
  const hidden = new Set(isHidden ? functions.filter(isHidden) : []);
  const inclusive = data.functions.inclusive[state.event];
  const selves = data.functions.self[state.event];
  const isCharged = state.charge && hidden.size > 0 && stacks;
  const { own, moved } = isCharged ? charged(hidden) : { own: selves };
  const ownOf = ({ index }) => own[index];
  const inclusiveOf = ({ index }) => inclusive[index];
  const fileAndLine = ({ file, line }) => file + String(line).padStart(9, '0');
  const columns = [
    bars('Self %', ownOf, { sort: 'self' }),
    costs('Self', ownOf, { sort: 'self' }),
    shares('Incl. %', inclusiveOf, { sort: 'inclusive' }),
    costs('Inclusive', inclusiveOf, { sort: 'inclusive', kind: 'figure wide' }),
    callCounts(({ index }) => data.functions.invocations[index], { sort: 'calls' }),
    names('Function', (of) => linked(of), { sort: 'name', order: ({ name }) => name }),
    places('File:line', place, { sort: 'place', order: fileAndLine }),
  ];
  const matches = matching(state.search);
  const rows = functions.filter((of) => !hidden.has(of) && matches(of));
  const told = (count, value) =>
    `${counted(count, 'function')} with a self cost of ${withUnit(value)} (${percent(value)} %)`;
  if (state.search || isHidden) tell(told(rows.length, sum(rows.map(ownOf))));
  const all = sum([...hidden].map(({ index }) => selves[index]));
  if (isCharged) tell(`; of ${withUnit(all)} hidden, ${withUnit(moved)} added to callers`);
  showTable({ label: 'Functions', columns, rows, enter: (of) => go(toFunction(of)) });
  const { functions: count, self } = data.rest;
  if (count > 0) show(soft(`Left out for want of room: ${told(count, self[state.event])}`));
}

// ---- One function ------------------------------------------------------------------------------------

/** So many events are shown at once. */
const FEW_EVENTS = 3;

/** The figures of a function: each in the unit that suits it, and per call. */
function functionFigures({ index }) {
  const invocations = data.functions.invocations[index];
  const perCall = (value, event) => (data.has_invocations ? costPerCall(value, invocations, event) : '-');
  const row = (event) => [
    el('span', { title: meaning(event) }, label(event)),
    ...[data.functions.self, data.functions.inclusive].flatMap((columns) => {
      const value = columns[event][index];
      return [costInOwnUnit(value, event), visiblePercent(value, total(event)), perCall(value, event)];
    }),
  ];
  const rows = events.map((_, event) => row(event));
  const titles = ['', 'self', '%', 'per call', 'inclusive', '%', 'per call'];
  if (events.length <= FEW_EVENTS) return figureTable(titles, rows, state.event);
  const all = el('details', {}, el('summary', {}, 'All events'), figureTable(titles, rows, state.event));
  return [figureTable(titles, [row(state.event)], 0), all];
}

/** What has changed of a function since the base. */
function sinceBase({ index }) {
  const { changes } = comparison?.events[state.event] || {};
  const at = changes ? changes.row.findIndex((row) => changed[row].index === index) : NONE;
  if (at === NONE) return '';
  const both = (name, figure, text) =>
    `${name} ${[...new Set(changes[figure].map((side) => text(side[at])))].join(' → ')}`;
  const own = (value) => costInOwnUnit(value);
  const called = data.has_invocations && both('calls', 'invocations', (tenths) => callText(tenths, 10n));
  return paragraph(joined([both('Since the base: self', 'self', own), both('inclusive', 'inclusive', own), called]));
}

/** Who calls a function, and who does so most often. */
function calledBy({ index }) {
  const callers = new Map();
  for (const at of callsOf('callee', index)) {
    callers.set(calls.caller[at], (callers.get(calls.caller[at]) || 0) + Number(calls.calls[at]));
  }
  if (callers.size === 0) return [];
  const [[often, count]] = [...callers].sort(([, one], [, other]) => other - one);
  const most = callers.size > 1 ? `, ${counted(count, 'time', callText)} by ` : ', ';
  return [` by ${counted(callers.size, 'function')}`, most, linked(functions[often] || OTHERS)];
}

function showFunction() {
  const of = functions[state.function];
  const invocations = data.functions.invocations[of.index];
  const called = data.has_invocations ? ` · called ${counted(invocations, 'time', callText)}` : '';
  const link = (text, which) =>
    el('a', { class: 'button', href: toView('flame', { function: of.index, of: which, search: '', hide: '' }) }, text);
  const callers = link('Graph of its callers', 'callers');
  const callees = link('Graph of its callees', 'callees');
  intro(
    paragraph(el('a', { href: toView('functions') }, '← all functions')),
    el('h2', { class: 'name' }, of.name),
    paragraph(place(of), called, calledBy(of)),
    functionFigures(of),
    sinceBase(of),
    stacks ? el('div', { class: 'bar' }, link('Show in the flame graph', ''), callers, callees) : '',
  );
  const rows = linesOf(of.index);
  const isFirst = rows.some(({ own, file }) => own !== undefined || sources.has(file));
  if (isFirst) showLines(of, rows);
  showCalls('Caller', 'callee', 'who calls it, and what that costs (bars: shares of its inclusive cost)');
  showCalls('Callee', 'caller', 'what it calls, and what that costs (bars: the same)');
  if (!isFirst) showLines(of, rows);
}

/** The calls that have the function at one end, as rows of what is at the other. */
function showCalls(title, end, what) {
  const costOf = (at) => calls.cost[state.event][at];
  const other = (at) => functions[calls[title.toLowerCase()][at]] || OTHERS;
  const site = (at) => {
    const number = calls.file[at];
    const called = { file: data.files[number], line: calls.line[at], isOutside: outside.has(number) };
    return number === NONE ? '' : place(called);
  };
  const rows = callsOf(end, state.function);
  show(el('h3', {}, `${title}s `, span('soft', what)));
  if (rows.length === 0) return show(soft(`no ${title.toLowerCase()}`));
  // Of what calls took as their callers say, which Xdebug rounds otherwise than its parts.
  const [whole, paid] = [exact(data.functions.inclusive[state.event][state.function]), sum(rows.map(costOf))];
  const perCall = (at) => costPerCall(costOf(at), calls.calls[at]);
  const own = (value) => costInOwnUnit(value);
  return showTable({
    label: `${title}s`,
    sort: `${title.toLowerCase()}s`,
    columns: [
      bars('Cost %', costOf, { sort: 'cost' }, paid > whole ? paid : whole),
      figures('Cost', costOf, own, { sort: 'cost', size: '13ch', short: '' }),
      callCounts((at) => calls.calls[at], { sort: 'calls' }),
      { title: 'Per call', kind: 'figure', size: '13ch', short: 'each', cell: perCall },
      names(title, (at) => linked(other(at)), { sort: 'name', order: (at) => other(at).name }),
      places('Called at', site),
    ],
    rows,
    enter: (at) => other(at) !== OTHERS && go(toFunction(other(at))),
  });
}

/** The calls with a function at one end, by number. */
const callsOf = (end, index) => [...calls[end].keys()].filter((at) => calls[end][at] === index);
