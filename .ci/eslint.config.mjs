// Lints the script of the page, whose modules stand in it one after the other.
const browser = [
  'Event', 'IntersectionObserver', 'URLSearchParams', 'addEventListener', 'removeEventListener', 'clearTimeout', 'document',
  'getSelection', 'history', 'innerHeight', 'location', 'performance', 'requestAnimationFrame', 'scrollTo', 'scrollY',
  'setTimeout',
];
// Names come from anybody, and reach the page as text only.
const markup = ['innerHTML', 'outerHTML', 'insertAdjacentHTML', 'write', 'writeln', 'setHTML'];

export default [{
  languageOptions: {
    ecmaVersion: 2022,
    sourceType: 'script',
    globals: Object.fromEntries(browser.map((name) => [name, 'readonly'])),
  },
  rules: {
    'array-callback-return': 'error',
    eqeqeq: 'error',
    'no-eval': 'error',
    'no-implied-eval': 'error',
    'no-new-func': 'error',
    'no-redeclare': 'error',
    'no-undef': 'error',
    'no-unused-vars': 'error',
    'no-var': 'error',
    'prefer-const': 'error',
    'no-restricted-properties': ['error', ...markup.map((property) => ({ property }))],
  },
}];
