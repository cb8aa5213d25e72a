// ---- Lines and source --------------------------------------------------------------------------------

/** How many lines of source stand around one that costs something. */
const AROUND = 5;

/** How much of the table is taken to be in sight at least: its heading and a line. */
const MIN_SEEN = 120;

/** The texts of lines by the number of their file, then by line. */
const sources = new Map();
(data.source?.file || []).forEach((file, at) => {
  if (!sources.has(file)) sources.set(file, new Map());
  const [texts, first] = [data.source.text[at].split('\n'), data.source.first[at]];
  texts.forEach((text, line) => sources.get(file).set(first + line, text));
});

/** The lines of a function, in their order: what they cost, and the numbers of calls they make. */
function linesOf(index) {
  const rows = new Map();
  const at = (file, line) => {
    const key = `${file} ${line}`;
    if (!rows.has(key)) rows.set(key, { file, line, calls: [] });
    return rows.get(key);
  };
  data.lines?.function.forEach((of, row) => {
    if (of !== index) return;
    const [own, old] = [data.lines.self, data.lines.base].map((costs) => costs?.[state.event][row]);
    Object.assign(at(data.lines.file[row], data.lines.line[row]), { own, old });
  });
  for (const call of callsOf('caller', index)) {
    if (calls.file[call] !== NONE) at(calls.file[call], calls.line[call]).calls.push(call);
  }
  const ownFile = data.functions.file[index];
  const ownLine = data.functions.line[index];
  if (sources.get(ownFile)?.has(ownLine)) at(ownFile, ownLine);
  return [...rows.values()].sort(
    (one, other) => (other.file === ownFile) - (one.file === ownFile) || one.file - other.file || one.line - other.line,
  );
}

/** What the calls that a line makes cost. */
const callCost = ({ calls: made }) => sum(made.map((call) => calls.cost[state.event][call]));

/** The files that had the same text on both sides of a comparison. */
const sameFiles = new Set(data.lines?.same);

/**
 * Puts the lines around into rows of lines, a gap where others are left out, and names of files: those
 * other than the function's own, and those that have a note.
 */
function withSource(rows, ownFile, noteOf) {
  const files = new Map();
  for (const row of rows) files.set(row.file, [...(files.get(row.file) || []), row]);
  const all = [];
  for (const [file, some] of files) {
    const lines = new Map();
    for (const { line } of some) {
      for (let at = line - AROUND; at <= line + AROUND; at += 1) {
        const text = sources.get(file)?.get(at);
        if (text !== undefined) lines.set(at, { file, line: at, text, calls: [] });
      }
    }
    for (const row of some) lines.set(row.line, { ...lines.get(row.line), ...row });
    const note = noteOf(file);
    if (file !== ownFile || note) all.push({ title: `${data.files[file] || '???'}${note}`, calls: [] });
    let last;
    for (const line of [...lines.keys()].sort((one, other) => one - other)) {
      if (last !== undefined && line > last + 1 && sources.has(file)) all.push({ gap: true, calls: [] });
      all.push(lines.get(line));
      last = line;
    }
  }
  return all;
}

/** The callees of a line: links, with how often each is called if that is more than once. */
const calleesOf = ({ calls: made }) => made.flatMap(calleeOf);
function calleeOf(call) {
  const { index, name: title, short } = functions[calls.callee[call]] || OTHERS;
  const text = short.slice(...ownPart(short));
  const link = index === NONE ? text : el('a', { href: toFunction({ index }), title, tabindex: NONE }, text);
  const count = callText(calls.calls[call]);
  return [link, count === '1' ? ' ' : ` ×${count} `];
}

/** Why no source is shown, as far as it is known. */
function noSource() {
  const { found, missing, left_out: rest } = data.source;
  const room = rest > 0 ? ` There was no room for the source of ${counted(rest, 'function')}.` : '';
  const where = `${grouped(found)} were found, ${grouped(missing)} not, or may not be shown.`;
  return `Without source: of the files asked for, ${where}${room}`;
}

