(function () {
  var kept = null;
  try {
    kept = window.localStorage.getItem('slowpath-color-scheme');
  } catch (error) {
    /* storage may be forbidden; then the system decides */
  }
  var dark = kept === 'dark' || (kept !== 'light' && window.matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');
})();
