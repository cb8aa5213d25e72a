// ---- The profile, from #data -------------------------------------------------------------------------

performance.mark('begin');
const data = JSON.parse(byId('data').textContent);
const { events, calls, stacks, comparison } = data;

/** The position of a function that is not in the report. */
const NONE = -1;

/** Calls and the costs of stacks are divided by the number of runs of their side. */
const runs = comparison?.runs || [1, 1];
const [oldRuns, newRuns] = runs.map(BigInt);

const outside = new Set(data.outside);
const fileOf = (number) => ({ file: data.files[number] || '', isOutside: outside.has(number) });

/** Something with a name; lists show the parts of its short name. */
function named(name, parts, more) {
  const short = parts.join('');
  const whole = name || short;
  return { ...more, name: whole, short, parts, text: searchText(whole, short, more) };
}
const partsIn = (text) => (text ? text.split('\n') : ['', '', '', '']);

/** The rows of a table of functions or groups. They refer to the table for their costs. */
const rowsOf = (table, more) =>
  table.parts.map((parts, index) => {
    const is = { 1: 'gone', 2: 'new' }[table.sides?.[index]];
    const became = table.became?.[index];
    return named(table.name[index], partsIn(parts), { table, index, key: index, is, became, ...more(index) });
  });

const functions = rowsOf(data.functions, (index) => {
  const { object, file, line } = data.functions;
  return { ...fileOf(file[index]), object: data.files[object[index]] || '', line: line[index] };
});

/** The groups of functions by their kind, such as `class`. */
const groups = {};
for (const [by, table] of Object.entries(data.groups)) {
  groups[by] = rowsOf(table, () => ({ by, file: '', object: '', line: 0 }));
}
/** The group of a function or frame, if that is in the report. */
const groupOf = ({ index }, by) => groups[by][data.groups[by].of[index]];

/** Whether an inclusive cost is an estimate: that of the new side (1), of the base (2) or of either (3). */
const isEstimate = ({ table, index }, sides = 1) => (Number(table.estimated[index] ?? 0) & sides) > 0;

/** Rows and frames of no function in the report. */
const other = (text, more) => named('', ['', '', text, ''], { index: NONE, file: '', object: '', line: 0, ...more });
const OTHERS = other('others, of too little cost');
const UNKNOWN = other('functions whose lines are unknown');
const ALL = other('all');

/** The frames of stacks: functions, and frames with names of their own, such as levels of recursion. */
const frames = (data.frames?.parts || []).map((parts, key) => {
  const of = functions[data.frames.function[key]] || ALL;
  const isRest = of === ALL && parts === '…';
  if (!parts) return { ...of, key };
  return isRest ? other('…') : { ...named(data.frames.name[key], partsIn(parts), of), key };
});

/** The texts of lines by the position of their file, then by line. */
const sources = new Map();
(data.source?.file || []).forEach((file, at) => {
  if (!sources.has(file)) sources.set(file, new Map());
  const [texts, first] = [data.source.text[at].split('\n'), data.source.first[at]];
  texts.forEach((text, line) => sources.get(file).set(first + line, text));
});

/** For each of a number of rows, the positions in a column that refers to them. */
function positionsIn(column, count) {
  const lists = Array.from({ length: count }, () => []);
  column.forEach((row, at) => lists[row]?.push(at));
  return lists;
}
/** The positions of the calls by their `caller` or `callee`, and of lines by their `function`. */
const callsBy = once((end) => positionsIn(calls[end], functions.length));
const linesBy = once((of) => positionsIn(data.lines[of], functions.length));

// ---- The event that is shown, and what events count --------------------------------------------------

