import assert from 'node:assert/strict';
import test from 'node:test';
import script from './script.mjs';

const { callsText, counted, grouped, inColumn, inOwnUnit, percent, rounded, signed, sumOf, withMark } = script;

const TIMES = [
  { name: 's', size: 1e9 },
  { name: 'ms', size: 1e6 },
  { name: 'µs', size: 1000 },
  { name: 'ns', size: 1 },
];
const xdebug = { notation: { count: 10, size: 1e6, unit: 'ms', decimals: 3 }, units: TIMES };
const plain = { notation: { count: 1, size: 1, unit: '', decimals: 0 }, units: [] };

test('nouns have their number', () => {
  assert.deepEqual(
    [0, 1, 2].map((count) => counted(count, 'class')),
    ['0 classes', '1 class', '2 classes'],
  );
  assert.equal(counted(1000, 'file'), '1,000 files');
  // It is that of the number as it is shown.
  assert.deepEqual([counted(1n, 'call'), counted(2, 'call', () => '1')], ['1 call', '1 call']);
  assert.equal(
    counted(1, 'call', () => '0.5'),
    '0.5 calls',
  );
});

test('numbers are grouped, and rounded to the nearest', () => {
  assert.deepEqual([1, 999, 1000, 1234567].map(grouped), ['1', '999', '1,000', '1,234,567']);
  assert.equal(rounded(5n, 10n, 0), '1');
  assert.equal(rounded(-5n, 10n, 0), '-1');
  assert.equal(rounded(4n, 10n, 0), '0');
  assert.equal(rounded(-4n, 10n, 0), '0');
  assert.equal(rounded(1999n, 1000n, 2), '2.00');
  assert.equal(rounded(9007199254740993n, 1n, 0), '9,007,199,254,740,993');
});

test('a share never reads as 0 where it is not', () => {
  assert.equal(percent(1, 3), '33.33');
  assert.equal(percent(1, 0), '-');
  assert.equal(percent(1, 20001), '<0.01');
  assert.equal(percent(-1, 20001), '>-0.01');
  assert.equal(percent(1, 20000), '0.01');
  assert.equal(percent(0, 20000), '0.00');
});

test('estimates are marked, but nothing that is missing', () => {
  assert.equal(withMark(true, '1.50'), '~1.50');
  assert.equal(withMark(false, '1.50'), '1.50');
  assert.equal(withMark(true, '-'), '-');
});

test('costs are in the unit of their column, or in their own', () => {
  assert.equal(inColumn(xdebug, 123456), '1.235');
  assert.equal(inColumn(xdebug, 40), '<0.001');
  assert.equal(inColumn(xdebug, -40), '>-0.001');
  assert.equal(inColumn(xdebug, 50), '0.001');
  assert.equal(inColumn(xdebug, 0), '0.000');
  assert.equal(inOwnUnit(xdebug, 100), '1.00 µs');
  assert.equal(inOwnUnit(xdebug, 99), '990 ns');
  assert.equal(inOwnUnit(xdebug, -12345), '-123 µs');
  assert.equal(inOwnUnit(xdebug, 9999), '100.0 µs');
  assert.equal(inOwnUnit(xdebug, 10000), '100 µs');
  assert.equal(inOwnUnit(xdebug, 1000), '10.0 µs');
  assert.equal(inOwnUnit(xdebug, 999), '9.99 µs');
  assert.equal(inOwnUnit(xdebug, 1, 3), '3.33 ns');
  assert.equal(inOwnUnit(plain, 1234), '1,234');
  assert.equal(inOwnUnit(plain, 5, 2), '2.50');
  assert.equal(inOwnUnit(plain, 50, 3), '16.7');
  assert.equal(inOwnUnit(plain, '9007199254740993'), '9,007,199,254,740,993');
});

test('calls per run have a decimal below ten', () => {
  assert.equal(callsText(3, 2n), '1.5');
  assert.equal(callsText(4, 2n), '2');
  assert.equal(callsText(19, 2n), '9.5');
  assert.equal(callsText(21, 2n), '11');
  assert.equal(callsText(1234), '1,234');
});

test('sums are exact, whatever their numbers are', () => {
  assert.equal(sumOf([1, '9007199254740993', 2n]), 9007199254740996n);
  assert.equal(sumOf([]), 0n);
  assert.deepEqual([signed(1, '1'), signed(0, '0'), signed(-1, '-1')], ['+1', '0', '-1']);
  assert.equal(signed(1, '<0.01'), '<0.01');
});

test('times are in UTC', () => {
  assert.equal(script.dateText(0), '1970-01-01 00:00 UTC');
  assert.equal(script.dateText(1_767_323_099), '2026-01-02 03:04 UTC');
});