/** Shows what the lines of a function cost and call; the costliest is in sight at once. */
function showLines(of, rows) {
  const ownFile = data.functions.file[of.index];
  const hasOwn = rows.some(({ own }) => own !== undefined);
  const hasText = rows.some(({ file }) => sources.has(file));
  const costly = (row) => exact(row.own ?? 0) + callCost(row);
  const hottest = rows.reduce((one, other) => (costly(other) > costly(one) ? other : one), rows[0]);
  if (!hottest) return;
  const hottestFile = data.files[hottest.file].replace(/^.*[/]/, '');
  const most = `${costInOwnUnit(costly(hottest))} ${hottest.calls.length > 0 ? 'with its calls' : 'self'}`;
  const told = costly(hottest) > 0 ? ` · the costliest: ${hottestFile}:${hottest.line}, ${most}` : '';
  const ofTrace = 'what each calls, and what that costs; a trace does not say what lines cost by themselves';
  const what = data.kind === 'trace' ? ofTrace : `what each costs and calls${told}`;
  show(el('h3', {}, hasOwn ? 'Lines ' : 'Calls by line ', span('soft', what)));
  const isHot = ({ file, line }) => costly(hottest) > 0 && file === hottest.file && line === hottest.line;
  const isCompared = data.lines.compared.includes(of.index);
  const hasSides = ({ file }) => isCompared && sameFiles.has(file);
  const noteOf = (file) => (isCompared && !sameFiles.has(file) ? ' · new side only' : '');
  const shown = withSource(rows, ownFile, noteOf);
  const newer = new Set(rows.map(({ file }) => file).filter((file) => data.source?.newer.includes(file)));
  for (const file of newer) {
    show(banner(`⚠ ${data.files[file]} was changed after the profile was written: lines may have moved`, 'warning'));
  }
  const path = (name) => el('b', { class: 'path' }, name);
  const own = (value) => (value === undefined ? '' : costInOwnUnit(value));
  // What all lines are indented by says nothing.
  const indents = shown.filter(({ text }) => text?.trim()).map(({ text }) => /^\s*/.exec(text)[0].length);
  const indent = indents.reduce((one, other) => Math.min(one, other), indents[0] || 0);
  const largest = Math.max(1, ...rows.map((row) => Number(row.own ?? 0)));
  const calleesShown = (row) => (row.title && !hasText ? path(row.title) : calleesOf(row));
  const ownCell = (row) => (hasSides(row) && row.old !== row.own ? `${own(row.old)} → ` : '') + own(row.own);
  const lineCell = (row) => (row.gap ? '⋯' : row.line ? `${isHot(row) ? '▶ ' : ''}${row.line}` : '');
  const share = ({ own: value }) => (value === undefined ? '' : visiblePercent(value, total()));
  const bar = (row) => (100 * Number(row.own ?? 0)) / largest;
  const figure = (title, width, short, cell, more) => ({
    title,
    kind: 'figure',
    size: `${width}ch`,
    short,
    cell,
    ...more,
  });
  const columns = [
    figure('Line', 9, hasText ? '' : 'line', lineCell),
    hasOwn && figure('Self %', 9, 'self %', share, { kind: 'figure share', bar }),
    hasOwn && figure('Self', isCompared ? 22 : 11, 'self', ownCell),
    figure('Calls cost', 12, 'in calls', (row) => (row.calls.length > 0 ? costInOwnUnit(callCost(row)) : '')),
    hasText &&
      texts('name code', 4)('Source', ({ title, text }) => (title ? path(title) : (text?.slice(indent) ?? ''))),
    texts('name callees', hasText ? 2 : 4)('Calls', calleesShown),
  ];
  const attributes = (row) => ({ class: `row plain ${row.calls.length + (row.own ?? 0) > 0 ? 'costs' : ''}` });
  const table = showTable({ label: 'Lines', columns, rows: shown, attributes });
  table.classList.add('lines');
  if (data.source && !hasText) show(soft(noSource()));
  /** The costliest line stands in the middle of what is seen of the table at the top of the page. */
  table.shown = () => {
    const row = table.rowOf(shown.find((one) => one.line !== undefined && isHot(one)));
    if (!row) return;
    row.classList.add('hottest');
    // Rows above it that are made later would move it.
    row.parentElement.previousElementSibling?.fill();
    const below = innerHeight - scrollY - table.getBoundingClientRect().top;
    const seen = Math.max(MIN_SEEN, Math.min(table.clientHeight, below));
    table.scrollTop = row.offsetTop - (seen - row.offsetHeight) / 2;
  };
}
