'use strict';

// Shows the profile that stands in #data. What is shown follows from `state`, all of which is in
// the address: whenever it changes, the view makes its elements anew. Names come from inputs: they
// reach the page as text only, through `append` and `textContent`, and are never a part of a
// selector or of an attribute that runs.

performance.mark('begin');
const byId = (id) => document.getElementById(id);
const data = JSON.parse(byId('data').textContent);
const { events, calls, stacks, comparison } = data;

/** The number of a function where there is none. */
const NONE = -1;

/** An element with attributes and children; text among the children stays text. */
function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('--')) element.style.setProperty(name, value);
    else if (value !== undefined && value !== false) element.setAttribute(name, value);
  }
  element.append(...children.flat());
  return element;
}

/** A part of a line, in the style that its class has. */
const span = (kind, ...children) => el('span', { class: kind }, ...children);

/** A paragraph. */
const paragraph = (...children) => el('p', {}, ...children);

/** What there is of some texts, as one. */
const joined = (texts) => texts.filter(Boolean).join(' · ');

// ---- Figures, with the digits, units and rounding of the text report ----------------------------

const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ',');

/** A quotient with so many decimals, rounded to nearest, halves away from 0. */
function rounded(number, divisor, decimals) {
  const steps = 10n ** BigInt(decimals);
  const size = ((number < 0n ? -number : number) * steps * 2n + divisor) / (divisor * 2n);
  const fraction = decimals > 0 ? `.${String(size % steps).padStart(decimals, '0')}` : '';
  return (number < 0n && size > 0n ? '-' : '') + grouped(size / steps) + fraction;
}

/** A number as one of any size. Those of the data that are too large for a `Number` are strings. */
const exact = (number) => BigInt(typeof number === 'number' ? Math.round(number) : number);
const sum = (numbers) => numbers.reduce((all, number) => all + exact(number), 0n);
const total = (event = state.event) => data.total[event];

/** A share of a total in percent; `-` if the total is 0 or negative. */
const percent = (part, whole = total()) => (whole <= 0 ? '-' : rounded(exact(part) * 100n, exact(whole), 2));

/** A share that does not read as 0 where it is not. */
function visiblePercent(part, whole) {
  const text = percent(part, whole);
  return /^0[.]00$/.test(text) && exact(part) !== 0n ? '<0.01' : text;
}

const unit = (event = state.event) => events[event].notation.unit;
const heading = (text) => (unit() ? `${text} ${unit()}` : text);
const signed = (value, text) => (value > 0 ? `+${text}` : text);
const counted = (count, noun, text = grouped) => `${text(count)} ${noun}${text(count) === '1' ? '' : 's'}`;

/** A cost in the unit of its event's column. */
function columnCost(value, event = state.event) {
  const { count, size, decimals } = events[event].notation;
  return rounded(exact(value) * BigInt(count), BigInt(size), decimals);
}

/** A cost for a column: in a unit of its own where it would read as 0. */
function cost(value) {
  const text = columnCost(value);
  return /[1-9]/.test(text) || exact(value) === 0n ? text : costInOwnUnit(value);
}

const withUnit = (value) => columnCost(value) + (unit() && ` ${unit()}`);

const TIMES = { s: 10n ** 9n, ms: 10n ** 6n, µs: 1000n, ns: 1n };
const MEMORIES = { GiB: 1n << 30n, MiB: 1n << 20n, KiB: 1n << 10n, bytes: 1n };

/** A cost with three digits in the unit that suits it, as `4.30 ms`; also divided among calls. */
function costInOwnUnit(value, event = state.event, divisor = 1) {
  const amount = exact(value) * BigInt(events[event].notation.count);
  const parts = exact(divisor);
  const size = amount < 0n ? -amount : amount;
  const known = /bytes|B$/.test(unit(event)) ? MEMORIES : TIMES;
  const units = Object.entries(unit(event) ? known : { '': 1n });
  const [name, one] = units.find(([, least]) => size >= least * parts) || units[units.length - 1];
  const whole = size / (one * parts);
  const isExact = one * parts === 1n || size % (one * parts) === 0n;
  const decimals = (isExact && one === 1n) || whole >= 100n ? 0 : whole >= 10n ? 1 : 2;
  return rounded(amount, one * parts, decimals) + (name && ` ${name}`);
}

/** What numbers of calls are divided by; below ten, those per run have a decimal. */
const runs = BigInt(comparison?.runs[1] ?? 1);
const callText = (count, divisor = runs) =>
  rounded(exact(count), divisor, exact(count) < 10n * divisor ? 1 : 0).replace(/[.]0$/, '');

/** What one of some calls costs. */
const costPerCall = (value, count, event) =>
  Number(count) > 0 ? costInOwnUnit(exact(value) * runs, event, count) : '-';

// ---- What events count ---------------------------------------------------------------------------

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
  sysCpuTime: 'processor time spent in system calls', CEst: 'processor cycles, estimated', Bm: 'branches mispredicted',
  L1m: `reads and writes ${FIRST}`, L2m: `reads and writes ${LAST}`, LLm: `reads and writes ${LAST}`,
};

/** What an event is called where its unit stands beside it. */
const label = (event) =>
  unit(event) ? events[event].name.replace(/_*\(.*/, '') || events[event].name : events[event].name;

/** What an event counts, in words; empty where nothing more than its name is known. */
function meaning(event) {
  const { name, long_name: long } = events[event];
  if (long && long !== name) return long;
  return Object.hasOwn(MEANINGS, name) ? MEANINGS[name] : '';
}

/** The most memory that was in use at once, where that is known; else an empty text. */
const peak = (event) => (data.peak[event] === null ? '' : costInOwnUnit(data.peak[event], event));
