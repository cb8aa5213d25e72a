// ---- Lines and source --------------------------------------------------------------------------------

/** How many lines of source are shown before and after one that costs something. */
const AROUND = 5;
/** How many callees of a line are listed at first. */
const FEW_CALLEES = 3;

/** Sorts lines by file and number, those of a function’s own file first. */
const byPlace = (rows, ownFile) =>
  rows.sort(
    (one, another) =>
      (another.file === ownFile) - (one.file === ownFile) || one.file - another.file || one.line - another.line,
  );
const keyOfLine = ({ file, line }) => `${file} ${line}`;

/** The lines of a function in their order: their costs, and the calls that they make. */
function lineRows(index) {
  const rows = new Map();
  const at = (file, line) => {
    const row = { file, line, calls: [] };
    if (!rows.has(keyOfLine(row))) rows.set(keyOfLine(row), row);
    return rows.get(keyOfLine(row));
  };
  for (const row of linesBy('function')[index]) {
    const [own, old] = [data.lines.self, data.lines.base_self].map((columns) => columns?.[state.event][row]);
    Object.assign(at(data.lines.file[row], data.lines.line[row]), { own, old });
  }
  for (const call of callsBy('caller')[index]) {
    if (calls.file[call] !== NONE) at(calls.file[call], calls.line[call]).calls.push(call);
  }
  const [ownFile, ownLine] = [data.functions.file[index], data.functions.line[index]];
  if (sources.get(ownFile)?.has(ownLine)) at(ownFile, ownLine);
  return byPlace([...rows.values()], ownFile);
}

/** Calls that are part of a recursion would count twice. */
const costOfLine = (row) =>
  exact(row.own ?? 0) + costsOfCalls({ calls: row.calls.filter((call) => !isRecursive(call, 2)) }).now;
const costliest = (rows) => rows.reduce((one, row) => (costOfLine(row) > costOfLine(one) ? row : one), rows[0]);
/** Line 0 stands for code of which no line is known. */
const lineText = (line) => (line > 0 ? String(line) : '?');

/** The files that have the same text on both sides of a comparison. */
const sameFiles = new Set(data.lines.same);

const isSameFile = ({ file, own }) => own !== undefined && sameFiles.has(file);
const ownSides = ({ old, own }) => ({ before: old, now: own });

/**
 * Adds text, the lines around and gaps to rows of lines. Each file gets a title, except for the function’s own if there
 * is no note about it.
 */
function withSource(rows, ownFile, noteOf) {
  const shown = new Map(rows.map((row) => [keyOfLine(row), row]));
  for (const { file, line } of rows.filter((row) => row.line > 0 && sources.has(row.file))) {
    for (let at = line - AROUND; at <= line + AROUND; at += 1) {
      const row = { file, line: at, calls: [] };
      if (sources.get(file).has(at) && !shown.has(keyOfLine(row))) shown.set(keyOfLine(row), row);
    }
  }
  const all = [];
  let last = {};
  for (const row of byPlace([...shown.values()], ownFile)) {
    const [texts, note] = [sources.get(row.file), noteOf(row.file)];
    if (row.file !== last.file) {
      if (row.file !== ownFile || note) all.push({ title: `${data.files[row.file] || '???'}${note}`, calls: [] });
    } else if (texts && row.line > last.line + 1) all.push({ gap: true, calls: [] });
    all.push(Object.assign(row, { text: texts?.get(row.line) }));
    last = row;
  }
  return all;
}

const calleeIn = (call) => functions[calls.callee[call]] || OTHERS;

/** Links to the callees of a line, the costliest first, with the number of calls if there are several. */
function calleesOf(row) {
  const order = sorted(row.calls, (call) => Number(calls.cost[state.event][call]));
  const calleeOf = (call) => {
    const of = calleeIn(call);
    const count = callCount(calls.calls[call]);
    const link = el('a', { href: toFunction(of), title: of.name, tabindex: NONE }, of.parts[1] + of.parts[2]);
    return [link, count === '1' ? ' ' : ` ×${count} `, isRecursive(call, 2) && '(recursive) '];
  };
  const first = order.length > FEW_CALLEES + 1 ? FEW_CALLEES : order.length;
  const rest = order.slice(first);
  const title = rest.map((call) => calleeIn(call).short).join('\n');
  const more = el('summary', { title, tabindex: NONE }, `and ${grouped(rest.length)} more`);
  return [
    ...order.slice(0, first).flatMap(calleeOf),
    rest.length > 0 && el('details', {}, more, ...rest.flatMap(calleeOf)),
  ];
}

