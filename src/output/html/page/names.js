// ---- Names: how they are found, fitted, grouped and coloured -----------------------------------------

/** PHP’s own functions have no file; the line that Xdebug gives them is that of their caller. */
const isInternal = (file) => file.startsWith('php:');
const isKnown = (name) => name !== '' && name !== '???';
const isFile = (file) => isKnown(file) && !isInternal(file);

/** A path cut to its last three names. */
const shortPath = (path) => path.replace(/^.+(?=(\/[^/]+){3}$)/, '…');
const lastComponent = (path) => path.slice(path.lastIndexOf('/') + 1);

/** A command without the directory of its program or script. */
const plainCommand = (command) => command.replace(/^\S*[/\\](?=[^\s/\\]+)/, '');
/** The name of an input without the beginning that all have, unless nothing else is left. */
const plainInput = (name) => name.replace(/^(cache|call)grind\.out\.(?=.)/, '');

/** The regular expression of a text between slashes, if it is a valid one. */
function patternOf(text) {
  try {
    const [, pattern] = /^\/(.+)\/$/.exec(text) || [];
    return pattern && new RegExp(pattern, 'i');
  } catch {
    return undefined;
  }
}

/** The text in which functions and frames are searched for: their names, as they are and as lists show them, and places. */
const searchText = (name, short, { file, object }) =>
  [name, ...(name.includes(short) ? [] : [short]), file, object].join('\n').toLowerCase();

/** Returns a test for functions and frames: all words are in their names, files or objects, or `/…/` matches. */
function searching(text) {
  const pattern = patternOf(text);
  if (pattern) return (of) => pattern.test(of.name) || pattern.test(of.file) || pattern.test(of.object);
  const words = text.toLowerCase().split(/\s+/).filter(Boolean).map(containing);
  return (of) => words.every((isIn) => isIn(of.text));
}

/** Returns a test for lines one of which contains a word, in which `…` and `*` stand for any text. */
function containing(word) {
  const pieces = word.split(/[…*]+/);
  if (pieces.length === 1) return (text) => text.includes(word);
  const after = (line, from, piece) => {
    const at = from < 0 ? from : line.indexOf(piece, from);
    return at < 0 ? at : at + piece.length;
  };
  return (text) => text.split('\n').some((line) => pieces.reduce((from, piece) => after(line, from, piece), 0) >= 0);
}

/** Returns such a test for any of the words. A word with `::` must begin a component of the name. */
function hiding(text) {
  const tests = text
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => {
      const pattern = patternOf(word);
      if (pattern || !word.includes('::')) return searching(word);
      // Before the arguments of a function or template, or in the type that a name of Rust is about: `<T as Trait>::f`.
      const pieces = word.split(/[…*]+/).map((piece) => piece.replace(/[^\w:]/g, '\\$&'));
      const before = (piece) => `((${piece}[^<(])*${piece}[^\\w\\\\<(])?`;
      const start = new RegExp(`^(${before('')}|<${before('(?! as )')})${pieces.join('.*')}`, 'i');
      return (of) => start.test(of.name);
    });
  return tests.length > 0 && ((of) => tests.some((test) => test(of)));
}

/** A closure of PHP by the end of its location, or at least by its line. */
function closureIn(own, room) {
  const [whole, short] = [/^\{closure:(?:.*[/\\])?([^/\\]+):(\d+)(?:-\d+)?\}$/, /^\{closure\} (.+):(\d+)$/];
  const [, file, line] = whole.exec(own) || short.exec(own) || [];
  if (!line) return undefined;
  const [place, left] = [`${file}:${line}}`, room - line.length - 4];
  const found = [own.replace(/:\/.*\//, ':…/'), `{${place}`].find((text) => text.length <= room);
  return found || (left > 0 ? `{${file.slice(0, left)}…:${line}}` : (room < line.length + 1 ? '' : ':') + line);
}

/**
 * Cuts a name to a number of characters: first arguments, then namespaces, then the beginning of the class. If its own
 * name does not tell it apart from others, its class remains instead.
 */
function fitted([scope, type, own, rest], room, isShared = false) {
  const plainType = type.replace(/<.*>/, '<…>');
  const choices = [scope + type + own + rest, scope + type + own, type + own, plainType + own];
  const found = choices.find((text) => text.length <= room);
  if (found !== undefined) return found;
  const closure = closureIn(own, room);
  if (closure) return closure;
  const left = room - own.length - 1;
  if (type && left > 4) return `…${plainType.slice(-left)}${own}`;
  if (type && isShared) return plainType;
  return own
    .replace(/^0x0+/, '0x')
    .replace(/([:{])\/.*\//, '$1…/')
    .replace(/^\{lambda\(.*\)#/, '{lambda#')
    .replace(/^(\w+)<.*/, '$1');
}

/** Whether a group has no colour: functions of PHP, and what is in no known place. */
const isGrey = (name) => /^(php|php:internal|[?]*)$/.test(name);

/** The number of colours that readers can distinguish. */
const HUES = 15;

/**
 * The colours of the costliest groups, which are the first. The name chooses the colour, so that it is the same in every
 * report, but no two groups have the same one, and the first few have colours that are far apart.
 */
function coloursOf(names) {
  const [hues, taken] = [new Map(), []];
  for (const name of names.filter((one) => !isGrey(one)).slice(0, HUES)) {
    let hash = 2166136261;
    for (const character of name) hash = Math.imul(hash ^ character.codePointAt(0), 16777619);
    let slot = (hash >>> 0) % HUES;
    const least = Math.max(1, Math.floor(HUES / (2 * taken.length + 2)));
    const isNear = (other) => Math.min((slot - other + HUES) % HUES, (other - slot + HUES) % HUES) < least;
    while (taken.some(isNear)) slot = (slot + 4) % HUES;
    taken.push(slot);
    hues.set(name, (slot * 360) / HUES);
  }
  return hues;
}
