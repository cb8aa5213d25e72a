// ---- Lines and source --------------------------------------------------------------------------------

/** How many lines of source stand around one that costs something. */
const AROUND = 5;
/** So many callees of a line are listed at first. */
const FEW_CALLEES = 3;

/** The lines of a function, in their order: what they cost, and the numbers of calls they make. */
function lineRows(index) {
  const rows = new Map();
  const at = (file, line) => {
    const key = `${file} ${line}`;
    if (!rows.has(key)) rows.set(key, { file, line, calls: [] });
    return rows.get(key);
  };
  data.lines.function.forEach((of, row) => {
    if (of !== index) return;
    const [own, old] = [data.lines.self, data.lines.base].map((columns) => columns?.[state.event][row]);
    Object.assign(at(data.lines.file[row], data.lines.line[row]), { own, old });
  });
  for (const call of callsOf('caller', index)) {
    if (calls.file[call] !== NONE) at(calls.file[call], calls.line[call]).calls.push(call);
  }
  const [ownFile, ownLine] = [data.functions.file[index], data.functions.line[index]];
  if (sources.get(ownFile)?.has(ownLine)) at(ownFile, ownLine);
  return [...rows.values()].sort(
    (one, another) =>
      (another.file === ownFile) - (one.file === ownFile) || one.file - another.file || one.line - another.line,
  );
}

const costOfCalls = (row) => sumOf(row.calls.map((call) => calls.cost[state.event][call]));
const costOfLine = (row) => exact(row.own ?? 0) + costOfCalls(row);
const callsOfLine = (row) => row.calls.reduce((sum, call) => sum + Number(calls.calls[call]), 0);
/** Line 0 stands for code of which no line is known. */
const lineText = (line) => (line > 0 ? String(line) : '?');

/** The files that had the same text on both sides of a comparison. */
const sameFiles = new Set(data.lines.same);

/**
 * Puts the lines around into rows of lines, a gap where others are left out, and names of files: those other than the
 * function’s own, and those that have a note.
 */
function withSource(rows, ownFile, noteOf) {
  const files = new Map();
  for (const row of rows) files.set(row.file, [...(files.get(row.file) || []), row]);
  const all = [];
  for (const [file, some] of files) {
    const lines = new Map();
    for (const { line } of some) {
      for (let at = line - AROUND; line > 0 && at <= line + AROUND; at += 1) {
        const text = sources.get(file)?.get(at);
        if (text !== undefined) lines.set(at, { file, line: at, text, calls: [] });
      }
    }
    for (const row of some) lines.set(row.line, { ...lines.get(row.line), ...row });
    const note = noteOf(file);
    if (file !== ownFile || note) all.push({ title: `${data.files[file] || '???'}${note}`, calls: [] });
    let last;
    for (const line of [...lines.keys()].sort((one, another) => one - another)) {
      if (last !== undefined && line > last + 1 && sources.has(file)) all.push({ gap: true, calls: [] });
      all.push(lines.get(line));
      last = line;
    }
  }
  return all;
}

/** The callees of a line, the costliest first: links, with how often each is called if that is more than once. */
function calleesOf(row) {
  const order = sorted(row.calls, (call) => Number(calls.cost[state.event][call]));
  const calleeOf = (call) => {
    const { index, name: title, parts } = functions[calls.callee[call]] || OTHERS;
    const text = parts[1] + parts[2];
    const link = index === NONE ? text : el('a', { href: toFunction({ index }), title, tabindex: NONE }, text);
    const count = callCount(calls.calls[call]);
    return [link, count === '1' ? ' ' : ` ×${count} `];
  };
  const first = order.length > FEW_CALLEES + 1 ? FEW_CALLEES : order.length;
  const rest = order.slice(first);
  if (rest.length === 0) return order.flatMap(calleeOf);
  const title = rest.map((call) => (functions[calls.callee[call]] || OTHERS).short).join('\n');
  const more = button(
    `and ${grouped(rest.length)} more`,
    () => {
      more.closest('.row').classList.add('whole');
      more.replaceWith(...rest.flatMap(calleeOf));
    },
    { class: 'plain', title, tabindex: NONE },
  );
  return [...order.slice(0, first).flatMap(calleeOf), more];
}

