// ---- Hints: what readers of such profiles have to know -----------------------------------------------

const isXdebug = /^xdebug/i.test(data.creator);
const isTime = (event = state.event) => /^[nµm]?s$/.test(unitOf(event));
const namedLike = (pattern) => functions.filter(({ name }) => pattern.test(name));

/** Whether a function has a larger share of the total of the first event than this. */
const hasShare = ({ index }, part) => Number(data.functions.inclusive[0][index]) > part * Number(totalOf(0));

/** PHP’s functions that wait for a fiber: what it costs is part of their self cost, too. */
const fiberSwitches = namedLike(/^php::Fiber->(start|resume|throw)$/);

/** What is counted twice, if the profile says what the run cost. */
function countedTwice() {
  const { stated, total } = data;
  if (stated === null || fiberSwitches.length === 0 || exact(stated) >= exact(total[0])) return undefined;
  const names = fiberSwitches.map(({ name }) => name).join(' and ');
  const more = costIn(0, exact(total[0]) - exact(stated));
  return `The ${data.runs > 1 ? 'runs' : 'run'} ${isTime(0) ? 'took' : 'cost'} ${costIn(0, stated)}; ${more} are counted twice, because of fibers: the self costs of ${names} contain what the fibers cost, which is shown with the functions in them as well.`;
}

/** A program that has restarted itself without Xdebug: the profile shows how it waits. */
function restarted() {
  const [handler] = namedLike(/XdebugHandler/);
  const [wait] = namedLike(/^php::(proc_close|proc_open|passthru|pcntl_exec)$/).filter((of) => hasShare(of, 0.5));
  if (!handler || !wait) return undefined;
  return `The program restarted itself without Xdebug, and this is the profile of the process that waited (${wait.name}). To profile the program itself, set COMPOSER_ALLOW_XDEBUG=1 for Composer or PHPSTAN_ALLOW_XDEBUG=1 for PHPStan; other programs have such a variable, too.`;
}

const hints = () => [restarted(), countedTwice()].filter(Boolean);

const INCLUDES = /^(php::)?(include|require)(_once)?::/;

/** What to know about the costs of a function. */
function notesOn(of) {
  if (!isTime()) return [];
  const callees = callsBy('caller')[of.index].map((call) => functions[calls.callee[call]]);
  const includes = isXdebug && callees.some((callee) => callee && INCLUDES.test(callee.name));
  return [
    includes && 'It includes files: its self cost contains compiling them, which an opcode cache saves.',
    fiberSwitches.includes(of) &&
      'Its self cost contains what the fiber cost until it was suspended; the functions in the fiber show that as well.',
  ].filter(Boolean);
}