/** Says why no source is shown. */
function noSource() {
  const { found, missing, omitted } = data.source;
  const room =
    omitted > 0 ? `; to limit the size of the report, that of ${counted(omitted, 'function')} was omitted` : '';
  return `No source for these lines: ${counted(found, 'file')} found, ${grouped(missing)} missing or outside --source${room}.`;
}

/** Warns of a file that was written after the profile. */
const newerBanner = (file) =>
  warning(`${data.files[file]} was changed after the profile was written: lines may have moved`);

/** The indentation that all lines have in common. */
function commonIndent(rows) {
  const texts = rows.map(({ text }) => text).filter((text) => text?.trim());
  return texts.reduce((least, text) => Math.min(least, text.length - text.trimStart().length), Infinity);
}

/** A line of source. */
const source = (text = '') => el('span', { title: text }, text);

/** The columns of `shown`: of the lines of a function, of lines around these, and of titles and gaps. */
function lineColumns(shown, { hottest, hasOwn, hasText, isCompared }) {
  const path = (name) => el('b', { class: 'path' }, name);
  const indent = commonIndent(shown);
  const largest = Math.max(1, ...shown.map(({ own }) => Number(own ?? 0)));
  const ofCalls = (sum) => (row) => (row.calls.length > 0 ? sum(row).now : undefined);
  const [lineOf, ownOf] = [({ line }) => line, ({ own }) => own];
  const lineCell = (row) => (row === hottest ? '▶ ' : '') + (row.line === undefined ? '' : lineText(row.line));
  const selves = figures('Self', ownOf, ownCost, { size: isCompared && '22ch' });
  const ownCell = (row) => (isCompared && isSameFile(row) ? sidesText(ownSides(row), ownCost) : selves.cell(row));
  const codeCell = ({ title, text }) => (title ? path(title) : source(text?.slice(indent)));
  const bar = (row) => (100 * Number(row.own ?? 0)) / largest;
  return [
    figures('Line', lineOf, lineText, { short: hasText ? '' : 'line', cell: (row) => (row.gap ? '⋯' : lineCell(row)) }),
    hasOwn && figures('Self %', ownOf, (own) => share(own), { kind: 'figure share', bar }),
    hasOwn && { ...selves, cell: ownCell },
    figures('Calls cost', ofCalls(costsOfCalls), ownCost, { short: 'in calls' }),
    callColumn(ofCalls(countsOfCalls)),
    hasText && textColumn('name code', 'Source', codeCell, { size: 'minmax(0, 4fr)' }),
    textColumn('name callees', 'Calls', (row) => (row.title && !hasText ? path(row.title) : calleesOf(row))),
  ];
}

/** Names the costliest of the lines of a function, that which is shown at first, and the one that changed most. */
function standouts(of, { rows, hottest, start, isCompared }, reveal) {
  const change = (row) => growthOf(ownSides(row));
  const compared = rows.filter((row) => isCompared && isSameFile(row) && change(row) !== 0n);
  const [changed] = sorted(compared, (row) => size(change(row)));
  const link = (title, row, text) => {
    const place = `${lastComponent(data.files[row.file])}:${row.line}`;
    return row.line > 0 && [` · ${title}: `, button(place, () => reveal(row), { class: 'plain' }), text];
  };
  const costOf = (row) => {
    // The costs of recursive calls can add up to more than the function costs.
    const isPart = costOfLine(row) <= exact(sidesOf(of, 'inclusive').now);
    return (
      isPart &&
      `, ${ownCost(costOfLine(row))} ${row.calls.some((call) => !isRecursive(call, 2)) ? 'with its calls' : 'self'}`
    );
  };
  const isOther = start && ![hottest, changed].includes(start);
  const other = start?.file === data.functions.file[of.index] ? 'in its own file' : 'with source';
  return [
    hottest && link('the costliest', hottest, costOf(hottest)),
    hottest && isOther && link(other, start, costOf(start)),
    changed && link('changed most', changed, `, ${signedCost(change(changed))} self`),
  ];
}

/**
 * The lines of a function with their costs and calls, scrolled to the costliest line of its own file. Without costs and
 * source they would only repeat the callees.
 */