/** Why no source is shown, as far as it is known. */
function noSource() {
  const { found, missing, left_out: omitted } = data.source;
  const room =
    omitted > 0 ? `; to limit the size of the report, that of ${counted(omitted, 'function')} was omitted` : '';
  return `No source for these lines: ${counted(found, 'file')} found, ${grouped(missing)} missing or not allowed${room}.`;
}

/** What the lines of a function cost and call; the costliest of its own file is in sight at once. */
function linesOf(of) {
  const rows = lineRows(of.index);
  if (rows.length === 0) return undefined;
  const ownFile = data.functions.file[of.index];
  const [hasOwn, hasText] = [rows.some(({ own }) => own !== undefined), rows.some(({ file }) => sources.has(file))];
  const costliest = (some) => some.reduce((one, row) => (costOfLine(row) > costOfLine(one) ? row : one), some[0]);
  const hottest = costliest(rows);
  const start =
    costliest(rows.filter(({ file, own, calls: made }) => file === ownFile && (own || made.length > 0))) || hottest;
  const isCostly = costOfLine(hottest) > 0;
  const isHot = (row) => isCostly && row.file === hottest.file && row.line === hottest.line;
  const most = `${ownCost(costOfLine(hottest))} ${hottest.calls.length > 0 ? 'with its calls' : 'self'}`;
  const where = `${lastComponent(data.files[hottest.file])}:${lineText(hottest.line)}`;
  const ofTrace = 'what each calls, and what that costs; a trace does not say what lines cost by themselves';
  const what =
    data.kind === 'trace'
      ? ofTrace
      : `what each costs and calls${isCostly ? ` · the costliest: ${where}, ${most}` : ''}`;
  const isCompared = data.lines.compared.includes(of.index);
  const hasSides = ({ file }) => isCompared && sameFiles.has(file);
  const noteOf = (file) => (isCompared && !sameFiles.has(file) ? ' · new side only' : '');
  const shown = withSource(rows, ownFile, noteOf);
  const newer = new Set(rows.map(({ file }) => file).filter((file) => data.source?.newer.includes(file)));
  const old = 'was changed after the profile was written: lines may have moved';
  const banners = [...newer].map((file) => banner(`⚠ ${data.files[file]} ${old}`, 'warning'));
  const path = (name) => el('b', { class: 'path' }, name);
  const own = (value) => (value === undefined ? '' : ownCost(value));
  // What all lines are indented by says nothing.
  const indents = shown.filter(({ text }) => text?.trim()).map(({ text }) => /^\s*/.exec(text)[0].length);
  const indent = indents.reduce((one, another) => Math.min(one, another), indents[0] || 0);
  const largest = Math.max(1, ...rows.map((row) => Number(row.own ?? 0)));
  const ownCell = (row) => (hasSides(row) && row.old !== row.own ? `${own(row.old)} → ` : '') + own(row.own);
  const lineCell = (row) =>
    row.gap ? '⋯' : row.line === undefined ? '' : `${isHot(row) ? '▶ ' : ''}${lineText(row.line)}`;
  const column = (title, width, short, cell, more) => ({
    title,
    kind: 'figure',
    size: `${width}ch`,
    short,
    cell,
    ...more,
  });
  const shareCell = ({ own: value }) => (value === undefined ? '' : visiblePercent(value, totalOf()));
  const bar = (row) => (100 * Number(row.own ?? 0)) / largest;
  const ofCalls = (text) => (row) => (row.calls.length > 0 ? text(row) : '');
  const columns = [
    column('Line', 9, hasText ? '' : 'line', lineCell),
    hasOwn && column('Self %', 9, 'self %', shareCell, { kind: 'figure share', bar }),
    hasOwn && column('Self', isCompared ? 22 : 11, 'self', ownCell),
    column(
      'Calls cost',
      12,
      'in calls',
      ofCalls((row) => ownCost(costOfCalls(row))),
    ),
    data.has_invocations &&
      column(
        'Calls',
        9,
        'calls',
        ofCalls((row) => callCount(callsOfLine(row))),
      ),
    hasText &&
      textColumn('name code', 4)('Source', ({ title, text }) => (title ? path(title) : (text?.slice(indent) ?? ''))),
    textColumn('name callees', hasText ? 2 : 4)('Calls', (row) =>
      row.title && !hasText ? path(row.title) : calleesOf(row),
    ),
  ];
  const isStart = (row) => row.file === start.file && row.line === start.line;
  const attributes = (row) => ({
    class: ['row plain', (row.title || row.calls.length + (row.own ?? 0) > 0) && 'costs', isHot(row) && 'hottest']
      .filter(Boolean)
      .join(' '),
  });
  const table = tableOf({ label: 'Lines', columns, rows: shown, attributes });
  table.element.classList.add('lines');
  /** The line that matters is in the middle of what is seen of the table. */
  function reveal() {
    const row = table.elementOf(shown.find((one) => one.line !== undefined && isStart(one)));
    if (!row) return;
    // Rows above it that are made later would move it.
    if (row.parentElement.previousElementSibling) make(row.parentElement.previousElementSibling);
    table.element.scrollTop = row.offsetTop - (table.element.clientHeight - row.offsetHeight) / 2;
  }
  return {
    isKnown: hasOwn || hasText,
    view: [
      el('h3', {}, hasOwn ? 'Lines ' : 'Calls by line ', span('soft', what)),
      ...banners,
      table.element,
      data.source && !hasText && soft(noSource()),
    ],
    table: { ...table, reveal },
  };
}

