import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import script from './script.mjs';

const { HUES, coloursOf, fitted, hiding, isFile, isInternal, searchText, searching, shortPath } = script;

const named = (parts, file = '', object = '') => {
  const name = parts.join('');
  return { parts, name, file, object, text: searchText(name, name, { file, object }) };
};
const usort = named(['', 'php::', 'usort', ''], 'php:internal');
const standardise = named(['Composer\\', 'PHP::', 'standardise', ''], '/srv/app/vendor/a/PHP.php');
const next = named(['', 'File->', 'findNext', ''], '/srv/app/src/File.php');
const parse = named(['app::', '', 'parse', '(std::string)'], 'a.cpp', '/usr/lib/libapp.so');
const push = named(['void std::', 'vector<app::X>::', 'push', '(int)'], 'vector.tcc', '/usr/lib/libstdc++.so.6');
const all = [usort, standardise, next, parse, push];
const found = (test) => all.filter(test).map(({ parts }) => parts[2]);

test('all words are to be found, in names, files and objects', () => {
  assert.deepEqual(found(searching('file findnext')), ['findNext']);
  assert.deepEqual(found(searching('LIBSTDC')), ['push']);
  assert.deepEqual(found(searching('file nowhere')), []);
  assert.equal(found(searching('  ')).length, all.length);
});

test('an ellipsis or an asterisk stands for any text within a name or a location', () => {
  assert.deepEqual(found(searching('vector<…>::push')), ['push']);
  assert.deepEqual(found(searching('app*parse')), ['parse']);
  assert.deepEqual(found(searching('parse*app::')), []);
  assert.deepEqual(found(searching('parse*libapp')), []);
  assert.deepEqual(found(searching('findnext*')), ['findNext']);
  assert.deepEqual(found(searching('*')).length, all.length);
});

test('what is between slashes is a regular expression, if it is one', () => {
  assert.deepEqual(found(searching('/^php::/')), ['usort']);
  assert.deepEqual(found(searching('/next$/')), ['findNext']);
  assert.deepEqual(found(searching('/(/')), []);
  assert.deepEqual(found(searching('/libstdc/')), ['push']);
  assert.deepEqual(found(searching('/tcc$/')), ['push']);
});

test('a word to hide with :: begins a component of the name', () => {
  assert.deepEqual(found(hiding('php::')), ['usort']);
  assert.deepEqual(found(hiding('std::')), ['push']);
  assert.deepEqual(found(hiding('app::')), ['parse']);
  assert.deepEqual(found(hiding('vendor/ std::')), ['standardise', 'push']);
  assert.equal(hiding('  '), false);
});

test('the program finds and hides the same', () => {
  const table = JSON.parse(readFileSync(new URL('names.json', import.meta.url), 'utf8'));
  const functions = table.functions.map(({ name, short, file, object = '' }) => {
    const of = { name: name || short, file, object };
    return { ...of, key: name, text: searchText(of.name, short || name, of) };
  });
  for (const [kind, testOf] of [
    ['hide', hiding],
    ['filter', searching],
  ]) {
    for (const { words, found: expected } of table[kind]) {
      const fits = testOf(words);
      assert.deepEqual(
        functions.filter((of) => fits && fits(of)).map(({ key }) => key),
        expected,
        `${kind} ${words}`,
      );
    }
  }
});

test('the program takes the same functions for those of PHP', () => {
  const table = JSON.parse(readFileSync(new URL('names.json', import.meta.url), 'utf8'));
  for (const [file, expected] of Object.entries(table.internal)) assert.equal(isInternal(file), expected, file);
});

test('a label keeps the function, then its class', () => {
  const sniff = ['Standards\\', 'ValidLongSpacingSniff->', 'process', ''];
  assert.equal(fitted(sniff, 99), 'Standards\\ValidLongSpacingSniff->process');
  assert.equal(fitted(sniff, 31), 'ValidLongSpacingSniff->process');
  assert.equal(fitted(sniff, 22), '…SpacingSniff->process');
  assert.equal(fitted(sniff, 10), 'process');
  assert.equal(fitted(sniff, 22, true), '…SpacingSniff->process');
  assert.equal(fitted(sniff, 10, true), 'ValidLongSpacingSniff->');
  assert.equal(fitted(sniff, 7, true), 'ValidLongSpacingSniff->');
  assert.equal(fitted(sniff, 12), 'process');
  assert.equal(fitted(sniff, 13), '…iff->process');
  assert.equal(fitted(['', '', 'main', ''], 2, true), 'main');
  const push_back = ['void std::', 'vector<int, std::allocator<int> >::', 'push_back', '(int)'];
  assert.equal(fitted(push_back, 24), 'vector<…>::push_back');
  assert.equal(fitted(push_back, 12), 'push_back');
});