function linesOf(of) {
  const rows = lineRows(of.index);
  const hasOwn = rows.some(({ own }) => own !== undefined);
  if (!hasOwn && !rows.some(({ file, line }) => sources.get(file)?.has(line))) {
    return rows.length > 0 && data.source && soft(noSource());
  }
  const ownFile = data.functions.file[of.index];
  const all = costliest(rows);
  const hottest = costOfLine(all) > 0 && all;
  const isCompared = data.lines.compared.includes(of.index);
  const shown = withSource(rows, ownFile, (file) =>
    isCompared && !sameFiles.has(file) ? ' · not compared: its source changed, moved or is missing' : '',
  );
  const hasText = rows.some(({ text }) => text !== undefined);
  // The function’s own file can be a header of which there is no source.
  const isRead = ({ file, text }) => (hasText && !sources.has(ownFile) ? text !== undefined : file === ownFile);
  const start = costliest(rows.filter((row) => isRead(row) && (row.own || row.calls.length > 0)));
  const table = tableOf({
    label: 'Lines',
    columns: lineColumns(shown, { hottest, hasOwn, hasText, isCompared }),
    rows: shown,
    kindsOf: (row) => ({ costs: row.title || row.calls.length > 0 || Number(row.own) > 0, hottest: row === hottest }),
  });
  table.element.classList.add('lines');
  /** Scrolls a line to the middle of the table, at first the costliest one of that file. */
  function reveal(line = start || all) {
    const row = table.elementOf(line);
    // Otherwise it would move when the rows above it are made.
    if (row.parentElement.previousElementSibling) make(row.parentElement.previousElementSibling);
    table.element.scrollTop = row.offsetTop - (table.element.clientHeight - row.offsetHeight) / 2;
  }
  let what = ['what each calls, and what that costs; a trace does not say what lines cost by themselves'];
  if (data.kind !== 'trace') {
    what = ['what each costs and calls', ...standouts(of, { rows, hottest, start, isCompared }, reveal)];
  }
  const files = [...new Set(rows.map(({ file }) => file))];
  return [
    subtitle('Lines', what),
    ...files.filter((file) => data.source?.newer.includes(file)).map(newerBanner),
    { ...table, reveal },
    data.source && !hasText && soft(noSource()),
  ];
}

/** The positions of the calls that lines make, by file and line. */
const callsAt = once(() => {
  const found = new Map();
  calls.line.forEach((line, call) => {
    const key = keyOfLine({ file: calls.file[call], line });
    if (!found.has(key)) found.set(key, []);
    found.get(key).push(call);
  });
  return found;
});

const HIDDEN = other('hidden functions');
/** What a search finds a line by. */
const textOfLine = ({ text }, file) => `${text}\n${file}`.toLowerCase();

/** A line without the calls of hidden functions, or undefined. It is named for the costliest call that is left. */
function callsWithout(row, isHidden) {
  const made = callsAt().get(row.key) || [];
  const left = made.filter((call) => !isHidden(functions[calls.caller[call]] || OTHERS));
  if (made.length === 0) return isHidden(row) ? undefined : row;
  if (left.length === 0) return undefined;
  const callees = left.map((call) => [calleeIn(call), calls.cost[state.event][call]]);
  const [costly] = sorted(
    callees.filter(([of]) => !isHidden(of)),
    ([, cost]) => Number(cost),
  );
  const { index, name, short, parts: nameParts, text } = costly ? costly[0] : HIDDEN;
  return { ...row, index, name, short, parts: nameParts, text: textOfLine({ text }, row.file) };
}

/**
 * Lines without hidden functions, whose self costs are charged to the lines that call them; by the costs of these calls
 * if a function has several.
 */