/** The costliest lines of the whole program. */
function showLines() {
  const isTrace = data.kind === 'trace';
  const { places } = data;
  const rows = places.line.map((line, at) => {
    const of = functions[places.function[at]] || OTHERS;
    const where = { ...fileOf(places.file[at]), object: of.object, line };
    const text = `${of.text}\n${where.file}`.toLowerCase();
    return {
      at,
      where,
      of,
      text,
      name: of.name,
      file: where.file,
      object: of.object,
      source: sources.get(places.file[at])?.get(line),
    };
  });
  const value = ({ at }) => places.cost[state.event][at];
  const hasText = rows.some(({ source }) => source !== undefined);
  const location = ({ where }) => (where.line > 0 || !isFile(where.file) ? place(where) : [place(where), ':?']);
  const found = rows.filter(searching(state.search));
  const columns = [
    barColumn(isTrace ? 'Cost %' : 'Self %', value, { sort: 'cost' }),
    costColumn(isTrace ? 'Cost' : 'Self', value, { sort: 'cost' }),
    isTrace && callColumn(({ at }) => places.calls[at], { sort: 'calls' }),
    placeColumn('File:line', location),
    hasText && textColumn('name code', 3)('Source', ({ source }) => source?.trim() ?? ''),
    nameColumn(isTrace ? 'Calls most' : 'Function', ({ of }) => linked(of)),
  ];
  const what = isTrace
    ? 'The lines that make calls, by what these cost: a trace does not say what lines cost by themselves.'
    : 'What lines cost by themselves, inlined code included, with the function that has the largest part.';
  const rest = places.left_out > 0 && soft(`Omitted: ${counted(places.left_out, 'line')} of less cost.`);
  if (found.length === 0) return { view: [nothingFound(), rest] };
  const table = tableOf({
    label: 'Lines',
    sort: 'lines',
    columns,
    rows: found,
    enter: ({ of }) => of !== OTHERS && go(toFunction(of)),
  });
  return { view: [soft(what), table.element, rest], shown: [table] };
}