test('a closure keeps its location, at least its line', () => {
  const at = (own, room, type = '') => fitted(['', type, own, ''], room);
  const closure = '{closure:/srv/app/boot.php:31-389}';
  assert.equal(at(closure, 40), closure);
  assert.equal(at(closure, 27), '{closure:…/boot.php:31-389}');
  assert.equal(at(closure, 26), '{boot.php:31}');
  assert.equal(at(closure, 13), '{boot.php:31}');
  assert.equal(at(closure, 12), '{boot.p…:31}');
  assert.equal(at(closure, 7), '{b…:31}');
  assert.equal(at(closure, 6), ':31');
  assert.equal(at(closure, 3), ':31');
  assert.equal(at(closure, 2.9), '31');
  const short = '{closure} boot.php:31';
  assert.equal(at(short, 21), short);
  assert.equal(at(short, 20), '{boot.php:31}');
  assert.equal(at(short, 7), '{b…:31}');
  assert.equal(at(short, 3), ':31');
  assert.equal(at('{closure:/srv/app/boot.php:7-7}', 7), '{bo…:7}');
  assert.equal(at('{closure:…/lib/boot.php:7-7}', 12, 'App\\Kernel->'), '{boot.php:7}');
  assert.equal(at('{closure:C:\\app\\boot.php:7-9}', 12), '{boot.php:7}');
  assert.equal(at('{closure:App\\Kernel::boot():12}', 20), '{Kernel::boot():12}');
});

test('other names that begin like closures keep theirs', () => {
  const at = (own, room, type = '') => fitted(['', type, own, ''], room);
  assert.equal(at('{closure}', 5), '{closure}');
  assert.equal(at('{closure#0}', 5), '{closure#0}');
  assert.equal(at('{{closure}}', 18, 'app::work::'), '…work::{{closure}}');
  assert.equal(at('{lambda(Item const&, Item const&)#1}', 9), '{lambda#1}');
  assert.equal(at('{lambda(Item const&, Item const&)#2}', 9), '{lambda#2}');
  assert.equal(at('call_user_func:{/srv/app/a.php:12}', 9), 'call_user_func:{…/a.php:12}');
  assert.equal(at('{closure:/srv/app/a.php', 9), '{closure:…/a.php');
});

test('a path keeps three names', () => {
  assert.equal(shortPath('/srv/app/src/a.php'), '…/app/src/a.php');
  assert.equal(shortPath('/app/src/a.php'), '/app/src/a.php');
  assert.equal(shortPath('app/src/a.php'), 'app/src/a.php');
  assert.equal(shortPath('/src/a.php'), '/src/a.php');
});

test('a file of PHP is internal, and no other whose name begins like it', () => {
  assert.deepEqual(['php:internal', 'php:', 'phpunit/a.php', 'php/a.php', 'a/php:b'].map(isInternal), [
    true,
    true,
    false,
    false,
    false,
  ]);
  assert.deepEqual(['php:internal', 'phpunit/a.php', '', '???', '???/a'].map(isFile), [
    false,
    true,
    false,
    false,
    true,
  ]);
});

test('the costliest groups have colours of their own, the others none', () => {
  const names = ['phpunit', ...[...Array(HUES + 4).keys()].map((at) => `package${at}`)];
  const colours = coloursOf(['php', 'php:internal', '???', ...names]);
  assert.equal(new Set(names.slice(0, HUES).map((name) => colours.get(name))).size, HUES);
  assert.deepEqual([...colours.keys()], names.slice(0, HUES));
  for (const first of names) {
    const [one, other] = coloursOf([first, ...names.filter((name) => name !== first)]).values();
    const apart = Math.abs(one - other);
    assert.ok(Math.min(apart, 360 - apart) >= 70, `${first}: ${one}, ${other}`);
  }
  assert.equal(coloursOf(['package3']).get('package3'), coloursOf(['package3', 'package1']).get('package3'));
});

test('what tells reports apart comes first in their titles', () => {
  const { plainCommand, plainInput } = script;
  assert.equal(plainCommand('/srv/app/public/index.php'), 'index.php');
  assert.equal(plainCommand('./prog --in /srv/data'), 'prog --in /srv/data');
  assert.equal(plainCommand('C:\\app\\prog.exe a/b'), 'prog.exe a/b');
  assert.equal(plainCommand('prog a/b'), 'prog a/b');
  assert.equal(plainCommand(''), '');
  assert.equal(plainInput('cachegrind.out.1700000000._cart'), '1700000000._cart');
  assert.equal(plainInput('callgrind.out.12'), '12');
  assert.equal(plainInput('cachegrind.out.'), 'cachegrind.out.');
  assert.equal(plainInput('my.cachegrind.out.1'), 'my.cachegrind.out.1');
});