const FIRST = 'that missed the first-level cache';
const LAST = 'that missed the last-level cache';
/** The events of Valgrind, as its manual and KCachegrind explain them. */
// prettier-ignore
const MEANINGS = {
  Ir: 'instructions executed', Dr: 'data reads', Dw: 'data writes',
  I1mr: `instruction reads ${FIRST}`, D1mr: `data reads ${FIRST}`, D1mw: `data writes ${FIRST}`,
  ILmr: `instruction reads ${LAST}`, DLmr: `data reads ${LAST}`, DLmw: `data writes ${LAST}`,
  I2mr: `instruction reads ${LAST}`, D2mr: `data reads ${LAST}`, D2mw: `data writes ${LAST}`,
  Bc: 'conditional branches executed', Bcm: 'conditional branches mispredicted',
  Bi: 'indirect branches executed', Bim: 'indirect branches mispredicted',
  Ge: 'global bus events', sysCount: 'system calls made', sysTime: 'time spent in system calls',
  'Time_(10ns)': 'wall-clock time',
  sysCpuTime: 'processor time spent in system calls', CEst: 'processor cycles, estimated', Bm: 'branches mispredicted',
  L1m: `reads and writes ${FIRST}`, L2m: `reads and writes ${LAST}`, LLm: `reads and writes ${LAST}`,
};

const unitOf = (event = state.event) => events[event].notation.unit;
const heading = (text) => (unitOf() ? `${text} ${unitOf()}` : text);
const totalOf = (event = state.event) => data.total[event];

/** A cost as columns show it, with the unit of columns, and in the unit that suits it. */
const columnCost = (value) => inColumn(events[state.event], value);
const costWithUnit = (value) => columnCost(value) + (unitOf() && ` ${unitOf()}`);
const costIn = (event, value, divisor) => inOwnUnit(events[event], value, divisor);
const ownCost = (value) => costIn(state.event, value);
const signedCost = (value, text = ownCost) => signed(exact(value), text(value));
const share = (value, whole = totalOf()) => percent(value, whole);

/** A cost per call. Costs are already divided by the runs of their side, numbers of calls are not. */
const costPerCall = (value, count, sideRuns, event = state.event) =>
  Number(count) > 0 ? costIn(event, exact(value) * sideRuns, count) : '-';
const callCount = (count, sideRuns = newRuns) => callsText(count, sideRuns);

/** The name of an event without its unit, if the report shows that. */
function label(event) {
  const { name } = events[event];
  return (unitOf(event) && name.replace(/_*\(.*/, '')) || name;
}

/** Describes what an event counts, if that is known. */
function meaning(event) {
  const { name, long_name: long } = events[event];
  if (long && long !== name) return long;
  return Object.hasOwn(MEANINGS, name) ? MEANINGS[name] : '';
}

/** The most memory that was in use at once, if that is known. */
const peak = (event) => (data.peak[event] === null ? '' : costIn(event, data.peak[event]));

/** What all stacks below a node cost. Xdebug’s memory is what was allocated, freed or not, unlike that of functions. */
const allWord = () => (peak(state.event) ? 'Allocated' : 'Inclusive');

// ---- Both sides of a comparison ----------------------------------------------------------------------

/** A change of less than this share of the total counts for little. */
const NOISE = 0.001;

/** Both sides as text: `before → now`, or one of them if they read the same or nothing is compared. */
function sidesText({ before, now }, text) {
  const [old, shown] = [text(before, oldRuns), text(now, newRuns)];
  return !comparison || old === shown ? shown : `${old} → ${shown}`;
}
const growthOf = ({ before, now }) => exact(now) - exact(before);

/** The `self` or `inclusive` cost of a row of a table, or its `calls`. The base has 0 if nothing is compared. */
function sidesOf({ table, index }, what, event = state.event) {
  const cell = (column) => (what === 'calls' ? column : column?.[event])?.[index] ?? 0;
  return { before: cell(table[`base_${what}`]), now: cell(table[what]) };
}

/** The costs and numbers of the calls of a row, likewise. */
const sumOfCalls = (row, column) => sumOf(row.calls.map((call) => column?.[call] ?? 0));
const costsOfCalls = (row) => ({
  before: sumOfCalls(row, calls.base_cost?.[state.event]),
  now: sumOfCalls(row, calls.cost[state.event]),
});
/** Whether a call is part of a recursion: of its callee (1) or of its caller (2). */
const isRecursive = (call, ends) => (Number(calls.recursive[call] ?? 0) & ends) > 0;
const countsOfCalls = (row) => ({ before: sumOfCalls(row, calls.base_calls), now: sumOfCalls(row, calls.calls) });
