'use strict';

// ---- Numbers, with the digits, units and rounding of the text report ---------------------------------

const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ',');
const counted = (count, noun, text = grouped) =>
  `${text(count)} ${noun}${text(count) === '1' ? '' : /s$/.test(noun) ? 'es' : 's'}`;
/** A change with its sign. One that is too small to be shown has none, such as `<0.01`. */
const signed = (value, text) => (value > 0 && /^\d/.test(text) ? `+${text}` : text);
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

/** A quotient that reads as `<0.01` or `>-0.01` instead of 0 if it is not 0. */
function visible(number, divisor, decimals) {
  const text = rounded(number, divisor, decimals);
  if (number === 0n || /[1-9]/.test(text)) return text;
  return (number < 0n ? '>-' : '<') + text.replace(/0$/, '1');
}

/** A share in percent; `-` if the whole is 0 or negative. */
const percent = (part, whole) => (whole <= 0 ? '-' : visible(exact(part) * 100n, exact(whole), 2));

/** A cost in the unit of the columns of its event. */
const inColumn = ({ notation: { count, size, decimals } }, value) =>
  visible(exact(value) * BigInt(count), BigInt(size), decimals);

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

/** A time in seconds since 1970, in UTC. */
const dateText = (seconds) => `${new Date(1000 * seconds).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** A number of calls per run, with a decimal if it is below ten and not whole. */
const callsText = (count, runs = 1n) =>
  rounded(exact(count), runs, exact(count) < 10n * runs ? 1 : 0).replace(/[.]0$/, '');
