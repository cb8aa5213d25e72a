'use strict';

// ---- Numbers, with the digits, units and rounding of the text report ---------------------------------

const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ',');
const counted = (count, noun, text = grouped) =>
  `${text(count)} ${noun}${text(count) === '1' ? '' : /s$/.test(noun) ? 'es' : 's'}`;
const signed = (value, text) => (value > 0 ? `+${text}` : text);
/** A figure with the mark of estimates if it is one. A missing figure has no mark. */
const withMark = (isEstimated, text) => (isEstimated && text !== '-' ? `~${text}` : text);

/** A quotient with a number of decimals, rounded to the nearest, halves away from 0. */
function rounded(number, divisor, decimals) {
  const steps = 10n ** BigInt(decimals);
  const size = ((number < 0n ? -number : number) * steps * 2n + divisor) / (divisor * 2n);
  const fraction = decimals > 0 ? `.${String(size % steps).padStart(decimals, '0')}` : '';
  return (number < 0n && size > 0n ? '-' : '') + grouped(size / steps) + fraction;
}

/** A number as a `BigInt`. In the data, those that are too large for a `Number` are strings. */
const exact = (number) => BigInt(typeof number === 'number' ? Math.round(number) : number);
const sumOf = (numbers) => numbers.reduce((sum, number) => sum + exact(number), 0n);

/** A share in percent; `-` if the whole is 0 or negative. */
const percent = (part, whole) => (whole <= 0 ? '-' : rounded(exact(part) * 100n, exact(whole), 2));

/** A share that reads as `<0.01` instead of 0 if it is not 0. */
function visiblePercent(part, whole) {
  const text = percent(part, whole);
  return /^0[.]00$/.test(text) && exact(part) !== 0n ? '<0.01' : text;
}

/** A cost in the unit of the columns of its event. */
const inColumn = ({ notation: { count, size, decimals } }, value) =>
  rounded(exact(value) * BigInt(count), BigInt(size), decimals);

/** A cost, or its quotient, with three digits in the unit that suits it, such as `4.30 ms`. */
function inOwnUnit({ notation: { count }, units }, value, divisor = 1) {
  const amount = exact(value) * BigInt(count);
  const parts = exact(divisor);
  const size = amount < 0n ? -amount : amount;
  const known = units.length > 0 ? units : [{ name: '', size: 1 }];
  const { name, size: one } = known.find((of) => size >= exact(of.size) * parts) || known[known.length - 1];
  const whole = exact(one) * parts;
  const isExact = exact(one) === 1n && size % whole === 0n;
  const decimals = isExact || size >= 100n * whole ? 0 : size >= 10n * whole ? 1 : 2;
  return rounded(amount, whole, decimals) + (name && ` ${name}`);
}

/** A cost for a column, in a smaller unit if it would read as 0. */
function inColumnOrOwn(event, value) {
  const text = inColumn(event, value);
  return /[1-9]/.test(text) || exact(value) === 0n ? text : inOwnUnit(event, value);
}

/** A number of calls per run, with a decimal if it is below ten and not whole. */
const callsText = (count, runs = 1n) =>
  rounded(exact(count), runs, exact(count) < 10n * runs ? 1 : 0).replace(/[.]0$/, '');
