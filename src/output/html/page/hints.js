// ---- Hints: what readers of such profiles have to know -----------------------------------------------

const isXdebug = /^xdebug/i.test(data.creator);
const isTime = (event = state.event) => /^[nµm]?s$/.test(unitOf(event));
const namedLike = (pattern) => functions.filter(({ name }) => pattern.test(name));

/** Whether a function has a larger share of the total of the first event than this. */
const hasShare = ({ index }, part) => Number(data.functions.inclusive[0][index]) > part * Number(totalOf(0));

/** PHP’s functions that wait for a fiber: what it costs is part of their self cost, too. */
const fiberSwitches = namedLike(/^(php::)?Fiber->(start|resume|throw)$/);

/** What is counted twice, if the profile says what the run cost. */
function countedTwice() {
  const { stated, total } = data;
  if (stated === null) return undefined;
  const names = fiberSwitches.map(({ name }) => name).join(' and ') || 'functions that wait for fibers';
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

/** A front controller answers all requests, and neither the command nor the name of the input says which this is. */
function unknownRequest() {
  const isFront =
    /(^|[/\\])index\.php$/.test(data.command) && /^cachegrind\.out\.[\d.]+(\.gz)?$/.test(lastComponent(data.input));
  if (!isXdebug || !isFront || comparison) return undefined;
  return 'Which request was profiled? Add xdebug.profiler_output_name=cachegrind.out.%u.%R to the settings of PHP: it puts the URL into the name of the profile.';
}

const hints = () => [restarted(), unknownRequest(), countedTwice()].filter(Boolean);

/** What to hide first: each word hides functions that those before it leave. */
function hideExample() {
  if (functions.some(({ file }) => isInternal(file))) return 'vendor/ php::';
  const words = ['std::', 'libc', 'libstdc++', '/^operator.(new|delete)/', '/alloc$|free$/'];
  let left = functions;
  const useful = words.filter((word) => {
    const isHidden = hiding(word);
    const rest = left.filter((of) => !isHidden(of));
    const hidesAny = rest.length < left.length;
    left = rest;
    return hidesAny;
  });
  return useful.join(' ') || 'std:: libc';
}

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
