// Sets the colour scheme before the first paint. The choice is the one that the dashboard's menu stores.
{
  const chosen = localStorage.getItem('mantine-color-scheme-value');
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset['theme'] = chosen;
}