function chargedLines(rows, isHidden) {
  const hidden = new Set(functions.filter((of) => of.is !== 'gone' && isHidden(of)));
  const { added } = charged(hidden);
  const left = new Map(rows.filter((row) => !isHidden(row)).map((row) => [row.key, row]));
  functions.forEach((of, index) => {
    if (hidden.has(of) || added[index] <= 0n) return;
    const sites = callsBy('caller')[index].filter((call) => hidden.has(functions[calls.callee[call]]));
    const costs = sites.map((call) => exact(calls.cost[state.event][call]));
    const whole = sumOf(costs);
    let rest = added[index];
    sites.forEach((call, at) => {
      const [file, line] = [calls.file[call], calls.line[call]];
      const key = keyOfLine({ file, line });
      const isLast = at === sites.length - 1;
      const part = isLast || whole <= 0n ? rest : (added[index] * costs[at]) / whole;
      rest -= part;
      if (part === 0n) return;
      const { file: name, isOutside } = fileOf(file);
      const more = { line, key, code: sources.get(file)?.get(line), text: textOfLine(of, name), at: NO_COSTS };
      const own = { ...of, file: name, isOutside, ...more };
      const row = left.get(key) || own;
      left.set(key, { ...row, charge: (row.charge || 0n) + part, isSplit: row.isSplit || sites.length > 1 });
    });
  });
  return [...left.values()];
}
const NO_COSTS = { table: { self: [], calls: [], estimated: '' }, index: 0 };

/** The costliest lines of the whole program, or in a comparison those that changed most. */
function showLines() {
  const { places } = data;
  const all = places.line.map((line, index) => {
    const { file, isOutside } = fileOf(places.file[index]);
    const of = line === 0 && !isFile(file) ? UNKNOWN : functions[places.function[state.event][index]] || OTHERS;
    const code = sources.get(places.file[index])?.get(line);
    const key = keyOfLine({ file: places.file[index], line });
    return { ...of, file, isOutside, line, key, code, text: textOfLine(of, file), at: { table: places, index } };
  });
  const rest = places.omitted > 0 && soft(`Omitted: ${counted(places.omitted, 'line')} of less cost.`);
  const isHidden = hiding(state.hide);
  const isCharged = isHidden && stacks && !comparison && !places.are_calls && !state.charge;
  let rows = all;
  if (isCharged) rows = chargedLines(all, isHidden);
  else if (isHidden && places.are_calls) rows = all.map((row) => callsWithout(row, isHidden)).filter(Boolean);
  else if (isHidden) rows = all.filter((row) => !isHidden(row));
  const found = rows.filter(searching(state.search));
  if (found.length === 0) return { view: [nothingFound(), rest] };
  const [title, noun] = places.are_calls ? ['Cost', 'Costliest call'] : ['Self', 'Function'];
  const sides = ({ at, charge }) => {
    const { before, now } = sidesOf(at, 'self');
    return { before, now: charge ? exact(now) + charge : now };
  };
  const cost = (row) => sides(row).now;
  const isEstimated = ({ at, charge, isSplit }) => isEstimate(at, 3) || isSplit || (charge && data.estimates !== null);
  const cell = (row) => withMark(isEstimated(row), sidesText(sides(row), columnCost));
  const byCost = { sort: 'cost', order: (row) => Number(cost(row)) };
  const costs = comparison
    ? [...changeColumns(sides), sidesColumn(heading(title), sides, columnCost, { ...byCost, cell })]
    : [inclusiveColumn(cost, isEstimated, byCost, `${title} %`), costColumn(title, cost, byCost)];
  const placeCell = (row) => (row.line > 0 || !isFile(row.file) ? place(row) : span('path', place(row), ':?'));
  const hiddenCost = isCharged
    ? ' The cost of hidden functions is charged to the lines that call them.'
    : ' Lines of hidden functions are not shown, nor is their cost.';
  const what = [
    places.are_calls
      ? 'Lines by the cost of their calls. A trace does not record what a line itself costs.'
      : 'The self cost of each line, inlined code included, and the function with the largest part of it.',
    comparison && ' Lines are compared by file and number, so edits may have moved them.',
    rows.some(isEstimated) && ' ~ marks estimates.',
    isHidden &&
      (places.are_calls ? ' Calls that hidden functions make are not shown: they are part of others.' : hiddenCost),
  ];
  const table = tableOf({
    label: 'Lines',
    sort: 'lines',
    columns: [
      ...costs,
      places.are_calls && callColumn(({ at }) => sidesOf(at, 'calls'), { sort: 'calls' }, sidesColumn),
      placeColumn('File:line', placeCell),
      rows.some(({ code }) => code !== undefined) &&
        textColumn('name code', 'Source', (row) => source(row.code?.trim()), { size: 'minmax(0, 3fr)' }),
      nameColumn(noun, linked),
    ],
    rows: found,
  });
  return { view: [soft(what), table, rest] };
}
